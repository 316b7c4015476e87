/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "sample/jank-sample-ring-private.h"

struct _JankSampleRing
{
  JankSample samples[JANK_SAMPLE_RING_SIZE];
  guint      n_samples;
  guint      stride;  /* samples taken per sample kept */
  guint      n_taken; /* into the newest one */
};

JankSampleRing *
jank_sample_ring_new (void)
{
  JankSampleRing *self = g_new0 (JankSampleRing, 1);

  self->stride = 1;
  return self;
}

static void
set_stack (JankSample *sample, JankStack *stack)
{
  JankStack *old = sample->stack;

  sample->stack = stack != NULL ? jank_stack_ref (stack) : NULL;
  if (old != NULL)
    jank_stack_unref (old);
}

void
jank_sample_ring_free (JankSampleRing *self)
{
  for (guint i = 0; i < self->n_samples; i++)
    set_stack (&self->samples[i], NULL);
  g_free (self);
}

/* Two neighbours become one that stands for both: the stack of the heavier, of the newer when equal. */
static void
merge (JankSample *older, const JankSample *newer)
{
  gint64 weight_ns = older->weight_ns + newer->weight_ns;
  gint64 cost_ns = older->cost_ns + newer->cost_ns;
  gboolean take_newer = newer->stack != NULL && (older->stack == NULL || newer->weight_ns >= older->weight_ns);

  if (take_newer)
    {
      set_stack (older, newer->stack);
      older->method = newer->method;
      older->syscall = newer->syscall;
    }
  older->weight_ns = weight_ns;
  older->cost_ns = cost_ns;
}

static void
halve (JankSampleRing *self)
{
  for (guint i = 0; i < JANK_SAMPLE_RING_SIZE / 2; i++)
    {
      JankSample *newer = &self->samples[2 * i + 1];

      merge (&self->samples[2 * i], newer);
      set_stack (newer, NULL);
      if (i > 0)
        {
          self->samples[i] = self->samples[2 * i];
          self->samples[2 * i].stack = NULL;
        }
    }
  self->n_samples = JANK_SAMPLE_RING_SIZE / 2;
  self->stride *= 2;
  self->n_taken = self->stride;
}

void
jank_sample_ring_add (JankSampleRing *self, const JankSample *sample)
{
  JankSample *slot;

  if (self->n_samples > 0 && self->n_taken < self->stride)
    {
      merge (&self->samples[self->n_samples - 1], sample);
      self->n_taken++;
      return;
    }
  if (self->n_samples == JANK_SAMPLE_RING_SIZE)
    halve (self);

  slot = &self->samples[self->n_samples++];
  *slot = *sample;
  slot->stack = sample->stack != NULL ? jank_stack_ref (sample->stack) : NULL;
  self->n_taken = 1;
}

void
jank_sample_ring_add_weight (JankSampleRing *self, gint64 weight_ns)
{
  if (self->n_samples > 0)
    self->samples[self->n_samples - 1].weight_ns += weight_ns;
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
