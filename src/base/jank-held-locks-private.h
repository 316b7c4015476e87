/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which thread holds which lock, written down by the threads themselves. Any thread, also in a signal's handler;
 * neither locks nor allocates.
 *
 * A table is a set of cache lines. A thread has one line, by its ID, and there a word for each lock that it holds:
 * threads whose IDs are close share no line, so locks that do not touch each other do not slow each other down. Words
 * are written whole: two threads of one line that take the same free word at once lose one of them, so a holder may
 * be missing, but none is ever wrong. What finds its line full is not written down.
 *
 * The preloaded library has one table, which it exports by this name; readers of the process look into it. */

#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define JANK_HELD_LOCKS "jank_preload_held_locks"

#define JANK_HELD_LINE_BITS 9
#define JANK_HELD_LINES     (1u << JANK_HELD_LINE_BITS)
#define JANK_HELD_WORDS     8
#define JANK_HELD_TID_BITS  22 /* the kernel's PID_MAX_LIMIT */
#define JANK_HELD_TID_MASK  ((UINT64_C (1) << JANK_HELD_TID_BITS) - 1)

/* Of a semaphore's word: a thread that had taken it has given it back, as of a lock. */
#define JANK_HELD_PROVEN    (UINT64_C (1) << 63)

/* Of a thread's line: the bits of an ID that the line does not tell. */
#define JANK_HELD_REST_BITS (JANK_HELD_TID_BITS - JANK_HELD_LINE_BITS)
#define JANK_HELD_REST_MASK ((UINT64_C (1) << JANK_HELD_REST_BITS) - 1)

#define JANK_HELD_SET_BITS 11
#define JANK_HELD_SETS     (1u << JANK_HELD_SET_BITS)
#define JANK_HELD_WAYS     2

typedef struct
{
  _Atomic uint64_t               is_on; /* threads that are not known yet write down what they hold */
  _Alignas (64) _Atomic uint64_t words[JANK_HELD_LINES][JANK_HELD_WORDS];
  /* Of one semaphore or another: the upper bits of its address, and the holder's ID or 0. */
  _Atomic uint64_t               semaphores[JANK_HELD_SETS][JANK_HELD_WAYS];
} JankHeldLocks;

/* Where the word of a semaphore may be, and the upper bits of its address, which together are the address. */
typedef struct
{
  _Atomic uint64_t *set;
  uint64_t          tag;
} JankHeldPlace;

static inline JankHeldPlace
jank_held_place (JankHeldLocks *self, const void *sem)
{
  uint64_t at = (uintptr_t) sem >> 3, upper = at >> JANK_HELD_SET_BITS;
  uint64_t set = (at ^ upper ^ upper >> JANK_HELD_SET_BITS) & (JANK_HELD_SETS - 1);

  return (JankHeldPlace) { self->semaphores[set], upper << JANK_HELD_TID_BITS };
}

static inline uint64_t
jank_held_read (_Atomic uint64_t *line, unsigned i)
{
  return atomic_load_explicit (&line[i], memory_order_relaxed);
}

static inline void
jank_held_write (_Atomic uint64_t *line, unsigned i, uint64_t word)
{
  atomic_store_explicit (&line[i], word, memory_order_relaxed);
}

/* Returns: the index of the first word that equals word in these bits, or JANK_HELD_WORDS */
static inline unsigned
jank_held_find (_Atomic uint64_t *line, uint64_t word, uint64_t mask)
{
  unsigned i = 0;

  while (i < JANK_HELD_WORDS && (jank_held_read (line, i) & mask) != word)
    i++;
  return i;
}

/* Locks are aligned to 8 bytes. */
static inline uint64_t
jank_held_word (const void *lock, uint32_t tid)
{
  return ((uint64_t) (uintptr_t) lock >> 3) << JANK_HELD_REST_BITS | tid >> JANK_HELD_LINE_BITS;
}

static inline _Atomic uint64_t *
jank_held_line (JankHeldLocks *self, uint32_t tid)
{
  return self->words[tid & (JANK_HELD_LINES - 1)];
}

static __attribute__ ((noinline, unused)) void
jank_held_replace_behind_first (_Atomic uint64_t *line, uint64_t before, uint64_t after)
{
  unsigned i = jank_held_find (line, before, UINT64_MAX);

  if (i < JANK_HELD_WORDS)
    jank_held_write (line, i, after);
}

/* Mostly a thread holds one lock. */
static inline void
jank_held_replace (_Atomic uint64_t *line, uint64_t before, uint64_t after)
{
  if (__builtin_expect (jank_held_read (line, 0) == before, 1))
    jank_held_write (line, 0, after);
  else
    jank_held_replace_behind_first (line, before, after);
}

/* waiter: 0: nobody. Returns: a thread that holds the lock, waiter if that is one; 0: none. ret_n_holders (out): how
 * many threads do */
static inline int
jank_held_find_thread (JankHeldLocks *self, const void *lock, int waiter, unsigned *ret_n_holders)
{
  int holder = 0;

  *ret_n_holders = 0;
  for (uint32_t i = 0; i < JANK_HELD_LINES * JANK_HELD_WORDS; i++)
    {
      const uint32_t line = i / JANK_HELD_WORDS;
      const uint64_t word = jank_held_read (self->words[line], i % JANK_HELD_WORDS);
      const uint32_t tid = (uint32_t) (word & JANK_HELD_REST_MASK) << JANK_HELD_LINE_BITS | line;

      if (word == 0 || word != jank_held_word (lock, tid) || (int) tid == holder)
        continue;
      ++*ret_n_holders;
      if (holder == 0 || holder != waiter)
        holder = (int) tid;
    }
  return holder;
}

/* Returns: (nullable): where this word is, but for its lower bits */
static inline _Atomic uint64_t *
jank_held_find_semaphore (JankHeldPlace place, uint64_t word)
{
  for (unsigned i = 0; i < JANK_HELD_WAYS; i++)
    if ((jank_held_read (place.set, i) & ~(JANK_HELD_TID_MASK | JANK_HELD_PROVEN)) == word)
      return &place.set[i];
  return NULL;
}

/* Returns: the word of a semaphore that serves as a lock, 0: it is none, or unknown */
static inline uint64_t
jank_held_read_lock (JankHeldLocks *self, const void *sem)
{
  JankHeldPlace place = jank_held_place (self, sem);
  _Atomic uint64_t *word = jank_held_find_semaphore (place, place.tag);
  uint64_t known = word != NULL ? jank_held_read (word, 0) : 0;

  return (known & JANK_HELD_PROVEN) != 0 ? known : 0;
}

/* A thread that holds what it waits for comes first. Of several readers one is named; several holders of an exclusive
 * lock cannot all be right. Returns: a thread's ID; 0: unknown */
static inline int
jank_held_find_holder (JankHeldLocks *self, const void *lock, int waiter, bool is_shared)
{
  unsigned n_holders;
  int holder = jank_held_find_thread (self, lock, waiter, &n_holders);

  if ((uintptr_t) lock % 8 != 0 || !atomic_load_explicit (&self->is_on, memory_order_relaxed))
    return 0;
  if (n_holders != 0)
    return n_holders == 1 || is_shared ? holder : 0;
  holder = (int) (jank_held_read_lock (self, lock) & JANK_HELD_TID_MASK);
  return holder != waiter ? holder : 0;
}
