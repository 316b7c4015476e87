/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The GSource that marks the edges of the loop's busy periods. GLib calls `check` first thing after poll
 * and `prepare` first thing in the next turn, for a source of the highest priority whatever else is
 * ready; it never asks to be dispatched, so the loop turns not once more than without it.
 *
 * A custom poll function would see the same edges but costs GLib >= 2.82 its nanosecond time-outs.
 * What the prepare functions of other sources cost counts as waiting. */

#pragma once

#include <glib.h>

#include "observe/jank-beat-private.h"
#include "base/jank-histogram-private.h"

typedef struct _JankLoopObserver JankLoopObserver;

/* Called on the observed thread at its first beat, and again when another thread takes the context over; outside of any
 * dispatch of the context, mostly inside GLib's call of a prepare function: it must not iterate the context. */
typedef void (*JankThreadFunc) (gpointer data);

/* Any thread. report_ns and startup_began_ns as in jank_beat_init().
 * Returns: (transfer full) */
JankLoopObserver *jank_loop_observer_new      (int64_t report_ns, int64_t startup_began_ns,
                                               JankThreadFunc thread_func, gpointer data);

/* Before it is attached: turns are counted, each end with the exact clock. Returns: (transfer none): the observer's */
JankTimes        *jank_loop_observer_count    (JankLoopObserver *self);

/* Any thread: the beat begins, maybe before this returns. is_in_wait: this is the context's thread, and its loop
 * waits. */
void              jank_loop_observer_attach   (JankLoopObserver *self, GMainContext *context, gboolean is_in_wait);

/* Lives as long as the observer. */
JankBeat         *jank_loop_observer_get_beat (JankLoopObserver *self);

/* On the thread that runs the context, or while none does. Afterwards thread_func is not called any more. */
void              jank_loop_observer_free     (JankLoopObserver *self);
