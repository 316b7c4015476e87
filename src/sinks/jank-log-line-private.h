/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tells the program's own log of a stall the moment it is found, where the setting “log” asks for it. */

#pragma once

#include "watch/jank-sink-private.h"

typedef struct _JankLogLine JankLogLine;

/* Any thread. */
JankLogLine *jank_log_line_new (void);

extern const JankSinkFuncs jank_log_line_sink;
