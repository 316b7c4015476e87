/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the inspector's page asks of the monitor, on GTK's thread, which is the observed one. Nothing here waits for
 * the watcher thread longer than one assignment takes; only saving touches the disk. */

#pragma once

#include <glib.h>

#include "base/jank-times-private.h"
#include "observe/jank-source-ledger-private.h"
#include "report/jank-report-private.h"

/* Counters since the monitor began; the page shows their growth. */
typedef struct
{
  gint64  now_ns;
  guint64 n_turns;      /* busy periods of the loop */
  gint64  busy_ns;
  gint64  watcher_cpu_ns; /* of the watcher thread; -1: unknown */
  guint64 n_stalls;     /* reported in this process */
  guint64 n_samples, n_lost_samples; /* as of the last stall */
  JankTimeFigures turns; /* all so far, where they are counted */
} JankInspectorLoop;

typedef void (*JankInspectorFunc) (gpointer data);

typedef struct
{
  void      (*get_loop)      (gpointer data, JankInspectorLoop *ret_loop);

  /* Measures the time of each source while wanted. */
  void      (*watch_sources) (gpointer data, gboolean wanted);
  /* rows: room for JANK_LEDGER_SIZE + 1. Returns: how many were written */
  guint     (*read_sources)  (gpointer data, JankLedgerRow *rows);
  /* Returns: (transfer full) (nullable): the name of the function at address */
  char     *(*name_function) (gpointer data, guint64 address);

  /* Adds the final reports from number `from` on to reports, oldest first; very old ones may be gone. Returns: the
   * number of the next one */
  guint64   (*get_reports)   (gpointer data, guint64 from, GPtrArray *reports);
  /* func (nullable): called soon after a report was added. */
  void      (*set_changed)   (gpointer data, JankInspectorFunc func, gpointer func_data);

  /* Where the loop was busy in that time without a stall, such as "load_words → strlen", and for how long. Returns:
   * (transfer full) (nullable): NULL when no stack was taken */
  char     *(*find_brief)    (gpointer data, gint64 began_ns, gint64 ended_ns, gint64 *ret_busy_ns);

  gboolean  (*get_paused)    (gpointer data);
  void      (*set_paused)    (gpointer data, gboolean paused);

  /* Returns: (transfer full) (nullable): the text as in the key file; NULL: no such setting */
  char     *(*get_setting)   (gpointer data, const char *key);
  gboolean  (*set_setting)   (gpointer data, const char *key, const char *value, GError **error);
  /* Writes what was set since the start to the key file. */
  gboolean  (*save_settings) (gpointer data, GError **error);

  /* Kept in a file beside the reports. */
  gboolean  (*get_resolved)  (gpointer data, const char *fingerprint);
  gboolean  (*set_resolved)  (gpointer data, const char *fingerprint, gboolean resolved, GError **error);

  /* (nullable). What `jankwatch run` has kept of a report's stall. Returns: (transfer full) (nullable) */
  JankReportChain *(*load_chain) (gpointer data, const char *id);

  /* Returns: (transfer full) (nullable): the path of the command `jankwatch`; NULL: not installed */
  char     *(*find_command)  (gpointer data);

  gpointer    data;
} JankInspectorHost;
