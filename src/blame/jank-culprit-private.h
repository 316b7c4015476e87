/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Who is to blame for a stall: a pure function over the names on its heaviest path, any thread. */

#pragma once

#include <glib.h>

typedef struct
{
  const char *function;    /* (nullable): symbol */
  const char *module;      /* (nullable): file name without folder; NULL: code that no file holds */
  gboolean    in_platform; /* by jank_platform_contains() */
} JankCulpritStep;

/* The deepest function of the program itself, looking inward from the innermost dispatch of a main loop; without
 * a dispatch, as at start-up, from main(). Where the program has none there, the deepest named function of
 * the platform; where nothing there has a name, the deepest one. Steps are outermost first.
 *
 * Returns: index of a step, -1 when there are none; then ret_reason is untouched. Else it is a fragment of a
 * sentence, not translated: gettext has it. */
gint  jank_culprit_find       (const JankCulpritStep *steps, guint n_steps, const char **ret_reason);

/* Where the search begins. Returns: index of the first step inward of the dispatch, n_steps when there is none */
guint jank_culprit_find_first (const JankCulpritStep *steps, guint n_steps);
