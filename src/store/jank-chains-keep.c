/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "store/jank-chains-private.h"

#include <string.h>

#include "base/jank-each-private.h"
#include "report/jank-report-json-private.h"
#include "store/jank-store-private.h"

/* Removes those whose reports are gone. */
static void
jank_chains_tidy (const char *folder)
{
  g_autoptr (GPtrArray) entries = jank_folder_scan (folder, JANK_CHAINS_FOLDER, jank_store_is_id, NULL, NULL);

  JANK_EACH (const JankFolderEntry, entry, entries)
    if (!jank_folder_has (folder, entry->name))
      jank_chains_remove (folder, entry->name);
}

/* Of the report's stalls the longest keeps its chain. FALSE: it cannot be written */
static gboolean
jank_chains_keep (const char *folder, const char *id, const JankReportChain *chain)
{
  g_autoptr (JankReportChain) there = jank_chains_load (folder, id);
  g_autofree char *text = NULL;

  if (there != NULL && there->began_monotonic_ns != chain->began_monotonic_ns &&
      there->duration_ns > chain->duration_ns)
    return TRUE;
  text = jank_report_chain_to_json (chain);
  return jank_folder_write (folder, JANK_CHAINS_FOLDER, id, text, strlen (text), NULL);
}

gboolean
jank_store_keep_chain (JankStore *self, const char *id, const JankReportChain *chain)
{
  const char *folder = jank_store_get_folder (self);

  if (!jank_store_is_id (id) || !jank_store_has (self, id))
    return FALSE;
  jank_chains_tidy (folder);
  return jank_chains_keep (folder, id, chain);
}
