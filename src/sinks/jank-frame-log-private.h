/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every frame of an animation as a row of a table, where the setting “frame-log” asks for it: comma-separated values,
 * the first columns as MangoHud's, so that what draws its logs draws these. */

#pragma once

#include "watch/jank-sink-private.h"

typedef struct _JankFrameLog JankFrameLog;

/* path: the file's name is that, this process's number and “.csv”. */
JankFrameLog *jank_frame_log_new (const char *path);

extern const JankSinkFuncs jank_frame_log_sink;
