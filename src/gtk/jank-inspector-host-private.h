/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the inspector page asks of the monitor. All of it on GTK's thread, which is the observed one; nothing
 * here waits for the watcher thread longer than one assignment takes, and only saving touches the disk. */

#pragma once

#include <glib.h>

#include "observe/jank-source-ledger-private.h"
#include "report/jank-report-private.h"

/* Counters since the monitor began; the page shows what they grew by. */
typedef struct
{
  gint64  now_ns;
  guint64 n_turns;      /* busy periods of the loop */
  gint64  busy_ns;      /* their sum */
  gint64  watcher_cpu_ns; /* of our own thread, -1 unknown */
  guint64 n_stalls;     /* reported in this process */
  guint64 n_samples, n_lost_samples, n_signals; /* as of the last stall */
} JankInspectorLoop;

typedef void (*JankInspectorFunc) (gpointer data);

typedef struct
{
  void      (*get_loop)      (gpointer data, JankInspectorLoop *ret_loop);

  /* Exact times per source are taken while somebody wants them. */
  void      (*watch_sources) (gpointer data, gboolean wanted);
  /* rows: room for JANK_LEDGER_SIZE + 1. Returns: how many */
  guint     (*read_sources)  (gpointer data, JankLedgerRow *rows);
  /* Name of the function at address. Returns: (transfer full) (nullable) */
  char     *(*name_function) (gpointer data, guint64 address);

  /* Adds references of the final reports number `from` and later to reports, oldest first; the oldest ones may be
   * gone. Returns: the number of the next one */
  guint64   (*get_reports)   (gpointer data, guint64 from, GPtrArray *reports);
  /* func is called soon after a report was added, until it is set to another, or NULL. */
  void      (*set_changed)   (gpointer data, JankInspectorFunc func, gpointer func_data);

  /* Where the loop was busy in that time without having stalled: "load_words → strlen". Returns: (transfer full)
   * (nullable): no stack was taken, or before the page was opened; else ret_busy_ns is for how long */
  char     *(*find_brief)    (gpointer data, gint64 began_ns, gint64 ended_ns, gint64 *ret_busy_ns);

  gboolean  (*get_paused)    (gpointer data);
  void      (*set_paused)    (gpointer data, gboolean paused);

  /* Settings as text, as in the key file. Returns: (transfer full) (nullable): there is no such setting */
  char     *(*get_setting)   (gpointer data, const char *key);
  gboolean  (*set_setting)   (gpointer data, const char *key, const char *value, GError **error);
  /* What was set since the start goes to the key file. */
  gboolean  (*save_settings) (gpointer data, GError **error);

  /* Remembered beside the reports. */
  gboolean  (*get_resolved)  (gpointer data, const char *fingerprint);
  gboolean  (*set_resolved)  (gpointer data, const char *fingerprint, gboolean resolved, GError **error);

  /* The command `jankwatch`. Returns: (transfer full) (nullable): its path; it is not installed */
  char     *(*find_command)  (gpointer data);

  gpointer    data;
} JankInspectorHost;
