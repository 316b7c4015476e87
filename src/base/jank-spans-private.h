/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* When something was done: written by one thread at a time, read by any. Fixed memory, no lock, no system call; all
 * zero is empty. The last 256 spans are kept.
 *
 *   writer                               reader
 *   begin: began[i] := now; n := i + 1 ─▶ load n, then the pairs   (A)
 *   end:   ended[i] := now ────────────▶  0: not over yet          (B)
 *
 * (A) the store of n releases, the load acquires: a reader sees began. (B) release and acquire, too. A pair that is
 * overwritten while it is read is older than any time that is asked for. */

#pragma once

#include <stdatomic.h>
#include <stdint.h>

#define JANK_SPANS_MAX 256

typedef struct
{
  /* the writer only */
  uint32_t depth;    /* of begin() without end() */
  int64_t  total_ns; /* of the spans that are over */

  /* shared, atomic */
  _Atomic uint32_t n; /* ever begun */
  struct { _Atomic int64_t began_ns, ended_ns; } spans[JANK_SPANS_MAX]; /* CLOCK_MONOTONIC */
} JankSpans;

/* The writer; of spans inside one another only the outermost counts. An end() without begin() does nothing. */
void    jank_spans_begin (JankSpans *self);
void    jank_spans_end   (JankSpans *self);

/* The writer, in a span: it begins only now. */
void    jank_spans_begin_anew (JankSpans *self);

/* Any thread: how much of [from_ns, to_ns] the spans are; one that is not over ends now. */
int64_t jank_spans_get   (const JankSpans *self, int64_t from_ns, int64_t to_ns);
