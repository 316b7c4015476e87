/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined (JANKWATCH_INSIDE) && !defined (JANKWATCH_COMPILATION)
#error "Only <jankwatch.h> can be included directly."
#endif

#include <glib.h>
#include "jank-version.h"

/**
 * JANK_CHECK_VERSION:
 * @major: the major version that is needed
 * @minor: the minor version
 * @micro: the micro version
 *
 * Whether the headers are of this version of jankwatch, or of a later one.
 */
#define JANK_CHECK_VERSION(major, minor, micro)                                                            \
  (JANK_MAJOR_VERSION > (major) || (JANK_MAJOR_VERSION == (major) && JANK_MINOR_VERSION > (minor)) ||      \
   (JANK_MAJOR_VERSION == (major) && JANK_MINOR_VERSION == (minor) && JANK_MICRO_VERSION >= (micro)))

/**
 * JANK_VERSION_0_1:
 *
 * Version 0.1, as a value for `JANK_VERSION_MAX_ALLOWED`.
 */
#define JANK_VERSION_0_1 (G_ENCODE_VERSION (0, 1))

/**
 * JANK_VERSION_MAX_ALLOWED:
 *
 * A program that defines this before it includes `jankwatch.h` is warned when it uses anything newer.
 */
#ifndef JANK_VERSION_MAX_ALLOWED
#define JANK_VERSION_MAX_ALLOWED (G_ENCODE_VERSION (JANK_MAJOR_VERSION, JANK_MINOR_VERSION))
#endif

#ifndef JANK_API
#define JANK_API __attribute__ ((visibility ("default")))
#endif

#if JANK_VERSION_MAX_ALLOWED < JANK_VERSION_0_1
#define JANK_AVAILABLE_IN_0_1 JANK_API G_UNAVAILABLE (0, 1)
#else
#define JANK_AVAILABLE_IN_0_1 JANK_API
#endif
