/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* For which function of the program a source was dispatched whose callback is a binding's closure, or a function of
 * the platform's that calls others: the ledger knows the function of a closure, else the samples tell that were taken
 * during its dispatches. Watcher thread only. */

#pragma once

#include "observe/jank-source-ledger-private.h"
#include "sample/jank-sample-private.h"

/* Borrowed. */
typedef struct
{
  JankCodeMap            *map;
  const JankSourceLedger *ledger;
  const JankSample       *samples;
  guint                   n_samples;
} JankDispatched;

/* A function that samples show, and in how many, or for how long. */
typedef struct
{
  JankCall call;
  gint64   weight;
} JankCalled;

/* tally: of JankCalled, each function once */
void              jank_called_count     (GArray *tally, const JankCall *call, gint64 weight);
/* Returns: (nullable): it is empty */
const JankCalled *jank_called_find_most (const GArray *tally);

/* is_direct: with nothing but an interpreter between the two; dispatch: 0 for any source's. Returns: (nullable): the
 * program's outermost call that the source's dispatch has made on the stack */
const JankCall *jank_dispatched_find_called  (JankCodeMap *map, const JankStack *stack, guint64 dispatch,
                                              gboolean is_direct);

/* The call's function as a place of its own: a script's is where it begins, not the line that it was in. */
JankCall        jank_dispatched_get_function (JankCodeMap *map, const JankCall *call);

/* Whether the callback says who it is: it is a function of the program's. */
gboolean        jank_dispatched_is_known     (JankCodeMap *map, guint64 callback);

/* row: of the ledger. FALSE: the function is not known; no sample was taken in it, or most show another one each */
gboolean        jank_dispatched_find_row     (const JankDispatched *self, guint row, JankCall *ret_call);

/* Of sources that the ledger does not know, a program's own among them: adds for how long the samples that were taken
 * in [from_ns, to_ns) show each function. */
void            jank_dispatched_tally_others (const JankDispatched *self, gint64 from_ns, gint64 to_ns, GArray *tally);
