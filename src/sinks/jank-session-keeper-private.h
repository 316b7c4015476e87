/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Keeps the session file of this process up to date for `jankwatch run`, which reads it also after the process was
 * killed. Writes it soon after frames or stalls, at most once a second. Where nobody runs the program by it, how long it
 * was watched and how long it hung is kept all the same, in a session of its own, and written after stalls, at a look
 * that is taken anyway every ten minutes, and at its end: an idle program is not woken for it. */

#pragma once

#include "observe/jank-turns-private.h"
#include "sinks/jank-gtk-host-private.h"
#include "watch/jank-sink-private.h"

typedef struct _JankSessionKeeper JankSessionKeeper;

/* Any thread. session (nullable): of `jankwatch run`, a name of jank_session_is_name(). startup_began_ns: since when the start-up is watched, 0: it is
 * not. gtk, turns (nullable): outlive the keeper. */
JankSessionKeeper *jank_session_keeper_new        (const char *store_folder, const char *session,
                                                   gint64 startup_began_ns,
                                                   JankGtkHostState *gtk, const JankTurns *turns);

/* The session's name, which is of its own without `run`. */
const char        *jank_session_keeper_get_name   (const JankSessionKeeper *self);

/* Any thread, once. */
void               jank_session_keeper_set_ledger (JankSessionKeeper *self, const JankSourceLedger *ledger);

extern const JankSinkFuncs jank_session_keeper_sink;
