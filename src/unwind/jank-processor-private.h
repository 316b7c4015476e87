/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What unwinding must know about the processor: functions here, registers (JANK_REG_*: general ones by DWARF number,
 * which is libunwind's too) in base/jank-processor-NAME-private.h. Watcher thread only. */

#pragma once

#include <glib.h>

#include "base/jank-memory-sigsafe-private.h"
#include "unwind/jank-page-cache-private.h"

/* Sets of registers. */
#define JANK_REG_BIT(reg) (UINT64_C (1) << (reg))
#define JANK_REGS_ALL     (JANK_REG_BIT (JANK_N_REGS) - 1)

typedef enum
{
  JANK_CALL_NONE,
  JANK_CALL_INDIRECT,
  JANK_CALL_SLOT,   /* through a slot in memory, which may have changed since */
  JANK_CALL_DIRECT,
} JankCallKind;

/* The call instruction that ends at return_address. ret_target: set for JANK_CALL_SLOT and JANK_CALL_DIRECT. */
JankCallKind jank_processor_classify_call (JankPageCache *pages, guint64 return_address, guint64 *ret_target);

/* Where a PLT entry leads to, from its beginning or from its jump on; 0 when address is neither. */
guint64      jank_processor_follow_plt    (JankPageCache *pages, guint64 address);

/* Whether pc is inside of one. Only where calls do not push. */
gboolean     jank_processor_is_in_plt      (JankPageCache *pages, guint64 pc);

/* How far the frame record is above the stack pointer after the prologue. FALSE: not a prologue that sets up a frame
 * pointer as compilers do. */
gboolean     jank_processor_read_prologue (JankPageCache *pages, guint64 function, guint64 *ret_distance);

/* Where the kernel put the registers of interrupted code, JANK_N_REGS in the order of their numbers, when a signal
 * handler returns to pc with this stack pointer; 0: it does not, or the unwind tables tell. */
guint64      jank_processor_find_context  (JankPageCache *pages, guint64 pc, guint64 sp);

/* The stack pointer of the function that a call record at `record` returns to. function: where that begins, 0
 * unknown. */
guint64      jank_processor_find_sp       (JankPageCache *pages, guint64 record, guint64 frame_pointer,
                                           guint64 function);
