/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What formats that people read say of a report, in the user's language, and of several reports which of them are one problem. */

#pragma once

#include "export/jank-export-private.h"
#include "text/jank-text-report-private.h"

typedef struct
{
  const char *label;
  char       *text;
} JankExportFact;

/* Only what is known. Returns: (transfer full) (element-type JankExportFact) */
GPtrArray *jank_export_list_facts (const JankExportReport *made);

/* All reports with one fingerprint. */
typedef struct
{
  const JankExportReport *longest;
  guint64                 count; /* of stalls */
  gint64                  total_ns;
} JankExportProblem;

/* The one with the longest report first. Returns: (transfer full) (element-type JankExportProblem) */
GArray    *jank_export_list_problems (const JankExport *self);

/* A call on the heaviest stack, from the dispatch of the main loop inward. */
typedef struct
{
  const JankTextRow *row;
  gboolean           is_folded; /* of a library, and neither innermost nor called by the program */
} JankExportStep;

/* rows: of jank_text_heaviest(), which must outlive it. Returns: (transfer full) (element-type JankExportStep), innermost first */
GArray    *jank_export_list_path (const JankReport *report, const GArray *rows);

/* The same as text, a line a call: its shares, name and place. native: folds nothing. */
void       jank_export_append_path (GString *out, JankReport *report, gboolean native, guint max_calls);
