/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "index/jank-index-private.h"

struct _JankIndex
{
  GPtrArray *reports; /* (owned) */
};

JankIndex *
jank_index_new (JankStore *store, JankIndexBadFunc bad, gpointer data, GError **error)
{
  g_autoptr (GPtrArray) reports = jank_store_list (store, NULL, error);
  JankIndex *self;

  if (reports == NULL)
    return NULL;
  self = g_new0 (JankIndex, 1);
  self->reports = g_steal_pointer (&reports);
  return self;
}

void
jank_index_free (JankIndex *self)
{
  g_ptr_array_unref (self->reports);
  g_free (self);
}

GPtrArray *
jank_index_find (JankIndex *self, const JankFilter *filter)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func (jank_row_free);

  for (guint i = 0; i < self->reports->len; i++)
    {
      g_autoptr (JankRow) row = jank_row_from_report (g_ptr_array_index (self->reports, i));

      if (filter == NULL || jank_filter_matches (filter, row))
        g_ptr_array_add (rows, g_steal_pointer (&row));
    }
  return rows;
}
