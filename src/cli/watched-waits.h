/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a watched program that hangs has put on disk of its wait: more than the kernel tells, such as whom a D-Bus call is
 * for and which function computes. */

#pragma once

#include "chain/jank-chain-private.h"

typedef struct _WatchedWaits WatchedWaits;

/* store: (nullable): of --store */
WatchedWaits *watched_waits_new  (const char *store);
void          watched_waits_free (WatchedWaits *self);

/* A JankChainTeller's. data: a WatchedWaits */
void          watched_waits_tell (const JankLook *look, JankTold *told, gpointer data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (WatchedWaits, watched_waits_free)
