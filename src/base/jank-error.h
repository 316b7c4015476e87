/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined (JANKWATCH_INSIDE) && !defined (JANKWATCH_COMPILATION)
#error "Only <jankwatch.h> can be included directly."
#endif

#include <glib.h>
#include "jank-version-macros.h"

G_BEGIN_DECLS

/**
 * JANK_ERROR:
 *
 * Error domain of jankwatch. Its errors have a code of [error@Error].
 */
#define JANK_ERROR (jank_error_quark ())

/**
 * JankError:
 * @JANK_ERROR_FAILED: none of the below
 * @JANK_ERROR_INVALID: data or a setting is not what its format says
 * @JANK_ERROR_VERSION: a report of another major version of the schema
 * @JANK_ERROR_NOT_FOUND: no such report
 * @JANK_ERROR_UNAVAILABLE: the system lacks what is needed
 *
 * Codes of the domain `JANK_ERROR`.
 */
typedef enum
{
  JANK_ERROR_FAILED,
  JANK_ERROR_INVALID,
  JANK_ERROR_VERSION,
  JANK_ERROR_NOT_FOUND,
  JANK_ERROR_UNAVAILABLE,
} JankError;

JANK_AVAILABLE_IN_0_1 GQuark jank_error_quark (void);

G_END_DECLS
