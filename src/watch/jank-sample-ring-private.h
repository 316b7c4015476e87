/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The last 20 samples of a stall (WeChat Matrix keeps the last 20 stacks of a fixed spacing), except that
 * these 20 always span the whole stall: when full, neighbours merge and the spacing doubles. The sum of
 * the weights never changes by merging. Watcher thread only. */

#pragma once

#include "sample/jank-sample-private.h"

#define JANK_SAMPLE_RING_SIZE 20

typedef struct _JankSampleRing JankSampleRing;

JankSampleRing   *jank_sample_ring_new        (void);
void              jank_sample_ring_free       (JankSampleRing *self);

/* Takes references of the sample's stack and wait; the sample stays the caller's. */
void              jank_sample_ring_add        (JankSampleRing *self, const JankSample *sample);

/* Before the first is added: a full ring forgets its oldest sample, and spans what it spans. */
void              jank_sample_ring_keep_newest (JankSampleRing *self);

/* Adds time to the newest sample. */
void              jank_sample_ring_add_weight (JankSampleRing *self, gint64 weight_ns);

void              jank_sample_ring_rename     (JankSampleRing *self, JankStackRename rename, gpointer data);

guint             jank_sample_ring_get_size   (const JankSampleRing *self);
const JankSample *jank_sample_ring_get        (const JankSampleRing *self, guint i); /* 0: oldest */
/* All of them, oldest first. */
const JankSample *jank_sample_ring_get_all    (const JankSampleRing *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankSampleRing, jank_sample_ring_free)
