/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What `jankwatch run` says on stderr when its command has ended. */

#pragma once

#include "watched-run.h"

void                    run_summary_print (WatchedRun *run);

/* The longest stall; without one the longest that is something else. Returns: (nullable) */
const JankSessionStall *run_summary_worst (WatchedRun *run);
