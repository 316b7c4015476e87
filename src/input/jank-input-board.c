/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "input/jank-input-board-private.h"

#include <assert.h>

/* Nobody feels less. */
#define FELT_NS (50 * JANK_NS_PER_MS)

/* Of a press and a release at the same time the press is the one that is told. */
#define SAME_NS (5 * JANK_NS_PER_MS)

/* What waited behind a stall is handled at once when that ends. */
#define BEHIND_NS (100 * JANK_NS_PER_MS)

static_assert (sizeof (JankInteraction) % sizeof (uint64_t) == 0, "interactions are whole words");

static void
jank_input_board_store (JankInputBoard *self, uint64_t i, const JankInteraction *interaction)
{
  jank_seqlock_store (self->kept[i % JANK_INPUT_N_KEPT], interaction, JANK_INTERACTION_N_WORDS);
}

uint64_t
jank_input_board_push (JankInputBoard *self, const JankInteraction *interaction)
{
  uint64_t n = atomic_load_explicit (&self->n, memory_order_relaxed);

  jank_seqlock_begin (&self->lock);
  jank_input_board_store (self, n, interaction);
  atomic_store_explicit (&self->n, n + 1, memory_order_release);
  jank_seqlock_end (&self->lock);
  return n;
}

static void
jank_input_board_replace (JankInputBoard *self, uint64_t number, const JankInteraction *interaction)
{
  if (atomic_load_explicit (&self->n, memory_order_relaxed) - number <= JANK_INPUT_N_KEPT)
    jank_input_board_store (self, number, interaction);
}

void
jank_input_board_change (JankInputBoard *self, uint64_t number, const JankInteraction *interaction)
{
  jank_seqlock_begin (&self->lock);
  jank_input_board_replace (self, number, interaction);
  jank_seqlock_end (&self->lock);
}

/* A press and its release are one click, which took as long as the longer one. */
static void
jank_input_board_count (JankInputBoard *self, uint64_t kind, int64_t length_ns)
{
  bool is_counted = kind == JANK_INTERACTION_RELEASE && self->pressed_ns != 0;

  if (is_counted && length_ns > self->pressed_ns)
    jank_times_count (&self->answered, self->pressed_ns, -1);
  if (!is_counted || length_ns > self->pressed_ns)
    jank_times_add (&self->answered, length_ns);
  if (kind == JANK_INTERACTION_PRESS || kind == JANK_INTERACTION_RELEASE)
    self->pressed_ns = kind == JANK_INTERACTION_PRESS ? length_ns : 0;
}

void
jank_input_board_answer (JankInputBoard *self, uint64_t number, const JankInteraction *interaction)
{
  int64_t length_ns = interaction->answered_ns - interaction->stamp_ns;
  _Atomic uint64_t *n_of = &self->n_answered[interaction->kind];

  jank_seqlock_begin (&self->lock);
  jank_input_board_replace (self, number, interaction);
  if (length_ns >= atomic_load_explicit (&self->answered.longest_ns, memory_order_relaxed))
    jank_seqlock_store (self->longest, interaction, JANK_INTERACTION_N_WORDS);
  jank_input_board_count (self, interaction->kind, length_ns);
  atomic_store_explicit (n_of, atomic_load_explicit (n_of, memory_order_relaxed) + 1, memory_order_release);
  jank_seqlock_end (&self->lock);
}

void
jank_input_board_present (JankInputBoard *self, int64_t length_ns)
{
  jank_seqlock_begin (&self->lock);
  jank_times_add (&self->presented, length_ns);
  jank_seqlock_end (&self->lock);
}

bool
jank_input_board_sum_up (JankInputBoard *self, JankInputFigures *ret_figures)
{
  JankSeqlockReader reader = { 0 };

  while (jank_seqlock_read_begin (&self->lock, &reader))
    {
      jank_times_read (&self->answered, &ret_figures->answered);
      jank_times_read (&self->presented, &ret_figures->presented);
      for (unsigned i = 0; i < JANK_N_INTERACTIONS; i++)
        ret_figures->n_of[i] = atomic_load_explicit (&self->n_answered[i], memory_order_acquire);
      ret_figures->n_motion = atomic_load_explicit (&self->n_motion, memory_order_relaxed);
      jank_seqlock_load (self->longest, &ret_figures->longest, JANK_INTERACTION_N_WORDS);
      if (jank_seqlock_read_end (&self->lock, &reader))
        return true;
    }
  return false;
}

unsigned
jank_input_board_read (JankInputBoard *self, JankInteraction *kept)
{
  JankSeqlockReader reader = { 0 };

  while (jank_seqlock_read_begin (&self->lock, &reader))
    {
      uint64_t n = atomic_load_explicit (&self->n, memory_order_acquire);
      unsigned n_kept = n < JANK_INPUT_N_KEPT ? (unsigned) n : JANK_INPUT_N_KEPT;

      for (unsigned i = 0; i < n_kept; i++)
        jank_seqlock_load (self->kept[(n - n_kept + i) % JANK_INPUT_N_KEPT], &kept[i], JANK_INTERACTION_N_WORDS);
      if (jank_seqlock_read_end (&self->lock, &reader))
        return n_kept;
    }
  return 0;
}

/* 0: it did not wait for that. */
static int64_t
jank_input_board_get_waited (const JankInteraction *interaction, int64_t began_ns, int64_t ended_ns)
{
  if (interaction->handled_ns >= began_ns && interaction->handled_ns < ended_ns)
    return ended_ns - interaction->stamp_ns;
  if (interaction->stamp_ns < ended_ns && interaction->handled_ns >= ended_ns &&
      interaction->handled_ns - ended_ns < BEHIND_NS)
    return interaction->handled_ns - interaction->stamp_ns;
  return 0;
}

bool
jank_input_board_find (JankInputBoard *self, int64_t began_ns, int64_t ended_ns, JankInteraction *ret_interaction,
                       int64_t *ret_waited_ns)
{
  JankInteraction kept[JANK_INPUT_N_KEPT];
  unsigned n_kept = jank_input_board_read (self, kept);
  int64_t longest_ns = 0;

  for (unsigned i = 0; i < n_kept; i++)
    {
      int64_t waited_ns = jank_input_board_get_waited (&kept[i], began_ns, ended_ns);

      if (waited_ns < FELT_NS || (longest_ns != 0 && waited_ns < longest_ns + SAME_NS))
        continue;
      *ret_interaction = kept[i];
      *ret_waited_ns = longest_ns = waited_ns;
    }
  return longest_ns != 0;
}

bool
jank_input_board_is_named (JankInputBoard *self, int64_t at_ns)
{
  JankInteraction kept[JANK_INPUT_N_KEPT];
  unsigned n_kept = jank_input_board_read (self, kept);

  for (unsigned i = 0; i < n_kept; i++)
    if (kept[i].stamp_ns < at_ns && kept[i].handled_ns >= at_ns && kept[i].widget[0] != '\0')
      return true;
  return false;
}
