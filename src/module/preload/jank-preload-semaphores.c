/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Semaphores that serve as locks, Python's threading.Lock among them: those that begin as 1, of which only the holder
 * posts, and has done so. Once another thread has posted, a semaphore is a signal, which has no holder.
 *
 * Any thread may post, so a semaphore has a word by its address, which stays while nobody holds it. What finds no
 * free word is not written down. Any thread, sem_post() also in a signal's handler. errno is the C library's. */

#include <semaphore.h>
#include <stdbool.h>
#include <time.h>

#include "jank-preload-holders-private.h"
#include "jank-preload-locks-private.h"
#include "jank-preload-private.h"

#define SET_BITS 11
#define N_SETS   (1u << SET_BITS)
#define N_WAYS   2

enum
{
  INIT,
  DESTROY,
  POST,
  WAIT,
  TRYWAIT,
  TIMEDWAIT,
  CLOCKWAIT,
  N_LIBC
};

static const char *const names[N_LIBC] = {
  "sem_init", "sem_destroy", "sem_post", "sem_wait", "sem_trywait", "sem_timedwait", "sem_clockwait",
};
static void *_Atomic nexts[N_LIBC];

/* Words of one semaphore or another: the upper bits of its address, and the holder's ID or 0. */
static _Atomic uint64_t table[N_SETS][N_WAYS];

#define NEXT(function, parameters) \
  int (*next) parameters = (int (*) parameters) jank_preload_next (&nexts[function], names[function])

/* Where the word of a semaphore may be, and the upper bits of its address, which together are the address. */
typedef struct
{
  _Atomic uint64_t *set;
  uint64_t          tag;
} Place;

static inline Place
jank_preload_semaphores_place (const void *sem)
{
  uint64_t at = (uintptr_t) sem >> 3, upper = at >> SET_BITS;
  uint64_t set = (at ^ upper ^ upper >> SET_BITS) & (N_SETS - 1);

  return (Place) { table[set], upper << JANK_HOLDERS_TID_BITS };
}

/* Returns: (nullable): where this word is, but for its lower bits */
static inline _Atomic uint64_t *
jank_preload_semaphores_find (Place place, uint64_t word)
{
  for (unsigned i = 0; i < N_WAYS; i++)
    if ((jank_holders_read (place.set, i) & ~(JANK_HOLDERS_TID_MASK | JANK_HOLDERS_PROVEN)) == word)
      return &place.set[i];
  return NULL;
}

static inline int
jank_preload_semaphores_waited (sem_t *sem, int error)
{
  Place place = jank_preload_semaphores_place (sem);
  _Atomic uint64_t *word = error == 0 ? jank_preload_semaphores_find (place, place.tag) : NULL;

  if (word != NULL)
    jank_holders_write (word, 0, place.tag | jank_preload_locks_get_thread ().tid |
                                 (jank_holders_read (word, 0) & JANK_HOLDERS_PROVEN));
  return error;
}

EXPORT int
sem_init (sem_t *sem, int is_shared, unsigned value)
{
  NEXT (INIT, (sem_t *, int, unsigned));
  Place place = jank_preload_semaphores_place (sem);
  _Atomic uint64_t *word = jank_preload_semaphores_find (place, place.tag);
  bool is_lock = value == 1 && !is_shared && jank_preload_locks_get_thread ().line != NULL;

  if (word == NULL && is_lock)
    word = jank_preload_semaphores_find (place, 0);
  if (word != NULL)
    jank_holders_write (word, 0, is_lock ? place.tag : 0);
  return next (sem, is_shared, value);
}

EXPORT int
sem_destroy (sem_t *sem)
{
  NEXT (DESTROY, (sem_t *));
  Place place = jank_preload_semaphores_place (sem);
  _Atomic uint64_t *word = jank_preload_semaphores_find (place, place.tag);

  if (word != NULL)
    jank_holders_write (word, 0, 0);
  return next (sem);
}

EXPORT int
sem_post (sem_t *sem)
{
  NEXT (POST, (sem_t *));
  Place place = jank_preload_semaphores_place (sem);
  _Atomic uint64_t *word = jank_preload_semaphores_find (place, place.tag);

  if (word != NULL)
    {
      uint64_t held = place.tag | jank_preload_locks_get_thread ().tid;

      jank_holders_write (word, 0, (jank_holders_read (word, 0) & ~JANK_HOLDERS_PROVEN) == held
                                     ? place.tag | JANK_HOLDERS_PROVEN : 0);
    }
  return next (sem);
}

EXPORT int
sem_wait (sem_t *sem)
{
  NEXT (WAIT, (sem_t *));

  return jank_preload_semaphores_waited (sem, next (sem));
}

EXPORT int
sem_trywait (sem_t *sem)
{
  NEXT (TRYWAIT, (sem_t *));

  return jank_preload_semaphores_waited (sem, next (sem));
}

EXPORT int
sem_timedwait (sem_t *restrict sem, const struct timespec *restrict until)
{
  NEXT (TIMEDWAIT, (sem_t *, const struct timespec *));

  return jank_preload_semaphores_waited (sem, next (sem, until));
}

EXPORT int
sem_clockwait (sem_t *restrict sem, clockid_t clock, const struct timespec *restrict until)
{
  NEXT (CLOCKWAIT, (sem_t *, clockid_t, const struct timespec *));

  return jank_preload_semaphores_waited (sem, next (sem, clock, until));
}

int
jank_preload_semaphores_find_holder (const void *lock, int waiter, bool *ret_is_lock)
{
  Place place = jank_preload_semaphores_place (lock);
  _Atomic uint64_t *word = jank_preload_semaphores_find (place, place.tag);
  uint64_t known = word != NULL ? jank_holders_read (word, 0) : 0;
  int tid = (int) (known & JANK_HOLDERS_TID_MASK);

  *ret_is_lock = (known & JANK_HOLDERS_PROVEN) != 0;
  return *ret_is_lock && tid != waiter ? tid : 0;
}

void
jank_preload_semaphores_begin (void)
{
  for (unsigned i = 0; i < N_LIBC; i++)
    jank_preload_next (&nexts[i], names[i]);
}
