/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Calls on the main thread that may block, as the library that `run --strict` preloads sees them. Each place in the
 * program that makes them is a site. The observed thread waits until the watcher has read its stack, as if the call
 * blocked, and goes on with the site's number.
 *
 *   observed thread, in the call          watcher
 *   fill request
 *   state: EMPTY → ASKED, ring ────────▶  ASKED → TAKEN
 *   waits                                 reads the stack, fills reply
 *   reads reply  ◀─────────────────────   TAKEN → DONE, wakes
 *   state: DONE → EMPTY
 *   nobody has taken it, or answered it, in time:
 *          ASKED or TAKEN → EMPTY         what the watcher finds is void
 *
 * From ASKED and TAKEN either side may go on, so these are compare-and-exchanges. Each transition acquires or releases
 * what was filled before it. States are numbered: a futex that has seen one is not woken by the next. Counters are
 * relaxed.
 *
 * One per process: of the watcher that has the main thread first. */

#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "observe/jank-beat-private.h"
#include "base/jank-strict-call-private.h"
#include "proc/jank-thread-private.h"

#define JANK_STRICT_MAX_SITES    512
#define JANK_STRICT_TARGET_BYTES 256

typedef struct
{
  JankStrictKind kind;
  const char    *function; /* static */
  char           target[JANK_STRICT_TARGET_BYTES]; /* empty: none */
  int            fd;       /* -1: none */
} JankStrictRequest;

/* Program: finds the preloaded library. */
void jank_strict_slot_prepare (void);
bool jank_strict_slot_is_there (void);
/* On the main thread: its loop has that beat. */
void jank_strict_slot_begin   (JankBeat *beat, const JankThreadInfo *info);

/* Watcher: */

/* Whether this beat's loop has the slot. */
bool                     jank_strict_slot_is_of   (const JankBeat *beat);
/* FALSE: from now on calls are not told of. */
void                     jank_strict_slot_set_on  (bool on);
/* Takes over what is asked. Returns: (nullable): nothing */
const JankStrictRequest *jank_strict_slot_take    (void);
/* Whether a thread that is in this call waits for the answer. */
bool                     jank_strict_slot_is_asleep (const JankSyscall *call);
/* site: 0: not counted. Returns: FALSE: the thread has gone on without the answer */
bool                     jank_strict_slot_answer  (uint32_t site);

/* Any thread: a site's calls so far. */
uint64_t                 jank_strict_slot_count   (uint32_t site, int64_t *ret_longest_ns);
