/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "store/jank-chains-private.h"

#include "report/jank-report-json-private.h"

JankReportChain *
jank_chains_load (const char *folder, const char *id)
{
  gsize n_bytes;
  g_autofree char *text = jank_folder_read (folder, JANK_CHAINS_FOLDER, id, &n_bytes, NULL);

  return text != NULL ? jank_report_chain_from_json (text, n_bytes) : NULL;
}

void
jank_chains_remove (const char *folder, const char *id)
{
  jank_folder_remove (folder, JANK_CHAINS_FOLDER, id);
}
