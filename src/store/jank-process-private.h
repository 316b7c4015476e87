/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether the process that wrote a file still runs. Any thread. */

#pragma once

#include <glib.h>

/* TRUE when process pid runs and was started before real_us (since the Unix epoch): a younger one merely
 * got the number of one that is gone. A zombie is gone. */
gboolean jank_process_is_alive (gint pid, gint64 real_us);
