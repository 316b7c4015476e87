/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a loop dispatched lately: written by the observed thread, read by any. Fixed memory, no lock, no allocation, no
 * system call. Short dispatches of one source within 4 ms share an entry. A reader may find the newest entry one
 * dispatch apart; it leaves out the oldest, which may be overwritten meanwhile. */

#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define JANK_WORK_LOG_SIZE 1024
#define JANK_MAX_WORKS     32

/* A dispatch this long has an entry of its own. */
#define JANK_WORK_LONG_NS INT64_C (1000000)

/* All shared and atomic; all zero is empty. */
typedef struct
{
  _Atomic uint32_t n; /* ever begun */
  struct { _Atomic int64_t began_ns, total_ns; _Atomic uint32_t row, count;
           } works[JANK_WORK_LOG_SIZE]; /* at n % SIZE */
} JankWorkLog;

/* All dispatches of one row of the ledger, without what a nested loop dispatched meanwhile; or one entry. */
typedef struct
{
  uint32_t row, count;
  int64_t  total_ns, longest_ns; /* of those that share an entry, the mean is the longest */
  int64_t  began_ns;             /* of one entry; of a sum 0 */
} JankWork;

/* Observed thread. */
void     jank_work_log_add (JankWorkLog *self, uint32_t row, int64_t began_ns, int64_t took_ns);

/* Any thread: what began in [from_ns, to_ns), heaviest first; ret_works has room for JANK_MAX_WORKS. is_over: only what
 * had ended by to_ns. Returns: how many */
unsigned jank_work_log_sum (const JankWorkLog *self, int64_t from_ns, int64_t to_ns, bool is_over, JankWork *ret_works);

/* Any thread: which row was dispatched at a moment. false: none, or of several that share their time nobody can tell */
bool     jank_work_log_find (const JankWorkLog *self, int64_t at_ns, uint32_t *ret_row);

/* Any thread: the newest entries that began in [from_ns, to_ns), oldest first; as many at most. Returns: how many */
unsigned jank_work_log_list (const JankWorkLog *self, int64_t from_ns, int64_t to_ns, JankWork *ret_works);
