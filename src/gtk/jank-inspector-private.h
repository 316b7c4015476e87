/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The page “Jank” of GTK's inspector. Starting registers an extension and keeps the newest frames. When the inspector
 * opens, or at once if it is open, its page opens the library with what is shown in it. GTK's thread only. */

#pragma once

#include "frames/jank-frame-history-private.h"
#include "gtk/jank-gtk-names-private.h"
#include "gtk/jank-gtk-plugin-private.h"

/* What that library reads of the watched program; stays where it is. Both come from one build, so there is no
 * versioning. */
typedef struct
{
  const JankInspectorHost *host;    /* (nullable): NULL while stopped */
  JankFrameHistory        *history; /* the newest frames of all windows */
  JankInputBoard          *input;
  /* Where the page's work is marked. */
  JankOwnTime           *(*get_own) (void);
} JankInspectorFeed;

/* Beside the plug-in. */
#define JANK_INSPECTOR_LIBRARY "libjankwatch-inspector.so"
#define JANK_INSPECTOR_SYMBOL  "jank_inspector_tabs_new"

typedef GtkWidget *(*JankInspectorNewFunc) (const JankInspectorFeed *feed);

/* host: stays valid until jank_inspector_stop(). */
void jank_inspector_start     (const JankGtkHost *host);
void jank_inspector_stop      (void);

void jank_inspector_add_frame (const JankFrameEvent *event, gconstpointer window);
