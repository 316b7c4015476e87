/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the inspector's page asks of the monitor, on GTK's thread, which is the observed one. Nothing here waits for
 * the watcher thread longer than one assignment takes. */

#pragma once

#include <glib.h>

#include "report/jank-report-private.h"

typedef struct
{
  /* Adds the final reports from number `from` on to reports, oldest first; very old ones may be gone. Returns: the
   * number of the next one */
  guint64   (*get_reports)   (gpointer data, guint64 from, GPtrArray *reports);
  /* func (nullable): called soon after a report was added. */
  void      (*set_changed)   (gpointer data, void (*func) (void));

  /* Where the loop was busy in that time without a stall, such as "load_words → strlen", and for how long. Returns:
   * (transfer full) (nullable): NULL when no stack was taken */
  char     *(*find_brief)    (gpointer data, gint64 began_ns, gint64 ended_ns, gint64 *ret_busy_ns);

  gboolean  (*get_paused)    (gpointer data);
  void      (*set_paused)    (gpointer data, gboolean paused);

  /* Returns: (transfer full) (nullable): the text as in the key file; NULL: no such setting */
  char     *(*get_setting)   (gpointer data, const char *key);

  /* (nullable). What `jankwatch run` has kept of a report's stall. Returns: (transfer full) (nullable) */
  JankReportChain *(*load_chain) (gpointer data, const char *id);

  /* Returns: (transfer full) (nullable): the path of the command `jankwatch`; NULL: not installed */
  char     *(*find_command)  (gpointer data);

  gpointer    data;
} JankInspectorHost;
