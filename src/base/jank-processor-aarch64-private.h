/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* All that depends on the processor, but for unwind/jank-processor-aarch64.c. */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/user.h>
#include <ucontext.h>

/* As crash reports call it. */
#define JANK_PROCESSOR_NAME "arm64"

/* Addresses of programs have no more bits, unless a program asks for it. */
#define JANK_MEMORY_ADDRESS_BITS 48

/* x0 to x28 come first. The kernel keeps the registers in this order, too. */
enum { JANK_REG_X29 = 29, JANK_REG_X30, JANK_REG_X31, JANK_REG_OF_PC, JANK_N_REGS,
       JANK_REG_FP = JANK_REG_X29, JANK_REG_SP = JANK_REG_X31, JANK_REG_PC = JANK_REG_OF_PC,
       JANK_REG_RETURN = JANK_REG_X30 /* the column of return addresses in unwind tables */ };

/* What is below the stack pointer belongs to nobody (AAPCS64, 6.4.5.1). */
#define JANK_RED_ZONE_BYTES 0

/* Whether a call itself stores the return address on the stack. */
#define JANK_CALL_PUSHES false

/* Of a return address on the stack: the other bits may be its signature (pointer authentication). Code is above 48
 * bits only where a program asks for that. */
#define JANK_CODE_BITS ((UINT64_C (1) << 48) - 1)

/* The first Linux whose CPU-time timers surely expire in task work, whatever the configuration. */
#define JANK_TASK_WORK_MAJOR 5
#define JANK_TASK_WORK_MINOR 18

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

JANK_NO_SANITIZE static inline void
jank_processor_get_registers_sigsafe (const ucontext_t *context, uint64_t *ret_registers)
{
  for (unsigned i = 0; i < JANK_REG_SP; i++)
    ret_registers[i] = context->uc_mcontext.regs[i];
  ret_registers[JANK_REG_SP] = context->uc_mcontext.sp;
  ret_registers[JANK_REG_PC] = context->uc_mcontext.pc;
}

/* The same of a thread that ptrace(2) has stopped. */
static inline void
jank_processor_get_registers_of_stopped (const struct user_regs_struct *from, uint64_t *ret_registers)
{
  for (unsigned i = 0; i < JANK_REG_SP; i++)
    ret_registers[i] = from->regs[i];
  ret_registers[JANK_REG_SP] = from->sp;
  ret_registers[JANK_REG_PC] = from->pc;
}

/* Returns: the length of an instruction, or 1 where that does not matter. ret_target: where it jumps, by a distance
 * that is part of it, without coming back; 0 not at all. Of b, cbz, cbnz, tbz, tbnz and b.cond. */
static inline size_t
jank_processor_read_jump (const uint8_t *code, size_t n_bytes, uint64_t address, uint64_t *ret_target)
{
  uint32_t word = 0;
  unsigned from = 5, n_bits = 0;

  memcpy (&word, code, n_bytes < sizeof word ? n_bytes : sizeof word);
  if ((word & 0xfc000000) == 0x14000000)
    from = 0, n_bits = 26;
  else if ((word & 0x7e000000) == 0x34000000 || (word & 0xff000010) == 0x54000000)
    n_bits = 19;
  else if ((word & 0x7e000000) == 0x36000000)
    n_bits = 14;
  *ret_target = n_bits == 0 ? 0 :
                address + 4 * (uint64_t) ((int64_t) ((uint64_t) word << (64 - from - n_bits)) >> (64 - n_bits));
  return sizeof word;
}
