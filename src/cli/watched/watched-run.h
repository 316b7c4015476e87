/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One command, run with jankwatch inside it, and what its processes reported: the core of `run` and `demo`. */

#pragma once

#include "cli/programs/bus-names.h"
#include "onlooker.h"
#include "store/jank-session-private.h"
#include "store/jank-store-private.h"
#include "text/jank-report-lines-private.h"

typedef struct
{
  int                 exit_status; /* of the command, as `jankwatch run` passes it on */
  JankStore          *store;       /* (owned) */
  JankSessionSummary *summary;     /* (owned) (nullable): NULL after printing why it cannot be read */
  gboolean            started;     /* the command ran at all */
  gboolean            is_strict;   /* calls that may block were to be listed */
  char               *why_not_all; /* (owned) (nullable): why the library was not preloaded */
  Onlooker           *onlooker;    /* (owned): of why nothing was watched */
  gboolean            can_store;   /* its processes could keep what they saw */
  JankSourceLines    *lines;       /* (owned) */
  BusNames           *names;       /* (owned) */
} WatchedRun;

/* argv: the command, NULL-terminated. store (nullable): of --store. setting (nullable): put behind the user's
 * JANKWATCH_CONFIG. environment (nullable): more variables of the command, "NAME=value". live: print a line the
 * moment it stalls. is_strict: calls that may block are listed, too. Returns: (transfer full) (nullable): NULL after
 * printing that nothing can be watched */
WatchedRun             *watched_run      (char **argv, const char *store, const char *setting,
                                          const char *const *environment, gboolean live, gboolean is_strict);
void                    watched_run_free (WatchedRun *self);

/* The report of stall, with source lines. Returns: (transfer full) (nullable): it is gone */
JankReport             *watched_run_load (WatchedRun *self, const JankSessionStall *stall);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (WatchedRun, watched_run_free)
