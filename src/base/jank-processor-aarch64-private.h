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
  register long x8 __asm__ ("x8") = number;
  register long x0 __asm__ ("x0") = arguments[0];
  register long x1 __asm__ ("x1") = arguments[1];
  register long x2 __asm__ ("x2") = arguments[2];
  register long x3 __asm__ ("x3") = arguments[3];
  register long x4 __asm__ ("x4") = arguments[4];
  register long x5 __asm__ ("x5") = arguments[5];

  __asm__ volatile ("svc #0" : "+r" (x0) : "r" (x8), "r" (x1), "r" (x2), "r" (x3), "r" (x4), "r" (x5) : "memory");
  return x0;
}

/* By valgrind's own no-operation. Valgrind complains of bytes that nobody has written, and of that operation. */
JANK_NO_SANITIZE static inline bool
jank_memory_is_on_valgrind (void)
{
  const uint64_t request[6] = { 0x1001 };
  register uint64_t answer __asm__ ("x3") = 0;
  register const uint64_t *x4 __asm__ ("x4") = request;

  __asm__ volatile ("ror x12, x12, #3; ror x12, x12, #13; ror x12, x12, #51; ror x12, x12, #61; orr x10, x10, x10"
                    : "+r" (answer) : "r" (x4) : "cc", "memory", "x12");
  return answer != 0;
}

JANK_NO_SANITIZE static inline void
jank_memory_move_sigsafe (void *to, uint64_t from, uint64_t n_bytes)
{
  uint64_t a, b;

  for (; n_bytes >= 16; n_bytes -= 16)
    __asm__ volatile ("ldp %2, %3, [%1], #16; stp %2, %3, [%0], #16"
                      : "+r" (to), "+r" (from), "=&r" (a), "=&r" (b) : : "memory");
  for (; n_bytes > 0; n_bytes--)
    __asm__ volatile ("ldrb %w2, [%1], #1; strb %w2, [%0], #1" : "+r" (to), "+r" (from), "=&r" (a) : : "memory");
}
