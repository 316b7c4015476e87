/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sinks/jank-sinks-private.h"

typedef struct
{
  JankSpans     spans;
  GMainContext *context;
  guint         n_refs;
} HandlerTime;

static GMutex mutex;
static GSList *all; /* of (owned) HandlerTime; under mutex */

JankSpans *
jank_handler_time_ref (GMainContext *context)
{
  HandlerTime *self = NULL;

  g_mutex_lock (&mutex);
  for (GSList *item = all; item != NULL && self == NULL; item = item->next)
    if (((HandlerTime *) item->data)->context == context)
      self = item->data;
  if (self == NULL)
    {
      self = g_new0 (HandlerTime, 1);
      self->context = context;
      all = g_slist_prepend (all, self);
    }
  self->n_refs++;
  g_mutex_unlock (&mutex);
  return &self->spans;
}

void
jank_handler_time_unref (JankSpans *spans)
{
  HandlerTime *self = (HandlerTime *) spans;

  g_mutex_lock (&mutex);
  if (--self->n_refs == 0)
    {
      all = g_slist_remove (all, self);
      g_free (self);
    }
  g_mutex_unlock (&mutex);
}
