/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Keeps reports in the store, and starts what tells people of a new one. The first of the recorder's sinks. */

#pragma once

#include "monitor/sinks/jank-sink-private.h"

typedef struct _JankReportKeeper JankReportKeeper;

/* On the thread that sets the program's environment, if any does. */
JankReportKeeper *jank_report_keeper_new (const JankSettings *settings);

extern const JankSinkFuncs jank_report_keeper_sink;
