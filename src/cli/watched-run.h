/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One command run with jankwatch inside it, and what its processes said: the core of `run` and `demo`. */

#pragma once

#include "store/jank-session-private.h"
#include "store/jank-store-private.h"

typedef struct
{
  int                 exit_status; /* of the command, as `jankwatch run` passes it on */
  JankStore          *store;       /* (owned) */
  JankSessionSummary *summary;     /* (owned) (nullable): it could not be read, the user was told */
  gboolean            started;     /* the command ran at all */
  gboolean            can_store;   /* its processes could keep what they saw */
} WatchedRun;

/* argv: the command, ended by NULL. store (nullable): of --store. setting (nullable): as in JANKWATCH_CONFIG, to
 * come after the user's own. environment: set for the command beside what
 * watching needs, "NAME=value" (nullable). Returns: (transfer full) (nullable): NULL after it told the user that
 * nothing can be watched. */
WatchedRun             *watched_run      (char **argv, const char *store, const char *setting,
                                          const char *const *environment);
void                    watched_run_free (WatchedRun *self);

/* The report of stall, with lines of the source. Returns: (transfer full) (nullable): it is gone */
JankReport             *watched_run_load (WatchedRun *self, const JankSessionStall *stall);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (WatchedRun, watched_run_free)
