/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Watched programs, those that hang first. One thread. */

#pragma once

#include "program-chains.h"

typedef struct
{
  JankLiveProgram *program;    /* borrowed */
  gboolean         is_stopped; /* by a signal or a debugger: so is its watcher */
  guint            rank;       /* 0: it hangs; 1: something else is wrong; 2: nothing is */
  gint64           lasts_ns;   /* what it does, unless it is calm or stopped */
  guint64          n_stalls;   /* these with the one under way */
  gint64           longest_ns;
  double           hang_rate;  /* seconds per hour */
  gboolean         has_rate;   /* it was watched for long enough to say so */
  double           overhead;   /* share of a CPU that jankwatch takes in it */
  double           weight;     /* more comes first, among equals */
  const JankReportChain *chain; /* borrowed (nullable): whom else it waits for */
} ProgramRow;

/* Names of orders, ends with NULL. In each of them programs that hang are first, the longest on top. */
extern const char *const program_rows_orders[];

/* Of all programs whose name, ID or file has filter in it. Returns: (transfer full) (element-type ProgramRow) */
GArray     *program_rows_new    (JankLiveReader *reader, ProgramChains *chains, const char *filter, guint order);

/* "stuck 3.2 s". Returns: (transfer full) */
char       *program_row_say_state (const ProgramRow *self);

/* "load_settings() (ledger.c:14), waiting for a lock"; with whom that chain (nullable) leads to. Returns: (transfer
 * full) (nullable): nobody knows */
char       *program_row_say     (const JankReport *stall, const JankReportChain *chain);
