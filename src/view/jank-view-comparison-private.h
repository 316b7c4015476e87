/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Two sets of a store, compared in a thread; the answer comes in the main context of the caller. */

#pragma once

#include "compare/jank-comparison-private.h"
#include "view/jank-view-source-private.h"

typedef struct
{
  GPtrArray      *rows[2], *files[2]; /* (owned) */
  JankComparison *comparison;         /* (owned) */
} JankViewComparison;

void                jank_view_comparison_free     (JankViewComparison *self);

/* a, b: as jank_filter_from_text() reads them. source has a store. */
void                jank_view_compare_sets        (JankViewSource *source, const char *a, const char *b,
                                                   GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data);
/* Returns: (transfer full) (nullable) */
JankViewComparison *jank_view_compare_sets_finish (GAsyncResult *result, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankViewComparison, jank_view_comparison_free)
