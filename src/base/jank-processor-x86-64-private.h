/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What reading memory in a signal handler asks of the processor. For jank-memory-sigsafe-private.h alone. */

#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Returns: what the kernel does, a negative errno for a failure */
JANK_NO_SANITIZE static inline long
jank_memory_syscall_sigsafe (long number, const long arguments[6])
{
  register long r10 __asm__ ("r10") = arguments[3];
  register long r8 __asm__ ("r8") = arguments[4];
  register long r9 __asm__ ("r9") = arguments[5];
  long result;

  __asm__ volatile ("syscall" : "=a" (result)
                    : "a" (number), "D" (arguments[0]), "S" (arguments[1]), "d" (arguments[2]), "r" (r10), "r" (r8), "r" (r9)
                    : "rcx", "r11", "memory");
  return result;
}

/* By valgrind's own no-operation. Valgrind complains of bytes that nobody has written, and of that operation. */
JANK_NO_SANITIZE static inline bool
jank_memory_is_on_valgrind (void)
{
  const uint64_t request[6] = { 0x1001 };
  uint64_t answer = 0;

  __asm__ volatile ("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
                    : "+d" (answer) : "a" (request) : "cc", "memory");
  return answer != 0;
}

JANK_NO_SANITIZE static inline void
jank_memory_move_sigsafe (void *to, uint64_t from, uint64_t n_bytes)
{
  while (n_bytes > 0)
    __asm__ volatile ("rep movsb" : "+D" (to), "+S" (from), "+c" (n_bytes) : : "memory");
}
