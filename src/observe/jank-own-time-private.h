/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Time that the observed thread spent on us and not on the program: the start of the GTK plug-in, the overlay's
 * pictures, GTK's inspector with our page in it. Stalls and late frames leave it out, and the samples taken
 * meanwhile. */

#pragma once

#include <stdbool.h>

#include "base/jank-spans-private.h"

typedef struct
{
  JankSpans        spans;   /* written by the observed thread */

  /* observed thread only */
  bool             is_rest; /* one lasts until the busy period ends */
  bool             is_sure; /* that one is ours; else it is given back at its end */

  /* shared, atomic */
  _Atomic uint64_t source;  /* address of a GSource whose dispatches are own time; 0: none. Orders nothing */
} JankOwnTime;

/* Observed thread: the rest of the busy period under way is own time; unless sure, only if a later call is. */
void jank_own_time_begin_rest (JankOwnTime *self, bool sure);
void jank_own_time_end_rest   (JankOwnTime *self);
