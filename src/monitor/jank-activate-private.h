/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/jank-version-macros.h"

/* Watches the default main context from now until the program ends. startup_began_ns: CLOCK_MONOTONIC, when the program
 * began to start up; 0: now, if it is starting up. is_in_wait: the context's thread calls, in the wait of one of its
 * turns. The GIO module and the preloaded library call it, by name. */
#define JANK_ACTIVATE_SYMBOL "jank_activate"

JANK_API void jank_activate (int64_t startup_began_ns, bool is_in_wait);
