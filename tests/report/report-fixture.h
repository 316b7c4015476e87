/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Handmade reports: full.json, which has every field of the schema, and the least that a report may be. */

#pragma once

#include <json-glib/json-glib.h>

#include "report/jank-report-private.h"

#define REPORT_FIXTURE_ID "20261121-153012-4242-1"

/* A stall of 1.24 s in compute_primes(), with a wait in clock_nanosleep at its end.
 * Returns: (transfer full) */
JankReport           *report_fixture_new             (const char *id);
/* Without samples, source and culprit. Returns: (transfer full) */
JankReport           *report_fixture_new_bare        (const char *id);

/* The same with some of its JSON changed: "samples.*.state=blocked; heaviest.path.+={\"frame\":11}; culprit.file=" sets
 * the state of all samples, adds a step and leaves out a file. A value is JSON, or else a text. Members that are not
 * there are made. Returns: (transfer full) */
JankReport           *report_fixture_new_edited      (const char *edits);
JankReport           *report_fixture_new_bare_edited (const char *edits);

/* Returns: (transfer full): what report_fixture_new() reads */
char                 *report_fixture_dup_json        (void);

/* Its frame statistics: 1234 frames of animation, and late ones of both kinds. Returns: (transfer full) */
JankReportFrameClock *report_fixture_new_frame_clock (void);

/* The program waits for a lock that another user's process holds, which waits for the program: every member is set.
 * Returns: (transfer full) */
JankReportChain      *report_fixture_new_chain       (void);

/* expected: "samples[0].state='blocked'; culprit.file=": the value at each path, ' for ", or nothing */
void                  report_fixture_check_json      (JsonNode *root, const char *expected);
