/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "store/jank-folder-private.h"
#include "store/jank-store-private.h"

static inline gint
store_list_compare_cb (gconstpointer a, gconstpointer b)
{
  return strverscmp ((*(JankReport *const *) b)->id, (*(JankReport *const *) a)->id);
}

/* All reports, newest first. ret_n_skipped (nullable): files that are not ours or cannot be read. */
static inline GPtrArray *
store_list (JankStore *store, guint *ret_n_skipped, GError **error)
{
  g_autoptr (GPtrArray) foreign = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) entries = jank_folder_scan (jank_store_get_folder (store), NULL, jank_store_is_id, foreign,
                                                    error);
  GPtrArray *reports = g_ptr_array_new_with_free_func ((GDestroyNotify) jank_report_unref);

  for (guint i = 0; entries != NULL && i < entries->len; i++)
    {
      JankReport *report = jank_store_load (store, ((JankFolderEntry *) entries->pdata[i])->name, NULL);

      if (report != NULL)
        g_ptr_array_add (reports, report);
    }
  if (ret_n_skipped != NULL && entries != NULL)
    *ret_n_skipped = foreign->len + entries->len - reports->len;
  if (entries == NULL)
    g_clear_pointer (&reports, g_ptr_array_unref);
  else
    g_ptr_array_sort (reports, store_list_compare_cb);
  return reports;
}
