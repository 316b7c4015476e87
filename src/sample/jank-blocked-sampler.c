/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sample/jank-blocked-sampler-private.h"

#include "base/jank-memory-private.h"
#include "gobject/jank-emissions-private.h"

void
jank_blocked_sampler_copy_stack (const JankThreadInfo *info, uint64_t sp, const JankStackRanges *ranges,
                                 JankStackCopy *copy)
{
  uint64_t from = sp - JANK_RED_ZONE_BYTES;
  uint64_t n_bytes = JANK_COPY_MAX_BYTES;
  bool on_own_stack = sp >= info->stack_low && sp < info->stack_base;
  uint64_t end = on_own_stack ? info->stack_base : 0;

  if (!on_own_stack && ranges != NULL)
    end = jank_stack_ranges_find (ranges, sp).high;
  if (end != 0 && n_bytes > end - from)
    n_bytes = end - from;

  copy->address = from;
  copy->base = on_own_stack ? info->stack_base : 0;
  copy->n_bytes = (uint32_t) jank_memory_read (from, copy->bytes, n_bytes);
  copy->emission = 0;
}

bool
jank_blocked_sampler_take (JankThread *thread, const JankSyscall *call, const JankStackRanges *ranges,
                           const JankPythonRequest *python, JankStackCopy *copy, JankPythonCalls *calls)
{
  const JankEmissions *emissions = jank_memory_get_other () == 0 ? jank_emissions_get () : NULL;

  jank_blocked_sampler_copy_stack (jank_thread_get_info (thread), call->sp, ranges, copy);
  copy->regs[JANK_REG_SP] = call->sp;
  copy->regs[JANK_REG_PC] = call->pc;
  copy->known = JANK_REG_BIT (JANK_REG_SP) | JANK_REG_BIT (JANK_REG_PC);

  if (emissions != NULL)
    jank_memory_read_all (emissions->head, &copy->emission, sizeof copy->emission);

  if (python != NULL)
    jank_python_walk (python, copy, jank_memory_get_pid (), calls);

  return jank_thread_is_still_in (thread, call);
}
