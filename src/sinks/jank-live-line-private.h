/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tells of a stall the moment it is found: `jankwatch run`, where that has started the program, and the program's own
 * log, where the setting “log” asks for it. */

#pragma once

#include "watch/jank-sink-private.h"

typedef struct _JankLiveLine JankLiveLine;

/* Any thread. session (nullable): of `jankwatch run` */
JankLiveLine *jank_live_line_new (const char *session);

extern const JankSinkFuncs jank_live_line_sink;
