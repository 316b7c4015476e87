/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Bounds the bytes that are written a second. What a write takes is known only afterwards, so the bucket may go
 * into debt by one write: in any time t at most capacity + rate · t + one write. Pure. */

#pragma once

#include <glib.h>

typedef struct
{
  gint64 rate;      /* bytes per second */
  gint64 capacity;  /* bytes that may come at once */
  gint64 n_bytes;   /* in it, less than 0: debt */
  gint64 last_ns;
} JankTokenBucket;

void     jank_token_bucket_init  (JankTokenBucket *self, gint64 rate, gint64 capacity, gint64 now_ns);
gboolean jank_token_bucket_has   (JankTokenBucket *self, gint64 now_ns);
void     jank_token_bucket_spend (JankTokenBucket *self, gsize n_bytes);
