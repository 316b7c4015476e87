/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The watchers that run in this process, for the process's end: a last stall is not lost. Any thread. */

#pragma once

#include "watch/jank-watcher-private.h"

void     jank_running_add    (JankWatcher *watcher);

/* FALSE: it was not in the list, such as in a forked child, which has none. */
gboolean jank_running_remove (JankWatcher *watcher);
