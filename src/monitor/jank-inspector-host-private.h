/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The monitor's side of the page in GTK's inspector. It outlives a stop and start of the monitor, and keeps the newest
 * reports of this process for a page that is opened later. */

#pragma once

#include "gtk/jank-inspector-host-private.h"
#include "monitor/jank-monitor.h"
#include "monitor/jank-watched-loop-private.h"

/* A report of a long stall takes some 30 kB. */
#define JANK_INSPECTOR_MAX_REPORTS 256

typedef struct _JankInspectorHostState JankInspectorHostState;

/* What the page can have from the monitor and do to it. The loop's thread. */
typedef struct
{
  JankMonitor            *monitor;  /* (unowned): outlives the host */
  JankSettings    *const *settings; /* where the monitor has them */

  gboolean (*get_paused)  (JankMonitor *monitor);
  void     (*set_paused)  (JankMonitor *monitor, gboolean paused);
} JankInspectorOwner;

/* The loop's thread. */
JankInspectorHostState  *jank_inspector_host_new  (const JankInspectorOwner *owner);
void                     jank_inspector_host_free (JankInspectorHostState *self);

/* What the plug-in is given; lives as long as self. */
const JankInspectorHost *jank_inspector_host_get  (JankInspectorHostState *self);

extern const JankSinkFuncs jank_inspector_host_sink;
