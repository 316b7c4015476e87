/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions that an interpreter runs. On a stack they are calls like native ones: module is JANK_MODULE_SCRIPT,
 * function and pc are numbers that only this table knows. Watcher thread only. */

#pragma once

#include <glib.h>

#include "unwind/jank-stack-private.h"

/* In place of an index into the code map. */
#define JANK_MODULE_SCRIPT (G_MAXUINT32 - 1)

struct _JankScript
{
  const char *language; /* as in the report: "python", "javascript" */
  char       *name;     /* qualified */
  char       *file;     /* as the interpreter knows it */
  guint       line;     /* of the function, 0: not known */
  gboolean    is_collector; /* no function: the interpreter collects garbage; file is the interpreter's */
};

/* How the name begins of what is no function, either: an interpreter's end, and that of its last objects and
 * threads. */
#define JANK_SCRIPT_END "the shutdown of "

JankScripts      *jank_scripts_new  (void);
void              jank_scripts_free (JankScripts *self);

/* function: name and file are copied when it is a new one. line: that is executed.
 * FALSE: there are JANK_SCRIPTS_MAX already, as in a program that makes its functions while it runs. */
#define JANK_SCRIPTS_MAX 8192
gboolean          jank_scripts_add  (JankScripts *self, const JankScript *function, guint line, JankCall *ret_call);

/* Returns: (transfer none) (nullable): NULL for a native call */
const JankScript *jank_scripts_get  (const JankScripts *self, const JankCall *call);
/* The line that a script's call is at, 0: not known */
#define JANK_SCRIPT_LINE(call) ((guint) ((call)->pc - (call)->function))
