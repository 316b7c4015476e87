/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Who waits for whom: from a thread to the owner of the lock it waits for, to the owner of the lock that one waits
 * for. Pure. */

#pragma once

#include <glib.h>
#include <sys/types.h>

/* tids[i] waits for a lock of owners[i], 0: for none whose owner is known. Appends indices to chain (of guint),
 * beginning with start; nothing when start waits for nobody that is in tids.
 * Returns: whether it is a cycle: then the last index is in the chain before */
gboolean jank_lock_chain_find (const pid_t *tids, const pid_t *owners, guint n, guint start, GArray *chain);
