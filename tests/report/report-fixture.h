/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Handmade reports, with every field of the schema filled. */

#pragma once

#include "report/jank-report-private.h"

/* A stall of 1.24 s in compute_primes(), with a wait in clock_nanosleep at its end.
 * Returns: (transfer full) */
JankReport *report_fixture_new     (const char *id);

/* Its frame statistics: 1234 frames of animation, and late ones of both kinds. Returns: (transfer full) */
/* The program waits for a lock that another user's process holds, which waits for the program: every member is set. */
JankReportChain *report_fixture_new_chain (void);

JankReportFrameClock *report_fixture_new_frame_clock (void);

/* Its least: no samples, no source, no culprit. Returns: (transfer full) */
JankReport *report_fixture_new_bare (const char *id);
