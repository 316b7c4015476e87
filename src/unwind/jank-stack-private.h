/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One unwound stack: plain data, innermost call first. Watcher thread only. */

#pragma once

#include "unwind/jank-code-map-private.h"

#define JANK_STACK_MAX_CALLS 256

typedef struct
{
  guint64 pc;       /* inside the executing instruction: for callers, the return address less 1 */
  guint64 function; /* its start by the unwind table; pc itself without an entry, its page's where no file has it */
  guint32 module;   /* index into the code map, or JANK_MODULE_NONE */
  guint32 script_request : 31; /* whose answer names what the interpreter runs here, 0: none is awaited */
  guint32 is_aside       : 1;  /* between two calls of a script: in no tree */
  guint64 cfa;      /* the stack pointer after it returns (its CFA), 0: unknown, as of a call that the walk did not get
                       past */
} JankCall;

/* Whether both are of one function. */
static inline gboolean
jank_call_is_same (const JankCall *a, const JankCall *b)
{
  return a->function == b->function && a->module == b->module;
}

/* The function that an interpreter runs, NULL: a native one; the file of either. Returns: (transfer none) (nullable) */
const JankScript *jank_call_get_script (JankCodeMap *map, const JankCall *call);
const char       *jank_call_get_path   (JankCodeMap *map, const JankCall *call);

/* What a function on the stack is called for. JANK_NOTE_SOURCE: what the dispatched source serves. */
#define JANK_NOTE_SOURCE 0
typedef struct _JankNote
{
  struct _JankNote *next;
  guint64           function;
  char              text[];
} JankNote;

typedef struct
{
  gint      n_refs;
  guint32   n_calls;
  gboolean  complete; /* reached the thread's base */
  JankNote *notes;    /* (owned) (nullable) */
  JankCall calls[];
} JankStack;

/* Copies calls. Returns: (transfer full) */
JankStack *jank_stack_new   (const JankCall *calls, guint n_calls, gboolean complete);
JankStack *jank_stack_ref   (JankStack *self);
void       jank_stack_unref (JankStack *self);

/* With other calls, of which those that are too many are left out. self: (transfer full). Returns: (transfer full) */
JankStack *jank_stack_set_calls   (JankStack *self, const JankCall *calls, guint n_calls);

void       jank_stack_add_note    (JankStack *self, guint64 function, const char *text);

/* Same calls, by pc. */
gboolean   jank_stack_equal (const JankStack *a, const JankStack *b);

/* stack: (transfer full). Returns: (transfer full) */
typedef JankStack *(*JankStackRename) (JankStack *stack, gpointer data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankStack, jank_stack_unref)
