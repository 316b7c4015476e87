/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "store/jank-token-bucket-private.h"

#include "base/jank-clock-private.h"

void
jank_token_bucket_init (JankTokenBucket *self, gint64 rate, gint64 capacity, gint64 now_ns)
{
  *self = (JankTokenBucket) { .rate = rate, .capacity = capacity, .n_bytes = capacity, .last_ns = now_ns };
}

gboolean
jank_token_bucket_has (JankTokenBucket *self, gint64 now_ns)
{
  gint64 elapsed_ns = CLAMP (now_ns - self->last_ns, 0, 3600 * JANK_NS_PER_S);
  gint64 earned = self->rate * (elapsed_ns / JANK_NS_PER_US) / (JANK_NS_PER_S / JANK_NS_PER_US);

  /* The part of a byte that is left is earned next time. */
  if (elapsed_ns == 3600 * JANK_NS_PER_S)
    self->last_ns = now_ns;
  else
    self->last_ns += earned * JANK_NS_PER_S / self->rate;
  self->n_bytes = MIN (self->n_bytes + earned, self->capacity);
  return self->n_bytes > 0;
}

void
jank_token_bucket_spend (JankTokenBucket *self, gsize n_bytes)
{
  self->n_bytes -= (gint64) MIN (n_bytes, G_MAXINT32);
}
