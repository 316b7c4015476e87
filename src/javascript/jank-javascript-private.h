/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* JavaScript calls on stacks: asks the engine for them, and replaces the engine's calls on the native stack by them.
 * The answer may come long after the sample; until then the stack is marked and reads as a native one. All of it is in
 * a library of its own, which is opened in programs with gjs. Watcher thread only, but where a line says otherwise. */

#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/jank-version-macros.h"
#include "javascript/jank-engine-ask-private.h"
#include "unwind/jank-stack-private.h"

#define JANK_JAVASCRIPT_LIBRARY "libjankwatch-javascript.so"
#define JANK_JAVASCRIPT_SYMBOL  "jank_javascript_plugin"

/* Function of gjs' that also tells that it is there. */
#define JANK_JAVASCRIPT_PROOF "gjs_context_get_current"

typedef struct _JankJavascript JankJavascript;

/* Both libraries come from one build, so there is no versioning. */
typedef struct
{
  /* As jank_javascript_attach(). */
  bool            (*attach)        (JankEngineAsk *asked);

  /* map must outlive it. */
  JankJavascript *(*new)           (JankCodeMap *map);
  void            (*free)          (JankJavascript *self);

  /* The calls of a thread that sleeps, read from the engine's memory, each in place of those of the engine's that run
   * it. sp, base: of the stack, base 0 unknown. Returns: (transfer full) (nullable): NULL where they cannot be read:
   * then ask for them. Nothing, if the thread has gone on meanwhile. */
  JankStack      *(*read)          (JankJavascript *self, pid_t tid, JankStack *stack, guint64 sp, guint64 base);

  /* Call it before a sample of a thread that may run JavaScript. Returns: the number of the request to ask while the
   * thread stands still or, if it sleeps, after mark(); 0: none */
  guint32         (*begin)         (JankJavascript *self, pid_t tid);

  /* Gives a stack taken at the request (0: none) the calls if they are known, else a mark. Drops the request if no
   * JavaScript is on it. In place of the engine's innermost calls, if those are known to collect garbage, stands the
   * collector. stack: (transfer full) (nullable). Returns: (transfer full) (nullable) */
  JankStack      *(*mark)          (JankJavascript *self, pid_t tid, JankStack *stack, guint32 number, gint64 at_ns);

  /* Whether the request has yet to be asked. */
  gboolean        (*awaits)        (const JankJavascript *self, guint32 number);

  /* Whether answers for marked stacks have come by then. */
  gboolean        (*has_answers)   (JankJavascript *self, gint64 until_ns);
  /* Gives a marked stack the calls from those answers. stack: (transfer full). Returns: (transfer full) */
  JankStack      *(*name)          (JankJavascript *self, JankStack *stack, gint64 until_ns);
  void            (*forget)        (JankJavascript *self, gint64 until_ns);

  /* Drops all requests: later answers belong to no stack. */
  void            (*rest)          (JankJavascript *self);

  /* Why a gjs program has no JavaScript calls on its stacks; given once. Returns: (transfer full) (nullable) */
  GError         *(*take_error)    (JankJavascript *self);
} JankJavascriptPlugin;

JANK_API extern const JankJavascriptPlugin jank_javascript_plugin;

/* Called by the engine's thread, from inside the loop. Opens the library, once gjs is there. Does nothing in a program
 * without gjs, or once attached. Returns: false: to be called again at the next turn, at most 16 times, as no
 * JavaScript call was there to check what is read from memory */
bool jank_javascript_attach (GError **error);

/* Makes one as soon as the library is open. engine, self (inout): NULL so far. Returns: whether they are there */
bool jank_javascript_make   (JankCodeMap *map, const JankJavascriptPlugin **engine, JankJavascript **self);
