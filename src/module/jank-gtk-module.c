/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The GTK module: GTK 3 loads this file by itself where GTK_MODULES lists jankwatch, on the main thread, once the
 * display is open. The GIO module may have come first; then nothing is left to do. It links neither GLib nor GTK, so
 * that it loads in any program. Where the library is missing, the program runs on unwatched, without a word. */

#include "base/jank-version-macros.h"
#include "module/jank-module-private.h"

JANK_API void gtk_module_init (int *argc, char ***argv);

void
gtk_module_init (int *argc, char ***argv)
{
  if (!jank_module_is_forbidden () && !jank_module_is_left_out ())
    jank_module_start ();
}
