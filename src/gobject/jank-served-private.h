/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a GIO source serves: a D-Bus method or signal, or a file's monitor. Watcher thread only, while the source is
 * being dispatched. */

#pragma once

#include "gobject/jank-type-nodes-private.h"
#include "observe/jank-source-info-private.h"

/* source: one whose callback (or dispatch, if it has no callback) is GIO's.
 * Returns: (transfer full) (nullable): "D-Bus signal org.example.Ledger.Changed" */
char *jank_served_describe (const JankTypes *types, const JankSourceInfo *source);
