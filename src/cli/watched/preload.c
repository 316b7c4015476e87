/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "preload.h"

#include <limits.h>
#include <string.h>

#include <glib/gi18n.h>

#include "cli/locate.h"
#include "module/preload/jank-preload-target-private.h"

char *
preload_find (const char *command, const char **ret_why)
{
  g_autofree char *library = locate_preload ();
  char room[PATH_MAX];
  const char *path = jank_preload_target_find (command, room);

  *ret_why = NULL;
  if (library == NULL || path == NULL)
    return NULL;
  if (strpbrk (library, ": \t\n") != NULL)
    {
      *ret_why = _("jankwatch is in a folder with a blank or a colon in its name: it watches GTK programs, and the "
                   "command itself if that uses GIO");
      return NULL;
    }
  switch (jank_preload_target_look (path))
    {
    case JANK_PRELOAD_TARGET_FINE:
      return g_steal_pointer (&library);
    case JANK_PRELOAD_TARGET_SANITIZED:
      *ret_why = _("The command was built with a sanitizer: jankwatch watches it only if it uses GTK or GIO");
      break;
    case JANK_PRELOAD_TARGET_FOREIGN:
      *ret_why = _("The command is linked statically or uses another C library: jankwatch cannot follow it");
      break;
    case JANK_PRELOAD_TARGET_UNREADABLE:
    default:
      *ret_why = _("The command's file cannot be read: jankwatch watches it only if it uses GTK or GIO");
    }
  return NULL;
}
