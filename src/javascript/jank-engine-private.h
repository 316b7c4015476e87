/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the parts of the library that is opened with gjs have for each other. */

#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "javascript/jank-engine-ask-private.h"
#include "unwind/jank-engine-layout-private.h"
#include "unwind/jank-scripts-private.h"

/* Where in SpiderMonkey's bytecode a call is, and on which line. Any thread. */

/* code: address of SharedImmutableScriptData; pc: address of an instruction. FALSE: pc is not in that code. */
bool jank_engine_find_place          (uint64_t code, uint64_t pc, uint32_t *ret_place);

/* The same of compiled code. compiled: address of BaselineScript; returns: where the call returns to */
bool jank_engine_find_compiled_place (uint64_t compiled, uint64_t returns, uint32_t *ret_place);

/* By the notes behind the code. has_columns: of the two encodings, the one whose notes of lines may have a column.
 * first_line: the function's. FALSE: place is not in that code, or it cannot be read. */
bool jank_engine_find_line           (uint64_t code, bool has_columns, uint32_t place, uint32_t first_line,
                                      uint32_t *ret_line);

/* SpiderMonkey's calls, read from its memory. The engine is not asked and runs nothing: an answer would come when
 * the native call ends, and not at all, or with other calls, where that ends by an exception. All reads are safe
 * copies, and what they give counts only if it fits: each script's function has that script.
 *
 * Any thread, while the engine's thread stands still in native code; what it gives afterwards is for the caller to
 * drop. */

#define JANK_ENGINE_NAME_BYTES 512
#define JANK_ENGINE_FILE_BYTES 1024

/* The file of the engine's own functions. */
#define JANK_ENGINE_SELF_HOSTED "self-hosted"

/* Text is as JS::FormatStackDump() writes it. */
typedef struct
{
  char     name[JANK_ENGINE_NAME_BYTES]; /* with "()", but for a file's own code */
  char     file[JANK_ENGINE_FILE_BYTES];
  uint32_t line;
  bool     is_exact; /* the line being executed; else where the function begins */
  uint64_t place;    /* on the stack: in what the engine has there for the call */
} JankEngineCall;

typedef struct
{
  const JankEngineLayout *layout; /* its activation is known */
  uint64_t context;   /* JSContext */
  uint64_t low, high; /* of the part of the thread's stack that is in use */
  uint64_t compiled;  /* where on the stack native code was called by the engine's compiled code, if that was the last
                       * to call any; 0: it was not */
  bool     is_asked;  /* the engine itself has called us: it is known to be in order */
} JankEngineView;

/* FALSE: enough. */
typedef bool (*JankEngineCallFunc) (const JankEngineCall *call, void *data);

/* Innermost first. Returns: whether all calls were read, or func had enough */
bool jank_engine_frames_read (const JankEngineView *view, JankEngineCallFunc func, void *data);

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

/* As jank_javascript_attach(), by which it is called. asked: to be filled */
bool        jank_engine_attach    (JankEngineAsk *asked);

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
/* Watcher thread. FALSE: not yet answered. */
gboolean    jank_engine_take      (uint32_t number, JankEngineAnswer *ret_answer);
/* Watcher thread. */
void        jank_engine_withdraw  (uint32_t number);

/* Reads the output of JS::FormatStackDump(). Names come from the program, so any bytes may occur. Watcher thread
 * only. */

/* Reads at most max lines such as `1 <TOP LEVEL> ["app.js":2:4]` and `0 onLoad/<() ["file:///home/u/app.js":29:58]`;
 * skips lines that are no call. Returns: how many calls */
guint jank_javascript_text_read (const char *text, gsize n_bytes, JankScripts *scripts, JankCall *ret_calls, guint max);

/* Adds one call; name and file are the engine's. */
gboolean jank_javascript_text_add (JankScripts *scripts, const char *name, const char *file, guint line,
                                   JankCall *ret_call);
