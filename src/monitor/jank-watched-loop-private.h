/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A running monitor: the observer of the loop, the watcher, the recorder, the GTK plug-in. Lives from the monitor's
 * start to its stop. The loop's thread only. */

#pragma once

#include "settings/jank-settings-private.h"
#include "sinks/jank-gtk-host-private.h"
#include "watch/jank-sink-private.h"
#include "monitor/jank-tags-private.h"
#include "observe/jank-source-ledger-private.h"
#include "base/jank-histogram-private.h"

typedef struct _JankWatchedLoop JankWatchedLoop;

/* Everything here outlives the loop. */
typedef struct
{
  GMainContext           *context;
  JankTags               *tags;
  const JankInspectorHost *inspector;
  JankSink                sinks[2]; /* told after those of its own */
  gboolean                is_in_wait; /* of the context, whose thread this is */
} JankWatchedLoopOwner;

/* settings: nobody changes them any more. startup_began_ns: as in jank_monitor_start_early(). NULL with an error. */
JankWatchedLoop          *jank_watched_loop_new        (const JankWatchedLoopOwner *owner, JankSettings *settings,
                                                    gint64 startup_began_ns, gboolean paused, GError **error);
/* Waits for a report that is being written. */
void                    jank_watched_loop_free       (JankWatchedLoop *self);

/* key: the one that differs from before */
void                    jank_watched_loop_apply      (JankWatchedLoop *self, JankSettings *settings, const char *key);
void                    jank_watched_loop_set_paused (JankWatchedLoop *self, gboolean paused);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankWatchedLoop, jank_watched_loop_free)
