/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The monitor's side of the page in GTK's inspector: what that shows and sets. It outlives a stop and start of the
 * monitor. Keeps the newest reports of this process, so that the page knows what was before it was opened. */

#pragma once

#include "gtk/jank-inspector-host-private.h"
#include "monitor/jank-inspector-briefs-private.h"
#include "monitor/jank-monitor-private.h"

/* A report of a long stall takes some 30 kB. */
#define JANK_INSPECTOR_MAX_REPORTS 256

typedef struct _JankInspectorHostState JankInspectorHostState;

/* monitor: must outlive it. The loop's thread. */
JankInspectorHostState  *jank_inspector_host_new          (JankMonitor *monitor);
void                     jank_inspector_host_free         (JankInspectorHostState *self);

/* What the plug-in is given; lives as long as self. */
const JankInspectorHost *jank_inspector_host_get          (JankInspectorHostState *self);

/* Watcher thread: it has begun; a stall is over. */
void                     jank_inspector_host_note_watcher (JankInspectorHostState *self);
void                     jank_inspector_host_add          (JankInspectorHostState *self, JankReport *report);
/* Watcher thread: to add to. (nullable): the page is not open */
JankInspectorBriefs     *jank_inspector_host_get_briefs   (JankInspectorHostState *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankInspectorHostState, jank_inspector_host_free)
