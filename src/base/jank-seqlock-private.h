/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A sequence lock: one thread writes and never waits, any thread reads one consistent moment.
 *
 *   writer                               reader
 *   begin: seq := odd                    begin: load seq, wait while odd         (A)
 *   store words ──────────────────────▶  load words                              (B)
 *   end:   seq := even                   end: is seq as before? else start again
 *
 * (A) seq := even releases, the reader's first load acquires: a reader that sees an even number sees all of that
 * write. (B) every store of data releases, every load of data acquires: a reader that got one new word also sees that
 * seq has moved. All shared data are atomic words, so nothing races. On x86-64 all of these are plain moves.
 *
 * A reader gives up after 50 ms: the writer may have lost its CPU, or be stopped, in mid-write. libc only. */

#pragma once

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "base/jank-clock-private.h"

#define JANK_SEQLOCK_MAX_WAIT_NS (50 * JANK_NS_PER_MS)
#define JANK_SEQLOCK_N_YIELDS    20
#define JANK_SEQLOCK_NAP_NS      (20 * JANK_NS_PER_US)

/* All zero is unlocked. */
typedef struct
{
  _Atomic uint32_t seq; /* odd while the data change */
} JankSeqlock;

/* One attempt to read; all zero before the first. */
typedef struct
{
  uint32_t seq;
  unsigned n_tries;
  int64_t  until_ns;
} JankSeqlockReader;

/* Writer. */
static inline void
jank_seqlock_begin (JankSeqlock *self)
{
  uint32_t seq = atomic_load_explicit (&self->seq, memory_order_relaxed);

  /* Stays before the data, whose stores release. */
  atomic_store_explicit (&self->seq, seq + 1, memory_order_relaxed);
}

/* Writer. Pairs with jank_seqlock_read_begin(). */
static inline void
jank_seqlock_end (JankSeqlock *self)
{
  uint32_t seq = atomic_load_explicit (&self->seq, memory_order_relaxed);

  atomic_store_explicit (&self->seq, seq + 1, memory_order_release);
}

/* Writer, between begin and end. */
static inline void
jank_seqlock_store (_Atomic uint64_t *words, const void *from, size_t n_words)
{
  for (size_t i = 0; i < n_words; i++)
    {
      uint64_t word;

      memcpy (&word, (const char *) from + i * sizeof word, sizeof word);
      atomic_store_explicit (&words[i], word, memory_order_release);
    }
}

/* Reader, between begin and end; the writer at any time. */
static inline void
jank_seqlock_load (const _Atomic uint64_t *words, void *to, size_t n_words)
{
  for (size_t i = 0; i < n_words; i++)
    {
      uint64_t word = atomic_load_explicit (&words[i], memory_order_acquire);

      memcpy ((char *) to + i * sizeof word, &word, sizeof word);
    }
}

/* Reader: call until it returns false, which means to give up, or until jank_seqlock_read_end() returns true. */
static inline bool
jank_seqlock_read_begin (const JankSeqlock *self, JankSeqlockReader *reader)
{
  do
    {
      int64_t now_ns = jank_clock_now_ns ();

      if (reader->n_tries == 0)
        reader->until_ns = now_ns + JANK_SEQLOCK_MAX_WAIT_NS;
      else if (now_ns >= reader->until_ns)
        return false;
      else if (reader->n_tries <= JANK_SEQLOCK_N_YIELDS)
        sched_yield ();
      else
        nanosleep (&(struct timespec) { 0, JANK_SEQLOCK_NAP_NS }, NULL);
      reader->n_tries++;
      reader->seq = atomic_load_explicit (&self->seq, memory_order_acquire);
    }
  while (reader->seq % 2 != 0);
  return true;
}

/* Reader: whether what was loaded since begin is of one moment. */
static inline bool
jank_seqlock_read_end (const JankSeqlock *self, const JankSeqlockReader *reader)
{
  /* Stays after the data, whose loads acquire. */
  return atomic_load_explicit (&self->seq, memory_order_relaxed) == reader->seq;
}
