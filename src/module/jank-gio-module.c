/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The GIO module: honours GTK_MODULES=jankwatch in GTK 4 programs; GTK 4 itself ignores that variable, and GTK 3
 * loads a module of its own (jank-gtk-module.c).
 *
 * GIO loads this file into every process that uses GIO, since a module without extension points has no line in
 * giomodule.cache. So the module is tiny: it looks at the environment, opens the library only when it is wanted, and else
 * is unloaded again, by not calling g_type_module_use(). */

#include "config.h"

#define G_LOG_DOMAIN "jankwatch"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gio/gio.h>
#include <glib/gi18n-lib.h>

#include "base/jank-version-macros.h"
#include "module/jank-module-private.h"

#define GTK4_LIBRARY "libgtk-4.so.1"

JANK_API void   g_io_jankwatch_load   (GIOModule *module);
JANK_API void   g_io_jankwatch_unload (GIOModule *module);
JANK_API char **g_io_jankwatch_query  (void);

static gboolean
list_has (const char *list, const char *name)
{
  gsize n = strlen (name);

  for (const char *entry = list; entry != NULL; entry = strchr (entry, ':'))
    {
      entry += *entry == ':';
      if (strncmp (entry, name, n) == 0 && (entry[n] == '\0' || entry[n] == ':'))
        return TRUE;
    }
  return FALSE;
}

/* `jankwatch run` sets JANKWATCH=1 for the program it starts. That program's children are watched only if they use GTK. */
static gboolean
is_for_us (void)
{
  const char *session = getenv ("JANKWATCH_SESSION");
  const char *pid = session != NULL ? strrchr (session, '-') : NULL;

  return pid == NULL || atoi (pid + 1) == getppid ();
}

static gboolean
has_gtk4 (void)
{
  void *gtk = dlopen (GTK4_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);

  if (gtk != NULL)
    dlclose (gtk);
  return gtk != NULL;
}

static gboolean
is_asked_for (void)
{
  if (jank_module_is_forbidden ())
    return FALSE;
  if (g_strcmp0 (getenv ("JANKWATCH"), "1") == 0 && is_for_us ())
    return TRUE;
  return list_has (getenv ("GTK_MODULES"), "jankwatch") && has_gtk4 ();
}

void
g_io_jankwatch_load (GIOModule *module)
{
  const char *problem;

  if (!is_asked_for ())
    return;

  problem = jank_module_start ();
  if (problem != NULL)
    {
      bindtextdomain (GETTEXT_PACKAGE, JANK_LOCALE_DIR);
      g_message (_("Could not watch this program: %s. It runs on unwatched"), problem);
      return;
    }
  g_type_module_use (G_TYPE_MODULE (module));
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
