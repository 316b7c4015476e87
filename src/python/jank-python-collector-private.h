/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Python's garbage collector: which functions of the interpreter's it is, and what it was at in a sample. A thread
 * collects if such a function is on its stack while the interpreter says that it collects; the flag alone may be
 * another thread's doing. Watcher thread only. */

#pragma once

#include "python/jank-python-walk-private.h"
#include "unwind/jank-code-map-private.h"
#include "unwind/jank-stack-private.h"

#define JANK_PYTHON_MAX_COLLECTORS 2

typedef struct
{
  guint16 collecting;  /* as in the layout */
  guint16 generations; /* where they begin in the collector's state, 0: not told yet */
  guint64 functions[JANK_PYTHON_MAX_COLLECTORS]; /* the outer one first */
  guint   n_functions; /* 0: not known */
} JankPythonCollector;

/* Finds the functions. module: of the map, the interpreter's */
void     jank_python_collector_init  (JankPythonCollector *self, const JankModule *module,
                                      const JankPythonLayout *layout);

/* Learns where the generations are: their lists' links tell. address: of the collector's state */
void     jank_python_collector_learn (JankPythonCollector *self, guint64 address);

/* Returns: whether the call is the collector, at work */
gboolean jank_python_collector_is    (const JankPythonCollector *self, const JankCall *call,
                                      const JankPythonCalls *calls);

/* Adds the name of what it does to scripts. */
gboolean jank_python_collector_name  (const JankPythonCollector *self, const JankPythonCalls *calls,
                                      const JankModule *module, JankScripts *scripts, JankCall *ret_call);
