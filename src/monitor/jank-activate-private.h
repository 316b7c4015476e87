/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "base/jank-version-macros.h"

/* Watches the default main context from now until the program ends. The GIO module and the preloaded
 * library call it, by name. */
#define JANK_ACTIVATE_SYMBOL "jank_activate"

JANK_API void jank_activate (void);
