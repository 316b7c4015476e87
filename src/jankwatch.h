/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#define JANKWATCH_INSIDE
#include "jank-version-macros.h"
#include "jank-enums.h"
#include "jank-error.h"
#include "jank-monitor.h"
#include "jank-report.h"
#include "jank-tag.h"
#undef JANKWATCH_INSIDE
