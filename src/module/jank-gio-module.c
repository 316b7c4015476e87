/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The GIO module: honours GTK_MODULES=jankwatch in GTK 4 programs; GTK 4 itself ignores that variable, and GTK 3
 * loads a module of its own (jank-gtk-module.c).
 *
 * GIO loads this file into every process that uses GIO, since a module without extension points has no line in
 * giomodule.cache. So the module is tiny: it looks at the environment, opens the library only when it is wanted, and is
 * unloaded again, by not calling g_type_module_use(). It is linked with the C library alone, and without what compilers
 * add for constructors: each symbol and each page that the loader has to look at is time of every program. */

#include <dlfcn.h>
#include <libintl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gio/gio.h>

#include "base/jank-stderr-private.h"
#include "base/jank-version-macros.h"
#include "module/jank-module-private.h"

#define GTK4_LIBRARY "libgtk-4.so.1"
#define _(text)      dgettext (GETTEXT_PACKAGE, text)

JANK_API void   g_io_jankwatch_load   (GIOModule *module);
JANK_API void   g_io_jankwatch_unload (GIOModule *module);
JANK_API char **g_io_jankwatch_query  (void);

/* `jankwatch run` sets JANKWATCH=1 for the program it starts, which may be a wrapper: then the preloaded library goes
 * along to the program behind it. That program's children are watched only if they use GTK. */
static bool
jank_gio_module_is_for_us (void)
{
  const char *session = getenv ("JANKWATCH_SESSION");
  const char *pid = session != NULL ? strrchr (session, '-') : NULL;
  bool (*is_followed) (void);

  if (pid == NULL || atoi (pid + 1) == getppid ())
    return true;
  *(void **) &is_followed = dlsym (RTLD_DEFAULT, "jank_preload_is_here");
  return is_followed != NULL && is_followed ();
}

static bool
jank_gio_module_has_gtk4 (void)
{
  void *gtk = dlopen (GTK4_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);

  if (gtk != NULL)
    dlclose (gtk);
  return gtk != NULL;
}

static bool
jank_gio_module_is_asked_for (void)
{
  const char *asked = getenv ("JANKWATCH"), *modules = getenv ("GTK_MODULES");

  if ((asked == NULL && modules == NULL) || jank_module_is_forbidden ())
    return false;
  /* One program by its name, without those that it starts: GNOME Shell. */
  if (asked != NULL && strcmp (asked, program_invocation_short_name) == 0)
    return true;
  if (asked != NULL && strcmp (asked, "1") == 0 && jank_gio_module_is_for_us ())
    return true;
  /* gjs 1.90 needs GIO's modules before the program's GTK. */
  return jank_module_list_has (modules, "jankwatch", SIZE_MAX) && !jank_module_is_left_out () &&
         (jank_gio_module_has_gtk4 () || strncmp (program_invocation_short_name, "gjs", strlen ("gjs")) == 0);
}

static void
jank_gio_module_say (const char *why)
{
  char text[1024];

  bindtextdomain (GETTEXT_PACKAGE, JANK_LOCALE_DIR);
  snprintf (text, sizeof text, _("Could not watch this program: %s. It continues without being watched"), why);
  jank_stderr_learn ();
  jank_stderr_say (text);
}

void
g_io_jankwatch_load (GIOModule *module)
{
  const char *problem;

  if (!jank_gio_module_is_asked_for ())
    return;

  /* The library stays; this module is not needed any more. */
  problem = jank_module_start ();
  if (problem != NULL)
    jank_gio_module_say (problem);
}

void
g_io_jankwatch_unload (GIOModule *module)
{
}

char **
g_io_jankwatch_query (void)
{
  return NULL;
}
