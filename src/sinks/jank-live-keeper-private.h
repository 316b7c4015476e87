/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Keeps the program's live file. Written when a stall is found, told and over; between them once a second, if a reader
 * asks for it and the watcher looks at the loop anyway. */

#pragma once

#include "sinks/jank-gtk-host-private.h"

typedef struct _JankLiveKeeper JankLiveKeeper;

/* Any thread. session (nullable): of `jankwatch run`. gtk (nullable): whose frames are counted */
JankLiveKeeper *jank_live_keeper_new (const JankSettings *settings, const char *session, JankGtkHostState *gtk);

extern const JankSinkFuncs jank_live_keeper_sink;
