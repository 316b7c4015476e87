/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the two modules share. Main thread; needs neither GLib nor GTK. */

#pragma once

#include <stdbool.h>

/* Nobody may watch this process: it runs with more rights than its user, or JANKWATCH=0. */
bool        jank_module_is_forbidden (void);

/* Opens the library for good and watches the default main context; again: does nothing. Returns: (nullable): why not, as
 * dlerror() tells; NULL: it does */
const char *jank_module_start        (void);
