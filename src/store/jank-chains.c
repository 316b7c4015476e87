/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "store/jank-chains-private.h"

#include <string.h>

#include "report/jank-report-json-private.h"

#define FOLDER "chains"

JankReportChain *
jank_chains_load (const char *folder, const char *id)
{
  gsize n_bytes;
  g_autofree char *text = jank_folder_read (folder, FOLDER, id, &n_bytes, NULL);

  return text != NULL ? jank_report_chain_from_json (text, n_bytes) : NULL;
}

void
jank_chains_remove (const char *folder, const char *id)
{
  jank_folder_remove (folder, FOLDER, id);
}

void
jank_chains_tidy (const char *folder, JankFolderNameFunc is_ours)
{
  g_autoptr (GPtrArray) entries = jank_folder_scan (folder, FOLDER, is_ours, NULL, NULL);

  for (guint i = 0; entries != NULL && i < entries->len; i++)
    {
      const JankFolderEntry *entry = g_ptr_array_index (entries, i);

      if (!jank_folder_has (folder, entry->name))
        jank_chains_remove (folder, entry->name);
    }
}

gboolean
jank_chains_keep (const char *folder, const char *id, const JankReportChain *chain)
{
  g_autoptr (JankReportChain) there = jank_chains_load (folder, id);
  g_autofree char *text = NULL;

  if (there != NULL && there->began_monotonic_ns != chain->began_monotonic_ns &&
      there->duration_ns > chain->duration_ns)
    return TRUE;
  text = jank_report_chain_to_json (chain);
  return jank_folder_write (folder, FOLDER, id, text, strlen (text), NULL);
}
