/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Time that the observed thread spent on us and not on the program: the start of the GTK plug-in, the overlay's
 * pictures, GTK's inspector with our page in it. Stalls and late frames leave it out, and the samples taken meanwhile.
 *
 *   observed thread                      watcher thread
 *   begin: began[i] := now; n := i + 1 ─▶ load n, then the pairs   (A)
 *   end:   ended[i] := now ────────────▶  0: not over yet          (B)
 *
 * (A) the store of n releases, the load acquires: a reader sees began. (B) release and acquire, too. A pair that is
 * overwritten while it is read is older than any time that is asked for. */

#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define JANK_OWN_TIME_N_SPANS 64

typedef struct
{
  /* observed thread only */
  uint32_t         depth;    /* of begin() without end() */
  int64_t          total_ns; /* of the spans that are over */
  bool             is_rest;  /* one lasts until the busy period ends */
  bool             is_sure;  /* that one is ours; else it is given back at its end */

  /* shared, atomic */
  struct { _Atomic int64_t began_ns, ended_ns; } spans[JANK_OWN_TIME_N_SPANS];
  _Atomic uint32_t n_spans;  /* ever begun */
  _Atomic uint64_t source;   /* address of a GSource whose dispatches are own time; 0: none. Orders nothing */
} JankOwnTime;

/* Observed thread; they nest. */
void    jank_own_time_begin      (JankOwnTime *self);
void    jank_own_time_end        (JankOwnTime *self);

/* Observed thread: the rest of the busy period under way is own time; unless sure, only if a later call is. */
void    jank_own_time_begin_rest (JankOwnTime *self, bool sure);
void    jank_own_time_end_rest   (JankOwnTime *self);

/* Any thread: how much of [from_ns, to_ns] is in spans; one that is not over lasts until now. */
int64_t jank_own_time_get        (const JankOwnTime *self, int64_t from_ns, int64_t to_ns);
