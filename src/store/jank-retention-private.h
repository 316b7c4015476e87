/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which file of a full folder goes next: of the program that has most, of the problem that it has most of, the
 * oldest. So no program pushes out another's, and of a noisy program the rare problem stays. Any thread; blocks on
 * the disk. */

#pragma once

#include "store/jank-folder-private.h"

typedef struct _JankRetention JankRetention;

/* dir: the folder's. entries (element-type JankFolderEntry): borrowed, the oldest first; of very many the oldest
 * count. */
JankRetention         *jank_retention_new  (gint dir, GPtrArray *entries);
void                   jank_retention_free (JankRetention *self);

/* Each once. by_bytes: most is meant of bytes, not of files. Returns: (nullable): none is left */
const JankFolderEntry *jank_retention_next (JankRetention *self, gboolean by_bytes);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankRetention, jank_retention_free)
