/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* When what still lasts is reported again: when it was found, then after 1, 1, 2, 3, 5, 8 … steps more. That is the
 * annealing of the jank monitors that came before, so that a long stall is neither lost nor written all the time.
 * Pure. */

#pragma once

#include <glib.h>

typedef struct
{
  gint64 next_ns; /* 0: not found yet */
  gint64 fibonacci[2];
} JankReportPace;

static inline void
jank_report_pace_begin (JankReportPace *self, gint64 step_ns)
{
  *self = (JankReportPace) { .fibonacci = { step_ns, step_ns } };
}

static inline gboolean
jank_report_pace_is_due (const JankReportPace *self, gint64 now_ns)
{
  return now_ns >= self->next_ns;
}

static inline void
jank_report_pace_go_on (JankReportPace *self, gint64 now_ns)
{
  gint64 step_ns = self->fibonacci[0];

  self->fibonacci[0] = self->fibonacci[1];
  self->fibonacci[1] += step_ns;
  self->next_ns = now_ns + step_ns;
}
