/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/jank-error.h"

/**
 * jank_error_quark:
 *
 * The error domain of jankwatch, [error@Error].
 *
 * Returns: its quark
 */
G_DEFINE_QUARK (jank-error-quark, jank_error)
