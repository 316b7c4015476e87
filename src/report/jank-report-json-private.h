/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A report as JSON and back, by the schema jankwatch-report-1.schema.json. Any thread; no files. */

#pragma once

#include "json/jank-json-private.h"
#include "report/jank-report-private.h"

/* Returns: (transfer full): JSON of one line, or indented for people */
char       *jank_report_generate_json (JankReport *self, gboolean pretty);

/* Of what jank_live_gist_new() leaves: JSON of one line, without what that never has. Returns: (transfer full) */
char       *jank_report_generate_gist (JankReport *self);

/* Returns: (transfer full): JANK_ERROR_INVALID for what is not a report, JANK_ERROR_VERSION for one of
 * another major version of the schema. Unknown names are ignored, every index is in bounds. */
JankReport *jank_report_from_json     (const char *text, gsize n_bytes, GError **error);

/* A chain by itself, in the schema jankwatch-chain-1. Returns: (transfer full) */
JsonNode        *jank_report_chain_to_node   (const JankReportChain *chain);
char            *jank_report_chain_to_json   (const JankReportChain *chain);
/* Returns: (transfer full) (nullable): it is none */
JankReportChain *jank_report_chain_from_json (const char *text, gsize n_bytes);
