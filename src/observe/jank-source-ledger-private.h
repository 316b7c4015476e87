/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* How often each source was dispatched, and for how long, exactly: the setting `sources`. The dispatch functions of
 * GLib's own exported tables (idle, timeout, I/O watch, UNIX signal, UNIX descriptor, child watch) are wrapped in
 * place; one lookup and two clock readings a dispatch. Other kinds of sources, GDK's among them, are outside, and so
 * is a table that a program has copied before.
 *
 * Each row has a JankSeqlock. A new row's name and callback are stored before n_rows (release), and read after it
 * (acquire). */

#pragma once

#include <glib.h>

#include "observe/jank-work-log-private.h"

#define JANK_LEDGER_SIZE 256 /* rows; further sources share one row without name or callback */

typedef struct
{
  char    name[64];     /* empty: the source has none */
  guint64 callback;     /* address of its function, 0: of none */
  guint64 dispatch;     /* GLib's, which calls it */
  gint    priority;
  guint64 count;        /* dispatches that have returned */
  gint64  total_ns;     /* with what a nested loop dispatched meanwhile */
  gint64  longest_ns;
  gint64  p50_ns, p95_ns, p99_ns;
} JankLedgerRow;

typedef struct _JankSourceLedger JankSourceLedger;

/* loop: the context, used as a name only; one is counted at a time. On the thread that runs the loop. */

/* Wraps GLib's tables until the process ends (a table whose function somebody else has captured cannot be unwrapped
 * safely). Counting ends with as many stops as there were starts. Returns: (transfer none) (nullable): NULL while
 * another loop is counted, to be stopped by nobody */
JankSourceLedger *jank_source_ledger_start (gconstpointer loop);
void              jank_source_ledger_stop  (gconstpointer loop);

/* The calling thread has taken the loop over: its dispatches are counted, if the loop's are. */
void              jank_source_ledger_move  (gconstpointer loop);

/* Any thread: the function that the wrapper at address calls; address itself where that is no wrapper. */
guint64           jank_source_ledger_get_dispatch (guint64 address);

/* Any thread: what was dispatched lately, by numbers of rows, and such a row, whose name and callback stay. */
const JankWorkLog *jank_source_ledger_get_works (const JankSourceLedger *self);
void              jank_source_ledger_get_row  (const JankSourceLedger *self, guint row, JankLedgerRow *ret_row);

/* Any thread: a copy of the rows, heaviest first; ret_rows has room for JANK_LEDGER_SIZE + 1. Returns: how many */
guint             jank_source_ledger_read  (const JankSourceLedger *self, JankLedgerRow *ret_rows);
