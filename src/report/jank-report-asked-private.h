/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether the program itself asked for the call that a report's only sample is of. */

#pragma once

#include "report/jank-report-private.h"

/* A function of the program made the call, while the loop dispatched it, and no library on its own account. */
gboolean jank_report_is_asked (JankReport *report);
