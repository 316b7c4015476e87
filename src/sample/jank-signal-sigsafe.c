/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs inside the observed thread, at any instruction of it, on its way back from a tick to user mode: copies, and
 * nothing else. A test holds this object's undefined symbols against signal-safety(7). Not instrumented by sanitizers:
 * it reads live stack frames whole. */

#include "sample/jank-signal-sigsafe-private.h"

#include <stdbool.h>
#include <ucontext.h>

#include "base/jank-clock-private.h"
#include "base/jank-memory-sigsafe-private.h"
#include "javascript/jank-engine-ask-private.h"

JankSignalSlot jank_signal_slot;
struct sigaction jank_signal_before[_NSIG];

/* The frames of an interrupted thread cannot be unmapped while its handler runs. Beside another stack, a
 * coroutine's, there may be memory that another thread unmaps while we copy.
 *
 * Returns: the number of bytes copied */
JANK_NO_SANITIZE static inline uint32_t
jank_signal_copy_bytes (JankSignalSlot *slot, bool is_known, uint64_t from, uint64_t n_bytes)
{
  void *to = slot->copy.bytes;

  return (uint32_t) (is_known ? jank_memory_copy_sigsafe (to, from, n_bytes)
                              : (uint64_t) jank_memory_read_sigsafe (slot->pid, to, from, n_bytes));
}

/* The copy stays within the mapping: the next one may be a file that has to be read from a disk. An unknown mapping is
 * younger than the ranges. */
JANK_NO_SANITIZE static inline uint64_t
jank_signal_find_end (const JankSignalSlot *slot, bool is_known, uint64_t sp)
{
  uint64_t end = is_known ? slot->stack_base :
                 slot->ranges != NULL ? jank_stack_ranges_find (slot->ranges, sp).high : sp + JANK_COPY_MAX_BYTES;

  return end != 0 ? end : (sp | (JANK_MEMORY_PAGE_BYTES - 1)) + 1;
}

JANK_NO_SANITIZE static inline void
jank_signal_copy_stack (JankSignalSlot *slot, uint64_t sp)
{
  JankStackCopy *copy = &slot->copy;
  bool is_known = sp >= slot->stack_low && sp < slot->stack_base;
  uint64_t end = jank_signal_find_end (slot, is_known, sp);

  copy->base = is_known ? slot->stack_base : 0;
  copy->n_bytes = 0;
  for (uint64_t skip = JANK_RED_ZONE_BYTES;; skip = 0)
    {
      uint64_t from = sp - skip;

      copy->address = from;
      copy->n_bytes = jank_signal_copy_bytes (slot, is_known, from,
                                              end - from < JANK_COPY_MAX_BYTES ? end - from : JANK_COPY_MAX_BYTES);
      /* The red zone may reach into a page that cannot be read. */
      if (copy->n_bytes > 0 || skip == 0)
        break;
    }
}

JANK_NO_SANITIZE static inline void
jank_signal_answer (JankSignalSlot *slot, const ucontext_t *context)
{
  slot->entered_ns = jank_clock_now_ns ();
  jank_processor_get_registers_sigsafe (context, slot->copy.regs);
  slot->copy.known = JANK_REGS_ALL;
  slot->copy.emission = slot->emission != 0 ? *slot->emission : 0;
  jank_signal_copy_stack (slot, slot->copy.regs[JANK_REG_SP]);
  jank_python_walk (&slot->python, &slot->copy, slot->pid, &slot->python_calls);
  if (slot->engine_request != 0)
    jank_engine_ask ();
  slot->left_ns = jank_clock_now_ns ();
}

/* A signal that is not ours does what it did before us. */
JANK_NO_SANITIZE static void
jank_signal_pass_on (int signal, siginfo_t *info, void *context)
{
  struct sigaction *before = &jank_signal_before[signal];
  void (*handler) (int) = before->sa_handler;
  void (*action) (int, siginfo_t *, void *) = before->sa_sigaction;

  if ((before->sa_flags & SA_RESETHAND) != 0)
    before->sa_handler = SIG_DFL;
  if ((before->sa_flags & SA_SIGINFO) != 0 && handler != SIG_DFL)
    action (signal, info, context);
  else if (handler == SIG_DFL && signal != SIGURG)
    {
      /* Ends the program when the handler returns. */
      sigaction (signal, before, NULL);
      raise (signal);
    }
  else if (handler != SIG_DFL && handler != SIG_IGN)
    handler (signal);
}

JANK_NO_SANITIZE void
jank_signal_handler (int signal, siginfo_t *info, void *context)
{
  JankSignalSlot *slot = &jank_signal_slot;
  uintptr_t timer = (uintptr_t) info->si_value.sival_ptr;
  uint32_t state = JANK_SLOT_ASKED;
  bool is_asked;

  if (info->si_code != SI_TIMER || timer - (uintptr_t) slot >= sizeof *slot)
    {
      jank_signal_pass_on (signal, info, context);
      return;
    }
  if (!atomic_compare_exchange_strong_explicit (&slot->state, &state, JANK_SLOT_COPYING,
                                                memory_order_acquire, memory_order_relaxed))
    return;
  is_asked = slot->timer == timer;
  if (is_asked)
    jank_signal_answer (slot, context);
  atomic_store_explicit (&slot->state, is_asked ? JANK_SLOT_DONE : JANK_SLOT_ASKED, memory_order_release);
}
