/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads this process's own memory, or another's that it may trace, without ever faulting: memory that another thread
 * unmaps or frees in the meantime gives a short read instead of a crash. Any thread; no locks; not for handlers. */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Of the smallest pages that Linux has. Larger ones, of 16 or 64 KB, consist of such: some are asked more than once. */
#define JANK_MEMORY_PAGE_BYTES 4096

/* That may be asked for at once. */
#define JANK_MEMORY_MAX_ROOM   ((size_t) 4 << 20)

#if defined (__clang__)
#define JANK_NO_SANITIZE __attribute__ ((no_sanitize ("address", "thread", "undefined")))
#else
#define JANK_NO_SANITIZE __attribute__ ((no_sanitize_address, no_sanitize_thread, no_sanitize_undefined))
#endif

/* base/jank-processor-NAME-private.h, of the processor that this is built for. */
#include JANK_PROCESSOR

/* Which process this thread reads: its own, until it is told otherwise. A thread that never forks tells its own, and is
 * spared asking the system for it. The reads of files in /proc follow (jank_proc_path()), and those of loaded files. */
void   jank_memory_set_pid   (pid_t pid);
pid_t  jank_memory_get_pid   (void);
/* 0: it reads its own. */
pid_t  jank_memory_get_other (void);

/* Copies up to n_bytes from address; returns the number copied before the first unreadable page. */
size_t jank_memory_read      (uint64_t address, void *buffer, size_t n_bytes);

/* All of n_bytes or false. */
bool   jank_memory_read_all  (uint64_t address, void *buffer, size_t n_bytes);

/* The same of another process; pid 0: the one that this thread reads. */
size_t jank_memory_read_of     (pid_t pid, uint64_t address, void *buffer, size_t n_bytes);
bool   jank_memory_read_all_of (pid_t pid, uint64_t address, void *buffer, size_t n_bytes);

typedef struct
{
  uint64_t address;
  void    *buffer;
  size_t   n_bytes;
} JankMemoryPiece;

#define JANK_MEMORY_MAX_PIECES 16

/* All pieces in one system call, in their order, or false. */
bool   jank_memory_read_pieces (const JankMemoryPiece *pieces, unsigned n_pieces);

/* To the end of the block this thread reads at most n times: a list that another program keeps may have no end, or a
 * million members. Of blocks within each other the smaller number counts. */
#define JANK_MEMORY_BUDGET(n) \
  __attribute__ ((cleanup (jank_memory_end_budget))) const unsigned budget_before = jank_memory_begin_budget (n)

unsigned jank_memory_begin_budget (unsigned n_reads);
void     jank_memory_end_budget   (const unsigned *before);

/* Whether word is one of words. */
static inline bool
jank_memory_has_word (const uint64_t *words, size_t n_words, uint64_t word)
{
  for (size_t i = 0; i < n_words; i++)
    if (words[i] == word)
      return true;
  return false;
}

/* Whether this thread's heap has n_bytes, in small pieces, or gets them. GLib's allocations end a program that may
 * have no more memory; what was found stays this thread's, so a limit that is set afterwards does not reach it.
 * Looked for once a second at most; no system call where it is there. */
bool   jank_memory_has_room  (size_t n_bytes);

/* At the end of a thread that asked for room. */
void   jank_memory_leave_room (void);

/* A NUL-terminated string, cut to n_bytes - 1; false when its first byte is unreadable. */
bool   jank_memory_read_text (uint64_t address, char *buffer, size_t n_bytes);
