/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the inspector's page asks of the monitor, on GTK's thread, which is the observed one. Nothing here waits for
 * the watcher thread longer than one assignment takes. */

#pragma once

#include <glib.h>

#include "report/jank-report-private.h"

typedef struct
{
  /* Soon after a report was added. */
  void (*changed) (void);
  /* Watcher thread, also just after the listener was taken away: a busy period that was no stall, and where it was
   * spent; both (nullable) */
  void (*brief)   (gint64 began_ns, gint64 ended_ns, const char *culprit, const char *innermost);
} JankInspectorListener;

typedef struct
{
  /* Adds the final reports from number `from` on to reports, oldest first; very old ones may be gone. Returns: the
   * number of the next one */
  guint64   (*get_reports)   (gpointer data, guint64 from, GPtrArray *reports);
  /* listener (nullable), never gone: of all pages that are shown. */
  void      (*set_listener)  (gpointer data, const JankInspectorListener *listener);

  gboolean  (*get_paused)    (gpointer data);
  void      (*set_paused)    (gpointer data, gboolean paused);

  /* Returns: (transfer full) (nullable): the text as in the key file; NULL: no such setting */
  char     *(*get_setting)   (gpointer data, const char *key);

  /* (nullable). What `jankwatch run` has kept of a report's stall. Returns: (transfer full) (nullable) */
  JankReportChain *(*load_chain) (gpointer data, const char *id);

  gpointer    data;
} JankInspectorHost;
