/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a source that GIO made serves: a D-Bus method or signal, or the monitor of a file. Watcher thread only, while the
 * source is dispatched. */

#pragma once

#include "gobject/jank-type-nodes-private.h"
#include "observe/jank-source-info-private.h"

/* source: its callback or, without one, its dispatch is GIO's. Returns: (transfer full) (nullable):
 * "D-Bus signal org.example.Ledger.Changed" */
char *jank_served_describe (const JankTypes *types, const JankSourceInfo *source);
