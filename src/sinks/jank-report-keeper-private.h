/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Keeps reports in the store, and starts what tells people of a new one. The first of the recorder's sinks. */

#pragma once

#include "watch/jank-sink-private.h"

typedef struct _JankReportKeeper JankReportKeeper;

JankReportKeeper *jank_report_keeper_new (void);

extern const JankSinkFuncs jank_report_keeper_sink;
