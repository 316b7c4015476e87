/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which thread holds which lock, written down by the threads themselves. Any thread, also in a signal's handler;
 * neither locks nor allocates.
 *
 * A table is a set of cache lines. A thread has one line, by its ID, and there a word for each lock that it holds:
 * threads whose IDs are close share no line, so locks that do not touch each other do not slow each other down. Words
 * are written whole: two threads of one line that take the same free word at once lose one of them, so a holder may
 * be missing, but none is ever wrong. What finds its line full is not written down. */

#pragma once

#include <stdatomic.h>
#include <stdint.h>

#define JANK_HOLDERS_LINE_BITS 9
#define JANK_HOLDERS_LINES     (1u << JANK_HOLDERS_LINE_BITS)
#define JANK_HOLDERS_WORDS     8
#define JANK_HOLDERS_TID_BITS  22 /* the kernel's PID_MAX_LIMIT */
#define JANK_HOLDERS_TID_MASK  ((UINT64_C (1) << JANK_HOLDERS_TID_BITS) - 1)

/* Of a semaphore's word: a thread that had taken it has given it back, as of a lock. */
#define JANK_HOLDERS_PROVEN    (UINT64_C (1) << 63)

/* Of a thread's line: the bits of an ID that the line does not tell. */
#define JANK_HOLDERS_REST_BITS (JANK_HOLDERS_TID_BITS - JANK_HOLDERS_LINE_BITS)
#define JANK_HOLDERS_REST_MASK ((UINT64_C (1) << JANK_HOLDERS_REST_BITS) - 1)

typedef struct
{
  _Alignas (64) _Atomic uint64_t words[JANK_HOLDERS_LINES][JANK_HOLDERS_WORDS];
} JankHolders;

static inline uint64_t
jank_holders_read (_Atomic uint64_t *line, unsigned i)
{
  return atomic_load_explicit (&line[i], memory_order_relaxed);
}

static inline void
jank_holders_write (_Atomic uint64_t *line, unsigned i, uint64_t word)
{
  atomic_store_explicit (&line[i], word, memory_order_relaxed);
}

/* Returns: the index of the first word that equals word in these bits, or JANK_HOLDERS_WORDS */
static inline unsigned
jank_holders_find (_Atomic uint64_t *line, uint64_t word, uint64_t mask)
{
  unsigned i = 0;

  while (i < JANK_HOLDERS_WORDS && (jank_holders_read (line, i) & mask) != word)
    i++;
  return i;
}

/* Locks are aligned to 8 bytes. */
static inline uint64_t
jank_holders_word (const void *lock, uint32_t tid)
{
  return ((uint64_t) (uintptr_t) lock >> 3) << JANK_HOLDERS_REST_BITS | tid >> JANK_HOLDERS_LINE_BITS;
}

static inline _Atomic uint64_t *
jank_holders_line (JankHolders *self, uint32_t tid)
{
  return self->words[tid & (JANK_HOLDERS_LINES - 1)];
}

static __attribute__ ((noinline, unused)) void
jank_holders_replace_behind_first (_Atomic uint64_t *line, uint64_t before, uint64_t after)
{
  unsigned i = jank_holders_find (line, before, UINT64_MAX);

  if (i < JANK_HOLDERS_WORDS)
    jank_holders_write (line, i, after);
}

/* Mostly a thread holds one lock. */
static inline void
jank_holders_replace (_Atomic uint64_t *line, uint64_t before, uint64_t after)
{
  if (__builtin_expect (jank_holders_read (line, 0) == before, 1))
    jank_holders_write (line, 0, after);
  else
    jank_holders_replace_behind_first (line, before, after);
}

/* waiter: 0: nobody. Returns: a thread that holds the lock, waiter if that is one; 0: none. ret_n_holders (out): how
 * many threads do */
static inline int
jank_holders_find_thread (JankHolders *self, const void *lock, int waiter, unsigned *ret_n_holders)
{
  int holder = 0;

  *ret_n_holders = 0;
  for (uint32_t i = 0; i < JANK_HOLDERS_LINES * JANK_HOLDERS_WORDS; i++)
    {
      const uint32_t line = i / JANK_HOLDERS_WORDS;
      const uint64_t word = jank_holders_read (self->words[line], i % JANK_HOLDERS_WORDS);
      const uint32_t tid = (uint32_t) (word & JANK_HOLDERS_REST_MASK) << JANK_HOLDERS_LINE_BITS | line;

      if (word == 0 || word != jank_holders_word (lock, tid) || (int) tid == holder)
        continue;
      ++*ret_n_holders;
      if (holder == 0 || holder != waiter)
        holder = (int) tid;
    }
  return holder;
}
