/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A program's own memory: its lock is no lock of the C library's, which fork() knows how to treat. */

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define N_BYTES  (UINT64_C (1) << 29) /* of addresses: what is freed is not used again */
#define HEAD     16

static _Alignas (65536) char bytes[N_BYTES];
static size_t n_taken;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock   (void) { pthread_mutex_lock (&mutex); }
static void unlock (void) { pthread_mutex_unlock (&mutex); }

__attribute__ ((constructor)) static void
watch_forks (void)
{
  pthread_atfork (lock, unlock, unlock);
}

void *
memalign (size_t alignment, size_t n)
{
  char *block = NULL;
  size_t from;

  if (alignment < HEAD)
    alignment = HEAD;
  lock ();
  from = (n_taken + HEAD + alignment - 1) & ~(alignment - 1);
  if (n <= N_BYTES - from)
    {
      block = bytes + from;
      n_taken = from + n;
    }
  unlock ();
  if (block == NULL)
    errno = ENOMEM;
  else
    ((size_t *) (void *) block)[-1] = n;
  return block;
}

void *
malloc (size_t n)
{
  return memalign (HEAD, n);
}

void
free (void *block)
{
}

void *
calloc (size_t n, size_t size)
{
  return n != 0 && size > N_BYTES / n ? NULL : malloc (n * size);
}

void *
realloc (void *block, size_t n)
{
  void *grown = malloc (n);
  size_t n_old = block != NULL ? ((size_t *) block)[-1] : 0;

  if (grown != NULL && n_old > 0)
    memcpy (grown, block, n_old < n ? n_old : n);
  return grown;
}

void *
aligned_alloc (size_t alignment, size_t n)
{
  return memalign (alignment, n);
}

int
posix_memalign (void **ret_block, size_t alignment, size_t n)
{
  *ret_block = memalign (alignment, n);
  return *ret_block != NULL ? 0 : ENOMEM;
}
