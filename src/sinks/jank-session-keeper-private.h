/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Keeps the session file of this process up to date for `jankwatch run`, which reads it also after the process was
 * killed. Writes it soon after frames or stalls, at most once a second. */

#pragma once

#include "observe/jank-turns-private.h"
#include "sinks/jank-gtk-host-private.h"
#include "watch/jank-sink-private.h"

typedef struct _JankSessionKeeper JankSessionKeeper;

/* Any thread. session: a name of jank_session_is_name(). startup_began_ns: since when the start-up is watched, 0: it is
 * not. gtk, turns (nullable): outlive the keeper. */
JankSessionKeeper *jank_session_keeper_new        (const char *store_folder, const char *session, gint64 startup_began_ns,
                                                   JankGtkHostState *gtk, const JankTurns *turns);

/* Any thread, once. */
void               jank_session_keeper_set_ledger (JankSessionKeeper *self, const JankSourceLedger *ledger);

extern const JankSinkFuncs jank_session_keeper_sink;
