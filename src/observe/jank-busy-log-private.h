/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* How long was the loop busy between two moments? Of the last few hundred turns exactly, of the last 16 s by the
 * turns that began 16 ms apart. Fixed memory, no lock; observed thread only. All times are CLOCK_MONOTONIC
 * nanoseconds. */

#pragma once

#include <stdbool.h>
#include <stdint.h>

#define JANK_BUSY_LOG_SIZE      256
#define JANK_BUSY_LOG_SPARSE    1024
#define JANK_BUSY_LOG_SPARSE_NS INT64_C (16000000)

typedef struct
{
  int64_t began_ns;
  int64_t before_ns; /* busy time of all periods before this one */
} JankBusyMark;

typedef struct
{
  JankBusyMark periods[JANK_BUSY_LOG_SIZE];
  JankBusyMark sparse[JANK_BUSY_LOG_SPARSE];
  uint32_t n_periods;  /* ever begun */
  uint32_t n_sparse;   /* of them, those that are in the other ring */
  int64_t  sparse_ns;  /* when the newest of those began */
  int64_t  total_ns;   /* of all that have ended */
  bool     busy;
} JankBusyLog;

void    jank_busy_log_begin (JankBusyLog *self, int64_t now_ns);
void    jank_busy_log_end   (JankBusyLog *self, int64_t now_ns);

/* Within [from_ns, to_ns]; the period under way counts up to to_ns. What is older than the log counts as
 * waiting. */
int64_t jank_busy_log_get   (const JankBusyLog *self, int64_t from_ns, int64_t to_ns);
