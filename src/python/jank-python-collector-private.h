/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which functions of the interpreter's are Python's garbage collector? Watcher thread only. */

#pragma once

#include "unwind/jank-code-map-private.h"
#include "unwind/jank-scripts-private.h"
#include "unwind/jank-stack-private.h"

#define JANK_PYTHON_MAX_COLLECTORS 2

typedef struct
{
  guint64 functions[JANK_PYTHON_MAX_COLLECTORS]; /* the outer one first */
  guint   n_functions; /* 0: not known */
} JankPythonCollector;

/* Finds the functions. module: of the map, the interpreter's */
void     jank_python_collector_init (JankPythonCollector *self, const JankModule *module);

gboolean jank_python_collector_is   (const JankPythonCollector *self, const JankCall *call);

/* Adds its name to scripts. */
gboolean jank_python_collector_name (const JankModule *module, JankScripts *scripts, JankCall *ret_call);
