/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What formats that people read say of a report, in the user's language, and of several reports which of them are
 * one problem. */

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

/* A report as the format “brief” has it; problems (nullable): which of them to name beside it. Returns: (transfer
 * full) */
char      *jank_export_make_brief  (const JankExport *self, const JankExportReport *made, const GArray *problems);
