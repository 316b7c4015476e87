/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <stdbool.h>

#include "base/jank-version-macros.h"

/* Watches the default main context from now until the program ends; is_in_wait: its thread is inside the wait of one
 * of its turns, and calls. The GIO module and the preloaded library call it, by name. */
#define JANK_ACTIVATE_SYMBOL "jank_activate"

JANK_API void jank_activate (bool is_in_wait);
