/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Does the process keep a CPU busy? After QiLagMonitor (a thread over 80 % for 3 s) and WeChat Matrix (the process
 * over 80 %). A busy thread makes its process busy, so only the process is measured. Each third of the time must be
 * over the limit. Pure: readings in, verdict out. */

#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "rules/jank-rule-private.h"

typedef enum
{
  JANK_CPU_NORMAL,
  JANK_CPU_HIGH,  /* for less than cpu_ns yet */
  JANK_CPU_FOUND,
} JankCpuVerdict;

typedef struct
{
  int64_t        last_ns, last_cpu_ns;
  int64_t        began_ns;  /* of the first third that was over */
  bool           has_last;
  JankCpuVerdict verdict;
} JankCpuFinder;

/* When to look next. */
int64_t        jank_cpu_finder_next_look (const JankCpuFinder *self, const JankRule *rule);

/* cpu_ns: of all threads, since the process began. */
JankCpuVerdict jank_cpu_finder_look      (JankCpuFinder *self, const JankRule *rule, int64_t now_ns, int64_t cpu_ns);
