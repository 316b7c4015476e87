/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A chain of waits for people. Any thread. */

#pragma once

#include "report/jank-report-private.h"
#include "text/jank-text-private.h"

/* "gedit [812] waits for backup [9123], which sleeps for 60 s". Returns: (transfer full) */
char *jank_text_chain_sentence (const JankReportChain *chain);

/* A line a link, of the first to the cause, each with its end. Returns: (transfer full) */
char *jank_text_chain_lines    (const JankReportChain *chain, const JankTextStyle *style);

/* Of a report: "waits for a lock on ‘a.db’ → backup [9123] computes (seen after 103 ms)". chain: (nullable): its own.
 * Returns: (transfer full) (nullable): chain is NULL, or the program computed */
char *jank_text_chain_fact     (const JankReport *report, const JankReportChain *chain);
