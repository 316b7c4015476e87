/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the two modules share. Main thread; needs neither GLib nor GTK. */

#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Nobody may watch this process: it runs with more rights than its user, JANKWATCH=0, or it is a service that the bus
 * or systemd started with the environment of `run`. */
bool        jank_module_is_forbidden (void);

/* JANKWATCH_EXCEPT has the name of this program's file, or of the script that its interpreter was started by; `run`
 * watches it all the same. */
bool        jank_module_is_left_out  (void);

/* list (nullable): separated by colons; of each entry the first max bytes count. */
bool        jank_module_list_has     (const char *list, const char *name, size_t max);

/* Opens the library for good and watches the default main context; again: does nothing. Returns: (nullable): why
 * not, as dlerror() tells; NULL: it does */
const char *jank_module_start        (void);
