/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Calls on the main thread that may block, as the library that `run --strict` preloads sees them. Each place in the
 * program that makes them is a site. The first time, the observed thread waits until the watcher has read its stack;
 * the next times it finds the site by what is on its stack, and counts.
 *
 *   observed thread, in the call          watcher
 *   fill request
 *   state: EMPTY → ASKED, ring ────────▶  ASKED → TAKEN
 *   waits                                 reads the stack, fills reply
 *   reads reply  ◀─────────────────────   TAKEN → DONE, wakes
 *   state: DONE → EMPTY
 *   nobody has taken it in time:
 *          ASKED → EMPTY                  the watcher finds nothing
 *
 * From ASKED either side may go on, so that is a compare-and-exchange. Each transition acquires or releases what was
 * filled before it. States are numbered: a futex that has seen one is not woken by the next. Counters are relaxed.
 *
 * One per process: of the watcher that has the main thread first. */

#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "observe/jank-beat-private.h"
#include "base/jank-strict-call-private.h"
#include "proc/jank-thread-private.h"
#include "python/jank-python-walk-private.h"

#define JANK_STRICT_MAX_SITES    512
#define JANK_STRICT_TARGET_BYTES 256
#define JANK_STRICT_REMOTE_BYTES 4096
#define JANK_STRICT_MAX_CODE     1024

typedef struct
{
  JankStrictKind kind;
  const char    *function; /* static */
  char           target[JANK_STRICT_TARGET_BYTES]; /* empty: none */
  int            fd;       /* -1: none */
} JankStrictRequest;

/* Where the code of loaded files is, in order. */
typedef struct
{
  uint32_t n;
  struct
  {
    uint64_t start, end;
  } ranges[JANK_STRICT_MAX_CODE];
} JankStrictCode;

typedef struct
{
  uint32_t          site;     /* 0: not counted */
  bool              is_exact; /* the same stack is the same site */
  JankStrictCode    code;
  JankPythonRequest python;
} JankStrictReply;

/* Program: */

/* Finds the preloaded library. */
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
/* To be filled after that. */
JankStrictReply         *jank_strict_slot_get_reply (void);
void                     jank_strict_slot_answer  (void);
/* maps: "/proc/self/maps", or a stand-in. What does not fit is left out. */
void                     jank_strict_code_read    (JankStrictCode *self, const char *maps);
/* paths: of folders, each with its NUL, and an empty one. Where files are on network and FUSE mounts. */
void                     jank_strict_slot_set_remote (const char *paths, unsigned n_bytes);

/* Any thread: a site's calls so far. */
uint64_t                 jank_strict_slot_count   (uint32_t site, int64_t *ret_longest_ns);
