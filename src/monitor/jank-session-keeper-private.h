/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Keeps the session file of this process up to date for `jankwatch run`, also for when the process is killed:
 * soon after it has drawn frames or stalled, and not more often than the disk should be bothered with. Watcher
 * thread only. */

#pragma once

#include "monitor/jank-gtk-host-private.h"
#include "monitor/jank-program-private.h"
#include "report/jank-brief-stacks-private.h"
#include "watch/jank-watcher-private.h"

typedef struct _JankSessionKeeper JankSessionKeeper;

/* Any thread. session: of the variable JANKWATCH_SESSION; without one that is a name nothing is ever written. gtk
 * (nullable) and briefs outlive the keeper. */
JankSessionKeeper *jank_session_keeper_new  (const char *store_folder, const char *session, JankGtkHostState *gtk,
                                             JankBriefStacks *briefs);
void               jank_session_keeper_free (JankSessionKeeper *self);

/* (nullable) */
const char        *jank_session_keeper_get_name (JankSessionKeeper *self);

/* A stall that lasts, or (is_over) has ended; until the latter its report is known to be preliminary. */
void               jank_session_keeper_add  (JankSessionKeeper *self, const JankProgram *program, JankReport *report,
                                             gboolean is_over);
/* One that lasted was none. */
void               jank_session_keeper_remove (JankSessionKeeper *self, gint64 began_ns);

/* Any thread, once. */
void               jank_session_keeper_set_ledger (JankSessionKeeper *self, const JankSourceLedger *ledger);

/* Now. FALSE only with an error. map (nullable): no names can be told yet. */
gboolean           jank_session_keeper_save (JankSessionKeeper *self, const JankProgram *program,
                                             const JankWatcherCounts *counts, JankCodeMap *map, GError **error);

/* When something is new and the last time is long enough ago. ret_due_ns: when to ask again, 0: when something
 * happens. */
gboolean           jank_session_keeper_save_if_due (JankSessionKeeper *self, const JankProgram *program,
                                                    const JankWatcherCounts *counts, JankCodeMap *map, gint64 now_ns,
                                                    gint64 *ret_due_ns, GError **error);
