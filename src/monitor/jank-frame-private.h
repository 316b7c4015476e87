/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "frames/jank-frame-verdict-private.h"
#include "monitor/jank-frame.h"

/* verdict (nullable): it was not measured against another. window (nullable). Returns: (transfer full) */
JankFrame *jank_frame_new (const JankFrameEvent *event, const JankFrameVerdict *verdict, const char *window);
