/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "observe/jank-own-time-private.h"

void
jank_own_time_begin_rest (JankOwnTime *self, bool sure)
{
  if (!self->is_rest)
    {
      self->is_rest = true;
      self->is_sure = false;
      jank_spans_begin (&self->spans);
    }
  self->is_sure |= sure;
}

void
jank_own_time_end_rest (JankOwnTime *self)
{
  if (!self->is_sure && self->spans.depth == 1)
    jank_spans_begin_anew (&self->spans);
  self->is_rest = false;
  jank_spans_end (&self->spans);
}
