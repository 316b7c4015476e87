/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The one slot through which a signal handler hands over registers and stack.
 *
 *   watcher                               asked thread, in the handler
 *   fill request
 *   state: EMPTY → ASKED
 *   arm the thread's CPU timer ──tick──▶  ASKED → COPYING
 *                                         copy, if this timer is the one asked; else back to ASKED
 *   read result  ◀──────────────────────  COPYING → DONE
 *   state: DONE → EMPTY
 *   nobody wants it any more:
 *          ASKED → EMPTY                  a late signal finds EMPTY, or another timer asked, and does nothing
 *
 * Each transition is one compare-and-exchange, acquire and release. */

#pragma once

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>

#include "python/jank-python-walk-private.h"
#include "sample/jank-stack-ranges-private.h"
#include "unwind/jank-stack-copy-private.h"

typedef enum
{
  JANK_SLOT_EMPTY,
  JANK_SLOT_ASKED,
  JANK_SLOT_COPYING,
  JANK_SLOT_DONE,
} JankSlotState;

typedef struct
{
  _Atomic uint32_t state;       /* JankSlotState */

  /* request: written before ASKED */
  uintptr_t        timer;       /* whose signal is the answer; another value for each, an address inside the slot */
  const JankStackRanges *ranges; /* (nullable): ends of stacks, where base is not known */
  uint64_t         stack_low;   /* the known stack is within [low, base) */
  uint64_t         stack_base;
  long             pid;
  const uint64_t  *emission;    /* (nullable): variable to copy */
  JankPythonRequest python;
  uint32_t         engine_request; /* of the JavaScript engine, 0: none */

  /* result: written before DONE */
  int64_t          entered_ns, left_ns;
  JankStackCopy    copy;
  JankPythonCalls  python_calls;
} JankSignalSlot;

extern JankSignalSlot jank_signal_slot;

/* By signal number, written before the handler is installed: what the program had, and what still gets every signal
 * that is not our timer's. */
extern struct sigaction jank_signal_before[];

void jank_signal_handler (int signal, siginfo_t *info, void *context);
