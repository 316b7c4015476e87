/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <stdint.h>
#include <ucontext.h>

#include "base/jank-memory-sigsafe-private.h"

/* x0 to x28 come first. The kernel keeps the registers in this order, too. */
enum { JANK_REG_X29 = 29, JANK_REG_X30, JANK_REG_X31, JANK_REG_OF_PC, JANK_N_REGS,
       JANK_REG_FP = JANK_REG_X29, JANK_REG_SP = JANK_REG_X31, JANK_REG_PC = JANK_REG_OF_PC,
       JANK_REG_RETURN = JANK_REG_X30 /* the column of return addresses in unwind tables */ };

/* What is below the stack pointer belongs to nobody (AAPCS64, 6.4.5.1). */
#define JANK_RED_ZONE_BYTES 0

/* Whether a call itself stores the return address on the stack. */
#define JANK_CALL_PUSHES FALSE

/* Of a return address on the stack: the other bits may be its signature (pointer authentication). Code is above 48 bits only
 * where a program asks for that. */
#define JANK_CODE_BITS ((UINT64_C (1) << 48) - 1)

/* The first Linux whose CPU-time timers surely expire in task work, whatever the configuration. */
#define JANK_TASK_WORK_MAJOR 5
#define JANK_TASK_WORK_MINOR 18

JANK_NO_SANITIZE static inline void
jank_processor_get_registers_sigsafe (const ucontext_t *context, uint64_t *ret_registers)
{
  for (unsigned i = 0; i < JANK_REG_SP; i++)
    ret_registers[i] = context->uc_mcontext.regs[i];
  ret_registers[JANK_REG_SP] = context->uc_mcontext.sp;
  ret_registers[JANK_REG_PC] = context->uc_mcontext.pc;
}
