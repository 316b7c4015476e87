/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#define JANKWATCH_INSIDE
#include "base/jank-version-macros.h"
#include "base/jank-error.h"
#include "frames/jank-frame-enums.h"
#include "report/jank-report.h"
#include "monitor/jank-frame-stats.h"
#include "monitor/jank-monitor.h"
#undef JANKWATCH_INSIDE
