/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The one slot through which a signal handler hands over registers and stack.
 *
 *   watcher                               asked thread, in the handler
 *   fill request
 *   state: EMPTY → ASKED   ── signal ──▶  ASKED → COPYING      (only the thread that was asked)
 *                                         copy
 *   read result  ◀──────────────────────  COPYING → DONE
 *   state: DONE → EMPTY
 *   no answer: ASKED → GIVEN_UP           GIVEN_UP → EMPTY     (nothing copied; may be asked again)
 *   another is to be asked:
 *          GIVEN_UP → EMPTY               a late answer finds another asked, and does nothing
 *
 * Each transition is one compare-and-exchange, acquire and release. Signals are never queued up: nothing
 * is sent to a thread until it answered the last one. */

#pragma once

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "sample/jank-stack-ranges-private.h"
#include "unwind/jank-stack-copy-private.h"

typedef enum
{
  JANK_SLOT_EMPTY,
  JANK_SLOT_ASKED,
  JANK_SLOT_COPYING,
  JANK_SLOT_DONE,
  JANK_SLOT_GIVEN_UP,
} JankSlotState;

typedef struct
{
  _Atomic uint32_t state;       /* JankSlotState */

  /* request: written before ASKED */
  pthread_t        thread;      /* 0: not known, then it is told by tid */
  pid_t            tid;
  const JankStackRanges *ranges; /* (nullable): ends of stacks, where base is not known */
  uint64_t         stack_low;   /* [low, base) is mapped above the stack pointer */
  uint64_t         stack_base;
  int64_t          sent_ns;

  /* result: written before DONE */
  int64_t          entered_ns, left_ns;
  uint32_t         restarted;   /* a system call was put back that our signal would have ended */
  JankStackCopy    copy;
} JankSignalSlot;

extern JankSignalSlot jank_signal_slot;

void jank_signal_handler (int signal, siginfo_t *info, void *context);
