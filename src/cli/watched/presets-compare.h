/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* All rules over one recorded run, side by side. */

#pragma once

#include "rules/jank-events-private.h"

void presets_compare_print (const JankEvents *events, gboolean json);
