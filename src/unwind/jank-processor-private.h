/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* All that unwinding must know about the processor. A processor has its registers here, and one file of functions.
 * Watcher thread only. */

#pragma once

#include <glib.h>

#include "unwind/jank-page-cache-private.h"

/* General registers by DWARF number; libunwind uses the same numbers. */
#if defined (__x86_64__)

enum { JANK_REG_RAX, JANK_REG_RDX, JANK_REG_RCX, JANK_REG_RBX, JANK_REG_RSI, JANK_REG_RDI, JANK_REG_RBP,
       JANK_REG_RSP, JANK_REG_R8, JANK_REG_R9, JANK_REG_R10, JANK_REG_R11, JANK_REG_R12, JANK_REG_R13,
       JANK_REG_R14, JANK_REG_R15, JANK_REG_RIP, JANK_N_REGS,
       JANK_REG_FP = JANK_REG_RBP, JANK_REG_SP = JANK_REG_RSP, JANK_REG_PC = JANK_REG_RIP,
       JANK_REG_RETURN = JANK_REG_RIP /* the column of return addresses in unwind tables */ };

/* Below the stack pointer a leaf function may keep data without moving it (x86-64 psABI, 3.2.2). */
#define JANK_RED_ZONE_BYTES 128

#else
#error "unknown processor"
#endif

typedef enum
{
  JANK_CALL_NONE,
  JANK_CALL_INDIRECT,
  JANK_CALL_SLOT,   /* through a slot in memory, which may have changed since */
  JANK_CALL_DIRECT,
} JankCallKind;

/* The call instruction that ends at return_address. ret_target: set for JANK_CALL_SLOT and JANK_CALL_DIRECT. */
JankCallKind jank_processor_classify_call (JankPageCache *pages, guint64 return_address, guint64 *ret_target);

/* Where a PLT entry leads to; 0 when address is none. */
guint64      jank_processor_follow_plt    (JankPageCache *pages, guint64 address);

/* How far the frame record is above the stack pointer after the prologue. FALSE: not a prologue that sets up a frame
 * pointer as compilers do. */
gboolean     jank_processor_read_prologue (JankPageCache *pages, guint64 function, guint64 *ret_distance);
