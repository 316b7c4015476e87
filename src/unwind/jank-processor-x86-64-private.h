/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <stdint.h>
#include <ucontext.h>

#include "base/jank-memory-sigsafe-private.h"

enum { JANK_REG_RAX, JANK_REG_RDX, JANK_REG_RCX, JANK_REG_RBX, JANK_REG_RSI, JANK_REG_RDI, JANK_REG_RBP,
       JANK_REG_RSP, JANK_REG_R8, JANK_REG_R9, JANK_REG_R10, JANK_REG_R11, JANK_REG_R12, JANK_REG_R13,
       JANK_REG_R14, JANK_REG_R15, JANK_REG_RIP, JANK_N_REGS,
       JANK_REG_FP = JANK_REG_RBP, JANK_REG_SP = JANK_REG_RSP, JANK_REG_PC = JANK_REG_RIP,
       JANK_REG_RETURN = JANK_REG_RIP /* the column of return addresses in unwind tables */ };

/* Below the stack pointer a leaf function may keep data without moving it (x86-64 psABI, 3.2.2). */
#define JANK_RED_ZONE_BYTES 128

/* Whether a call itself stores the return address on the stack. */
#define JANK_CALL_PUSHES TRUE

/* Of a return address on the stack: all of it is the address. */
#define JANK_CODE_BITS UINT64_MAX

/* The first Linux whose CPU-time timers expire in task work, whatever the configuration. */
#define JANK_TASK_WORK_MAJOR 5
#define JANK_TASK_WORK_MINOR 10

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
