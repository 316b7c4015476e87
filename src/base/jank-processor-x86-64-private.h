/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* All that depends on the processor, but for unwind/jank-processor-x86-64.c. */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/user.h>
#include <ucontext.h>

/* As crash reports call it. */
#define JANK_PROCESSOR_NAME "x86_64"

/* Addresses of programs have no more bits, unless a program asks for it. */
#define JANK_MEMORY_ADDRESS_BITS 47

enum { JANK_REG_RAX, JANK_REG_RDX, JANK_REG_RCX, JANK_REG_RBX, JANK_REG_RSI, JANK_REG_RDI, JANK_REG_RBP,
       JANK_REG_RSP, JANK_REG_R8, JANK_REG_R9, JANK_REG_R10, JANK_REG_R11, JANK_REG_R12, JANK_REG_R13,
       JANK_REG_R14, JANK_REG_R15, JANK_REG_RIP, JANK_N_REGS,
       JANK_REG_FP = JANK_REG_RBP, JANK_REG_SP = JANK_REG_RSP, JANK_REG_PC = JANK_REG_RIP,
       JANK_REG_RETURN = JANK_REG_RIP /* the column of return addresses in unwind tables */ };

/* Below the stack pointer a leaf function may keep data without moving it (x86-64 psABI, 3.2.2). */
#define JANK_RED_ZONE_BYTES 128

/* Whether a call itself stores the return address on the stack. */
#define JANK_CALL_PUSHES true

/* Of a return address on the stack: all of it is the address. */
#define JANK_CODE_BITS UINT64_MAX

/* The first Linux whose CPU-time timers expire in task work, whatever the configuration. */
#define JANK_TASK_WORK_MAJOR 5
#define JANK_TASK_WORK_MINOR 10

/* Returns: what the kernel does, a negative errno for a failure */
JANK_NO_SANITIZE static inline long
jank_memory_syscall_sigsafe (long number, const long arguments[6])
{
  register long r10 __asm__ ("r10") = arguments[3];
  register long r8 __asm__ ("r8") = arguments[4];
  register long r9 __asm__ ("r9") = arguments[5];
  long result;

  __asm__ volatile ("syscall" : "=a" (result)
                    : "a" (number), "D" (arguments[0]), "S" (arguments[1]), "d" (arguments[2]), "r" (r10), "r" (r8),
                    "r" (r9)
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

JANK_NO_SANITIZE static inline void
jank_processor_get_registers_sigsafe (const ucontext_t *context, uint64_t *ret_registers)
{
  static const uint8_t greg_of_reg[JANK_N_REGS] = {
    REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8, REG_R9, REG_R10, REG_R11,
    REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
  };

  for (unsigned i = 0; i < JANK_N_REGS; i++)
    ret_registers[i] = (uint64_t) context->uc_mcontext.gregs[greg_of_reg[i]];
}

/* The same of a thread that ptrace(2) has stopped. */
static inline void
jank_processor_get_registers_of_stopped (const struct user_regs_struct *from, uint64_t *ret_registers)
{
  const uint64_t registers[JANK_N_REGS] = {
    from->rax, from->rdx, from->rcx, from->rbx, from->rsi, from->rdi, from->rbp, from->rsp, from->r8, from->r9,
        from->r10,
    from->r11, from->r12, from->r13, from->r14, from->r15, from->rip,
  };

  memcpy (ret_registers, registers, sizeof registers);
}

/* Returns: the length of an instruction, or 1 where that does not matter. ret_target: where it jumps, by a distance
 * that is part of it, without coming back; 0 not at all */
static inline size_t
jank_processor_read_jump (const uint8_t *code, size_t n_bytes, uint64_t address, uint64_t *ret_target)
{
  size_t operand = n_bytes >= 6 && code[0] == 0x0f && (code[1] & 0xf0) == 0x80 ? 2 : code[0] == 0xe9 ? 1 : 0;
  int32_t distance;

  *ret_target = 0;
  if (operand == 0 || n_bytes < operand + sizeof distance)
    return 1;
  memcpy (&distance, code + operand, sizeof distance);
  *ret_target = address + operand + sizeof distance + (uint64_t) (int64_t) distance;
  return 1;
}
