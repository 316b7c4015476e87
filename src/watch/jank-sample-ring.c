/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "watch/jank-stall-private.h"

#include <string.h>

struct _JankSampleRing
{
  JankSample samples[JANK_SAMPLE_RING_SIZE];
  guint      n_samples;
  guint      stride;  /* samples taken per sample kept */
  guint      n_taken; /* into the newest one */
  gboolean   keeps_newest;
};

JankSampleRing *
jank_sample_ring_new (void)
{
  JankSampleRing *self = g_new0 (JankSampleRing, 1);

  self->stride = 1;
  return self;
}

/* to: not one of the ring's yet, or cleared */
static void
jank_sample_ring_copy (JankSample *to, const JankSample *from)
{
  *to = *from;
  to->taken_ns = from->taken_ns != 0 ? from->taken_ns : from->at_ns;
  if (to->stack != NULL)
    jank_stack_ref (to->stack);
  if (to->wait != NULL)
    jank_wait_ref (to->wait);
}

void
jank_sample_ring_free (JankSampleRing *self)
{
  for (guint i = 0; i < self->n_samples; i++)
    jank_sample_clear (&self->samples[i]);
  g_free (self);
}

/* Two neighbours become one that stands for both: what the heavier found, the newer when equal. */
static void
jank_sample_ring_merge (JankSample *older, const JankSample *newer)
{
  gint64 at_ns = older->at_ns;
  gint64 weight_ns = older->weight_ns + newer->weight_ns;
  gboolean take_newer = newer->stack != NULL && (older->stack == NULL || newer->weight_ns >= older->weight_ns);

  if (take_newer)
    {
      jank_sample_clear (older);
      jank_sample_ring_copy (older, newer);
    }
  older->at_ns = at_ns;
  older->weight_ns = weight_ns;
}

static void
jank_sample_ring_halve (JankSampleRing *self)
{
  for (guint i = 0; i < JANK_SAMPLE_RING_SIZE / 2; i++)
    {
      JankSample *older = &self->samples[2 * i], *newer = &self->samples[2 * i + 1];

      jank_sample_ring_merge (older, newer);
      jank_sample_clear (newer);
      if (i > 0)
        {
          self->samples[i] = *older;
          older->stack = NULL;
          older->wait = NULL;
        }
    }
  self->n_samples = JANK_SAMPLE_RING_SIZE / 2;
  self->stride *= 2;
  self->n_taken = self->stride;
}

void
jank_sample_ring_keep_newest (JankSampleRing *self)
{
  g_assert (self->n_samples == 0);
  self->keeps_newest = TRUE;
}

void
jank_sample_ring_add (JankSampleRing *self, const JankSample *sample)
{
  if (self->n_samples > 0 && self->n_taken < self->stride)
    {
      jank_sample_ring_merge (&self->samples[self->n_samples - 1], sample);
      self->n_taken++;
      return;
    }
  if (self->n_samples == JANK_SAMPLE_RING_SIZE && self->keeps_newest)
    {
      jank_sample_clear (&self->samples[0]);
      memmove (&self->samples[0], &self->samples[1], (JANK_SAMPLE_RING_SIZE - 1) * sizeof self->samples[0]);
      self->n_samples--;
    }
  else if (self->n_samples == JANK_SAMPLE_RING_SIZE)
    jank_sample_ring_halve (self);

  jank_sample_ring_copy (&self->samples[self->n_samples++], sample);
  self->n_taken = 1;
}

void
jank_sample_ring_add_weight (JankSampleRing *self, gint64 weight_ns)
{
  if (self->n_samples > 0)
    self->samples[self->n_samples - 1].weight_ns += weight_ns;
}

void
jank_sample_ring_rename (JankSampleRing *self, JankStackRename rename, gpointer data)
{
  for (guint i = 0; i < self->n_samples; i++)
    if (self->samples[i].stack != NULL)
      self->samples[i].stack = rename (self->samples[i].stack, data);
}

guint
jank_sample_ring_get_size (const JankSampleRing *self)
{
  return self->n_samples;
}

const JankSample *
jank_sample_ring_get (const JankSampleRing *self, guint i)
{
  g_assert (i < self->n_samples);
  return &self->samples[i];
}

const JankSample *
jank_sample_ring_get_all (const JankSampleRing *self)
{
  return self->samples;
}
