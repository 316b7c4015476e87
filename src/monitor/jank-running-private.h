/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The watchers of this process: at its end each may finish its last report. Any thread. */

#pragma once

#include "watch/jank-watcher-private.h"

/* TRUE the first time that a process asks: it may be activated. A fork of a program that has no loop yet may be the
 * program itself (gvim, daemons), and asks anew. No system call, no lock. */
gboolean jank_running_claim  (void);

void     jank_running_add    (JankWatcher *watcher);

/* FALSE: it is not in the list, which is empty in a forked child. */
gboolean jank_running_remove (JankWatcher *watcher);
