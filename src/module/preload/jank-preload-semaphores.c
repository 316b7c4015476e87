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

#include "jank-preload-locks-private.h"
#include "jank-preload-private.h"

enum
{
  INIT, DESTROY, POST, WAIT, TRYWAIT, TIMEDWAIT, CLOCKWAIT, N_LIBC
};

static const char *const names[N_LIBC] = {
  "sem_init", "sem_destroy", "sem_post", "sem_wait", "sem_trywait", "sem_timedwait", "sem_clockwait",
};
static void *_Atomic nexts[N_LIBC];

#define NEXT(function, parameters) \
  int (*next) parameters = (int (*) parameters) jank_preload_next (&nexts[function], names[function])

static inline int
jank_preload_semaphores_waited (sem_t *sem, int error)
{
  JankHeldPlace place = jank_held_place (&jank_preload_held_locks, sem);
  _Atomic uint64_t *word = error == 0 ? jank_held_find_semaphore (place, place.tag) : NULL;

  if (word != NULL)
    jank_held_write (word, 0, place.tag | jank_preload_locks_get_thread ().tid |
                              (jank_held_read (word, 0) & JANK_HELD_PROVEN));
  return error;
}

EXPORT int
sem_init (sem_t *sem, int is_shared, unsigned value)
{
  NEXT (INIT, (sem_t *, int, unsigned));
  JankHeldPlace place = jank_held_place (&jank_preload_held_locks, sem);
  _Atomic uint64_t *word = jank_held_find_semaphore (place, place.tag);
  bool is_lock = value == 1 && !is_shared && jank_preload_locks_get_thread ().line != NULL;

  if (word == NULL && is_lock)
    word = jank_held_find_semaphore (place, 0);
  if (word != NULL)
    jank_held_write (word, 0, is_lock ? place.tag : 0);
  return next (sem, is_shared, value);
}

EXPORT int
sem_destroy (sem_t *sem)
{
  NEXT (DESTROY, (sem_t *));
  JankHeldPlace place = jank_held_place (&jank_preload_held_locks, sem);
  _Atomic uint64_t *word = jank_held_find_semaphore (place, place.tag);

  if (word != NULL)
    jank_held_write (word, 0, 0);
  return next (sem);
}

EXPORT int
sem_post (sem_t *sem)
{
  NEXT (POST, (sem_t *));
  JankHeldPlace place = jank_held_place (&jank_preload_held_locks, sem);
  _Atomic uint64_t *word = jank_held_find_semaphore (place, place.tag);

  if (word != NULL)
    {
      uint64_t held = place.tag | jank_preload_locks_get_thread ().tid;

      jank_held_write (word, 0, (jank_held_read (word, 0) & ~JANK_HELD_PROVEN) == held
                                  ? place.tag | JANK_HELD_PROVEN : 0);
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

void
jank_preload_semaphores_begin (void)
{
  for (unsigned i = 0; i < N_LIBC; i++)
    jank_preload_next (&nexts[i], names[i]);
}
