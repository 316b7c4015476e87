/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the functions of a report are called and where they stand in the source, filled in for a person who reads. */

#pragma once

#include "elf/jank-source-lines-private.h"
#include "report/jank-report-private.h"

/* Fills calls[].file, line and inlined, symbol and name_from where there is none, and the culprit's function,
 * inlined_into, file and line. report must not be shared yet. */
void jank_report_fill_lines        (JankReport *report, JankSourceLines *lines);

/* Same for the culprit alone. */
void jank_report_fill_culprit_line (JankReport *report, JankSourceLines *lines);
