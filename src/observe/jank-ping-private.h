/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The second way to see whether a loop is late: a source that another thread makes ready, and how long it takes
 * until it is dispatched. It shows as a beat: busy from the ping to its answer, waiting from there to the next ping,
 * so whoever watches a beat watches this.
 *
 *   any one thread: send                  observed thread
 *   beat begins, source made ready ────▶  dispatched: source not ready, beat ends
 *
 * The beat has one writer at a time. The sender writes while it waits; each hands it over to the other with its
 * word (release, acquire).
 *
 * A ping wakes the loop: it turns once more for each. There is no second one while the first is unanswered. */

#pragma once

#include <glib.h>

#include "observe/jank-beat-private.h"
#include "observe/jank-loop-observer-private.h"

typedef struct _JankPing JankPing;

/* Any thread. context is not kept alive. report_ns: as in jank_beat_init(). thread_func: as in
 * jank_loop_observer_new(), (nullable). Returns: (transfer full) */
JankPing *jank_ping_new      (GMainContext *context, gint64 report_ns, JankThreadFunc thread_func, gpointer data);

/* Any thread, but not inside thread_func; nobody may send any more. The observed thread may still be answering; once
 * it has returned, it does not call thread_func again. */
void      jank_ping_free     (JankPing *self);

/* One thread at a time. FALSE when nothing was sent: the last ping is unanswered, or the context is gone, with which an
 * unanswered one counts as answered. */
gboolean  jank_ping_send     (JankPing *self);

/* Lives as long as self. */
JankBeat *jank_ping_get_beat (JankPing *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankPing, jank_ping_free)
