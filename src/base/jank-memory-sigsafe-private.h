/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads this process's own memory in a signal handler. The kernel copies: memory that cannot be read ends the copy, not the
 * program. Inline, since a library's function may be intercepted and sets errno. */

#pragma once

#include <stdint.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#if defined (__clang__)
#define JANK_NO_SANITIZE __attribute__ ((no_sanitize ("address", "thread", "undefined")))
#else
#define JANK_NO_SANITIZE __attribute__ ((no_sanitize_address, no_sanitize_thread, no_sanitize_undefined))
#endif

/* pid: our own. Returns: the number of bytes copied before the first unreadable page */
JANK_NO_SANITIZE static inline long
jank_memory_read_sigsafe (long pid, void *to, uint64_t from, uint64_t n_bytes)
{
  struct iovec local = { to, n_bytes }, remote = { (void *) from, n_bytes };
  register long r10 __asm__ ("r10") = (long) &remote;
  register long r8 __asm__ ("r8") = 1;
  register long r9 __asm__ ("r9") = 0;
  long n;

  __asm__ volatile ("syscall" : "=a" (n)
                    : "a" (SYS_process_vm_readv), "D" (pid), "S" (&local), "d" (1L), "r" (r10), "r" (r8), "r" (r9)
                    : "rcx", "r11", "memory");
  return n > 0 ? n : 0;
}
