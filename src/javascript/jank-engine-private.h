/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* SpiderMonkey, as gjs runs it: any thread asks, the engine's own thread answers at its next safe point, with its calls as
 * text. That is while it computes, or once the native function that JavaScript called returns.
 *
 *   watcher                               engine's thread
 *   state: EMPTY → ASKED, number
 *   ask: two atomic stores of the engine  (in the handler of our signal, too)
 *                                         interrupt callback: ASKED → WRITING, text, WRITING → DONE
 *   take: DONE → EMPTY
 *   nobody wants it any more: ASKED → EMPTY; the callback finds nothing to do
 *
 * Each transition is one compare-and-exchange, acquire and release. Nothing is linked: the functions are the loaded
 * libraries' own. The callback stays in the engine; it runs no JavaScript and leaves exceptions as they are. */

#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <glib.h>

#define JANK_ENGINE_TEXT_BYTES (16 * 1024)

typedef struct
{
  int64_t  at_ns;   /* CLOCK_MONOTONIC, when the text was begun */
  int64_t  cpu_ns;  /* that the text took */
  uint32_t n_bytes;
  uint32_t n_outer; /* calls that were there when the loop began: the last ones of the text */
  char     text[JANK_ENGINE_TEXT_BYTES]; /* a call a line, innermost first; the outermost are missing when it is full */
} JankEngineAnswer;

/* The engine's thread, from inside the loop. Does nothing in a program without gjs, or once it is done. */
void        jank_engine_attach    (void);

/* The thread whose JavaScript can be asked for, 0: none. Watcher thread. */
pid_t       jank_engine_get_tid   (void);
/* Why none can be, though gjs is there: what it lacks; (nullable). Any thread. */
const char *jank_engine_get_lack  (void);

/* Watcher thread. Returns: a number for the request, 0: another watcher's is under way */
uint32_t    jank_engine_begin     (void);
/* Any thread, also in a signal handler of the engine's. */
void        jank_engine_ask       (void);
/* Watcher thread. FALSE: not yet answered. */
gboolean    jank_engine_take      (uint32_t number, JankEngineAnswer *ret_answer);
/* Watcher thread. */
void        jank_engine_withdraw  (uint32_t number);
