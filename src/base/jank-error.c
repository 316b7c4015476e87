/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "base/jank-error.h"

G_DEFINE_QUARK (jank-error-quark, jank_error)
