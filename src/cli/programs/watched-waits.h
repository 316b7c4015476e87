/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What watched programs that hang have put into their live files: more than the kernel tells, such as whom a D-Bus
 * call is for and which function computes. One thread. */

#pragma once

#include "chain/jank-chain-private.h"
#include "live/jank-live-reader-private.h"

typedef struct _WatchedWaits WatchedWaits;

/* reader: outlives it, and has looked */
WatchedWaits    *watched_waits_new  (JankLiveReader *reader);
void             watched_waits_free (WatchedWaits *self);

/* Adds to a stall under way, or one that has ended, what is known here alone: names, lines, who serves a D-Bus name. */
void             watched_waits_fill (WatchedWaits *self, const JankLiveProgram *program, JankReport *gist);

/* Of a process or thread, with what watched programs tell. Returns: (transfer full) (nullable): there is none */
JankReportChain *watched_waits_read (WatchedWaits *self, pid_t pid);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (WatchedWaits, watched_waits_free)
