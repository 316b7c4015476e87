/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* SpiderMonkey, as gjs runs it. Any thread may ask; the engine's own thread answers at its next safe point with its
 * calls as text. Safe points come while JavaScript computes, and when a native function returns to it.
 *
 *   watcher                               engine's thread
 *   state: EMPTY → ASKED, number
 *   ask: two atomic stores of the engine  (in the handler of our signal, too)
 *                                         interrupt callback: ASKED → WRITING, text, WRITING → DONE
 *   take: DONE → EMPTY
 *   request dropped: ASKED → EMPTY        callback finds nothing to do
 *
 * Each transition is one compare-and-exchange, acquire and release. We link to nothing: the functions are looked up
 * in the libraries already loaded. The callback stays in the engine; it runs no JavaScript and leaves exceptions as
 * they are. */

#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <glib.h>

#include "javascript/jank-engine-frames-private.h"

#define JANK_ENGINE_TEXT_BYTES (16 * 1024)

typedef struct
{
  int64_t  at_ns;   /* CLOCK_MONOTONIC, when the text was begun */
  int64_t  cpu_ns;  /* CPU time spent on the text */
  uint32_t n_bytes;
  uint32_t n_outer; /* calls already there when the loop started: the text's last ones */
  int      depth;   /* callbacks of main loops that it was given in */
  char     text[JANK_ENGINE_TEXT_BYTES]; /* one call per line, innermost first; when full, the outermost are missing */
} JankEngineAnswer;

/* Called by the engine's thread, from inside the loop. Does nothing in a program without gjs, or once attached.
 * Returns: false: to be called again at the next turn, at most 16 times, as no JavaScript call was there to check what
 * is read from memory */
bool        jank_engine_attach    (void);

/* The thread whose JavaScript calls can be asked for, 0: none. Watcher thread. */
pid_t       jank_engine_get_tid   (void);
/* Why there is no such thread although gjs is loaded: what gjs lacks; (nullable). Any thread. */
const char *jank_engine_get_lack  (void);

/* Watcher thread, while the engine's sleeps: the calls without asking, as jank_engine_frames_read(). FALSE also
 * where what was read has not been the same as an answer's. */
bool        jank_engine_read      (uint64_t low, uint64_t high, uint64_t compiled, JankEngineCallFunc func, void *data);

/* Watcher thread. Returns: the request's number, 0: another watcher's request is under way */
uint32_t    jank_engine_begin     (void);
/* Any thread: whether answers tell which calls were already there when the loop started. */
bool        jank_engine_has_outer (void);
/* Watcher thread: a call in so many callbacks of main loops is asked for. If it runs a loop, what that dispatches comes
 * to a safe point first, and does not answer. */
void        jank_engine_set_depth (uint32_t number, int depth);
/* Any thread, and signal handlers on the engine's. */
void        jank_engine_ask       (void);
/* Watcher thread. FALSE: not yet answered. */
gboolean    jank_engine_take      (uint32_t number, JankEngineAnswer *ret_answer);
/* Watcher thread. */
void        jank_engine_withdraw  (uint32_t number);
