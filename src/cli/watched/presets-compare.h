/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* All rules over one recorded run, side by side. */

#pragma once

#include "rules/jank-events-private.h"

/* Settings of the recorded run: the defaults, with more stacks than any rule reads. */
#define PRESETS_COMPARE_SETTINGS "preset=default,observer=loop,threshold=100ms,check-interval=0,first-sample=5ms,interval=5ms," \
                                 "rule=path,frames=yes"

void presets_compare_print (const JankEvents *events, gboolean json);
