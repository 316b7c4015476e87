/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/jank-memory-private.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/jank-clock-private.h"

/* From 128 KB on glibc's malloc() maps each piece for itself. */
#define PIECE_BYTES ((size_t) 120 * 1024)
#define MAX_PIECES  (JANK_MEMORY_MAX_ROOM / PIECE_BYTES + 2)

/* Other allocators keep what is freed from being used again for a while, as the address sanitizer's does. */
#define FOUND_AGE_NS JANK_NS_PER_S

/* 0: ask */
static _Thread_local pid_t kept_pid;
static _Thread_local bool is_other;
static _Thread_local unsigned n_reads_left = UINT_MAX; /* that: no limit */
static _Thread_local void *heap_end; /* (owned) (nullable) */
static _Thread_local size_t found_bytes;
static _Thread_local int64_t found_ns;

void
jank_memory_set_pid (pid_t pid)
{
  kept_pid = pid;
  is_other = pid != getpid ();
}

pid_t
jank_memory_get_pid (void)
{
  return kept_pid != 0 ? kept_pid : getpid ();
}

pid_t
jank_memory_get_other (void)
{
  return is_other ? kept_pid : 0;
}

unsigned
jank_memory_begin_budget (unsigned n_reads)
{
  unsigned before = n_reads_left;

  n_reads_left = before < n_reads ? before : n_reads;
  return before;
}

void
jank_memory_end_budget (const unsigned *before)
{
  n_reads_left = *before;
}

static bool
jank_memory_may_read (void)
{
  if (n_reads_left == 0)
    return false;
  n_reads_left -= n_reads_left != UINT_MAX;
  return true;
}

size_t
jank_memory_read_of (pid_t pid, uint64_t address, void *buffer, size_t n_bytes)
{
  size_t done = 0;

  if (!jank_memory_may_read ())
    return 0;
  if (pid == 0)
    pid = jank_memory_get_pid ();

  /* The kernel answers per iovec: one remote iovec per page gives the readable part of a range. */
  while (done < n_bytes)
    {
      struct iovec local = { (char *) buffer + done, n_bytes - done };
      struct iovec remote = { (void *) (uintptr_t) (address + done), n_bytes - done };
      ssize_t n = process_vm_readv (pid, &local, 1, &remote, 1, 0);

      if (n <= 0)
        {
          size_t page_left = JANK_MEMORY_PAGE_BYTES - (address + done) % JANK_MEMORY_PAGE_BYTES;

          if (page_left >= n_bytes - done)
            break;
          local.iov_len = remote.iov_len = page_left;
          n = process_vm_readv (pid, &local, 1, &remote, 1, 0);
          if (n <= 0)
            break;
        }
      done += (size_t) n;
    }

  return done;
}

size_t
jank_memory_read (uint64_t address, void *buffer, size_t n_bytes)
{
  return jank_memory_read_of (0, address, buffer, n_bytes);
}

bool
jank_memory_read_all_of (pid_t pid, uint64_t address, void *buffer, size_t n_bytes)
{
  return jank_memory_read_of (pid, address, buffer, n_bytes) == n_bytes;
}

bool
jank_memory_read_all (uint64_t address, void *buffer, size_t n_bytes)
{
  return jank_memory_read_all_of (0, address, buffer, n_bytes);
}

bool
jank_memory_read_pieces (const JankMemoryPiece *pieces, unsigned n_pieces)
{
  struct iovec local[JANK_MEMORY_MAX_PIECES], remote[JANK_MEMORY_MAX_PIECES];
  ssize_t n_bytes = 0;

  for (unsigned i = 0; i < n_pieces; i++)
    {
      local[i] = (struct iovec) { pieces[i].buffer, pieces[i].n_bytes };
      remote[i] = (struct iovec) { (void *) (uintptr_t) pieces[i].address, pieces[i].n_bytes };
      n_bytes += (ssize_t) pieces[i].n_bytes;
    }
  return jank_memory_may_read () &&
         process_vm_readv (jank_memory_get_pid (), local, n_pieces, remote, n_pieces, 0) == n_bytes;
}

/* A try is the only answer that holds for all limits: RLIMIT_AS, RLIMIT_DATA, RLIMIT_MEMLOCK after mlockall(), the
 * number of mappings, and the system's own. What was tried stays in the thread's heap: the C library gives back only
 * what is free at a heap's end, and there the last piece remains. */
bool
jank_memory_has_room (size_t n_bytes)
{
  void *pieces[MAX_PIECES];
  size_t n_asked = n_bytes / PIECE_BYTES + (heap_end == NULL ? 2 : 1), n = 0, last = 0;
  int64_t now_ns = jank_clock_now_ns ();

  if (n_bytes <= found_bytes && now_ns - found_ns < FOUND_AGE_NS)
    return true;
  while (n < n_asked && (pieces[n] = malloc (PIECE_BYTES)) != NULL)
    {
      if ((uintptr_t) pieces[n] > (uintptr_t) pieces[last])
        last = n;
      n++;
    }
  if (n == n_asked && (uintptr_t) pieces[last] > (uintptr_t) heap_end)
    {
      void *before = heap_end;

      heap_end = pieces[last];
      pieces[last] = before;
    }
  for (size_t i = 0; i < n; i++)
    free (pieces[i]);
  found_bytes = n == n_asked ? n_bytes : 0;
  found_ns = now_ns;
  return n == n_asked;
}

void
jank_memory_leave_room (void)
{
  free (heap_end);
  heap_end = NULL;
  found_bytes = 0;
}

bool
jank_memory_read_text (uint64_t address, char *buffer, size_t n_bytes)
{
  size_t n;

  if (n_bytes == 0)
    return false;
  n = jank_memory_read (address, buffer, n_bytes - 1);
  buffer[n] = '\0';
  return n > 0;
}
