/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which function is to blame for a stall. Pure, over the names on the heaviest path; any thread. */

#pragma once

#include "unwind/jank-scripts-private.h"

/* Reasons: of a culprit that stands for a function without a name, and of one without a function of the program. */
#define JANK_CULPRIT_STANDS   N_("function of the program that led to one without a name")
#define JANK_CULPRIT_PLATFORM N_("no function of the program is on the heaviest path; the deepest named platform " \
                                 "function")
#define JANK_CULPRIT_WALKS    N_("the main loop goes through all of its sources in each turn")

typedef struct
{
  const char *function; /* (nullable): symbol */
  const char *module;   /* (nullable): path or file name; NULL: code that no file holds */
  gboolean    is_collector; /* no function: an interpreter's garbage collector */
} JankCulpritStep;

/* name (nullable): of the call */
JankCulpritStep jank_culprit_make_step (JankCodeMap *map, const JankCall *call, const char *name);

/* Whether a function is the program's: of no library of the platform, and no part of its language's standard
 * library, which is compiled into it. */
gboolean jank_culprit_is_own    (const JankCulpritStep *step);

/* The same of a function that the compiler inlined into code of the step's module; file (nullable): where its source
 * is. */
gboolean jank_culprit_is_own_inlined (const JankCulpritStep *step, const char *file);

/* Whether a file is in no package of Python's (site-packages, dist-packages), or in that of another of the program's
 * files, or in one that is called as the program's script: packages that a program uses are not the program. Both
 * (nullable). */
gboolean jank_culprit_shares_package (const char *path, const char *program);

/* The deepest function of the program itself, searched inward from the innermost dispatch of the main loop, or
 * from main() where there is no dispatch, as at start-up. Where that one has no name, the nearest function further out
 * in the same file that has. If the program has none there, the deepest named function of the platform, short of
 * graphics drivers, and of what anything calls, as GLib; if nothing there has a name, the deepest function. Steps are
 * outermost first.
 *
 * A garbage collection that no function asked for is its own culprit, but for what it calls.
 *
 * is_stall: the watched loop did not turn meanwhile, so it is not the loop that waits in poll on this path.
 * ret_reason: part of a sentence, untranslated. Returns: index of a step; -1 without steps */
gint  jank_culprit_find       (const JankCulpritStep *steps, guint n_steps, gboolean is_stall, const char **ret_reason);

/* Whether the path ends in the poll of a main loop, and not of one that a synchronous call runs. What GLib calls
 * to dispatch is not asked for: from GLib 2.84 on it is static. */
gboolean jank_culprit_is_in_poll (const JankCulpritStep *steps, guint n_steps);

/* Returns: how many steps are outward of the loop that somebody runs inside of n_dispatches dispatches; n_steps when
 * there is none. */
guint jank_culprit_count_outside (const JankCulpritStep *steps, guint n_steps, guint n_dispatches);

/* Whether it is a step that glibc 2.41 takes between its poll() and the kernel: the call that makes it says all.
 * function: (nullable) */
gboolean jank_culprit_is_folded (const char *function);

/* Whether it is of GLib, GObject or an interpreter: what anything calls says nothing of why. */
gboolean jank_culprit_is_runtime (const JankCulpritStep *step);

/* Whether the loop goes through its sources: its own work, whatever it dispatched before. */
gboolean jank_culprit_is_walk (const JankCulpritStep *step);

/* Whether it is no function, but the end of an interpreter. */
gboolean jank_culprit_is_end (const JankCulpritStep *step);

/* Whether a function is of the standard library of C++ or Rust, of which a program has its own copies. */
gboolean jank_culprit_is_standard_library (const char *function);

/* Whether the watched loop dispatches on the path. */
gboolean jank_culprit_has_dispatch (const JankCulpritStep *steps, guint n_steps, gboolean is_stall);

/* Returns: index of the first step inward of the dispatch, where the search begins; n_steps when there is none */
guint jank_culprit_find_first (const JankCulpritStep *steps, guint n_steps, gboolean is_stall);
