/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a running monitor consists of: what tells of the loop, the watcher, the recorder, the GTK plug-in. Each
 * function on the thread that runs the loop. It lives from a monitor's start to its stop. */

#pragma once

#include "base/jank-settings-private.h"
#include "monitor/jank-gtk-host-private.h"
#include "monitor/jank-recorder-private.h"
#include "monitor/jank-tags-private.h"
#include "observe/jank-source-ledger-private.h"

typedef struct _JankLoopWatch JankLoopWatch;

/* Of whom it is. All outlive it. */
typedef struct
{
  GMainContext           *context;
  JankTags               *tags;
  JankInspectorHostState *inspector;
  JankReportFunc          on_report; /* watcher thread */
  JankGtkFrameFunc        on_frame;  /* inside GTK's painting */
  gpointer                data;      /* of both */
} JankLoopWatchOwner;

/* settings are copied. startup_began_ns: as in jank_monitor_start_early(). Returns NULL with an error. */
JankLoopWatch          *jank_loop_watch_new        (const JankLoopWatchOwner *owner, const JankSettings *settings,
                                                    gint64 startup_began_ns, gboolean paused, GError **error);
/* Waits for a report that is being written. */
void                    jank_loop_watch_free       (JankLoopWatch *self);

/* Whether it takes that setting over at once. */
gboolean                jank_loop_watch_is_live    (const char *key);
/* key: the one that differs from before */
void                    jank_loop_watch_apply      (JankLoopWatch *self, const JankSettings *settings, const char *key);
void                    jank_loop_watch_set_paused (JankLoopWatch *self, gboolean paused);

/* (nullable): another context than the default one */
JankGtkHostState       *jank_loop_watch_get_gtk    (JankLoopWatch *self);
/* (nullable): sources are not counted */
const JankSourceLedger *jank_loop_watch_get_ledger (JankLoopWatch *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankLoopWatch, jank_loop_watch_free)
