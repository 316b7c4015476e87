/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "watched.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gi18n.h>

#include "cli/locate.h"
#include "module/preload/jank-preload-target-private.h"

#define MAX_SEGMENTS 64
#define HEAD_BYTES   (gssize) offsetof (ElfW (Ehdr), e_version) /* the same of all machines */

char *
preload_explain_foreign (const char *path)
{
  ElfW (Ehdr) header = { 0 }, own = { 0 };
  ElfW (Phdr) segments[MAX_SEGMENTS] = { 0 };
  int file = open (path, O_RDONLY | O_CLOEXEC), self = open ("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  gboolean is_read = file >= 0 && self >= 0 && pread (file, &header, sizeof header, 0) >= HEAD_BYTES &&
                     pread (self, &own, sizeof own, 0) >= HEAD_BYTES &&
                     memcmp (header.e_ident, ELFMAG, SELFMAG) == 0;
  gboolean has_loader = FALSE, is_ours = header.e_machine == own.e_machine &&
                        header.e_ident[EI_CLASS] == own.e_ident[EI_CLASS];

  if (is_read && is_ours && pread (file, segments, sizeof segments, (off_t) header.e_phoff) > 0)
    for (guint i = 0; i < MIN (header.e_phnum, MAX_SEGMENTS); i++)
      has_loader |= segments[i].p_type == PT_INTERP;
  if (file >= 0)
    close (file);
  if (self >= 0)
    close (self);
  return g_strdup (jank_preload_target_look (path) == JANK_PRELOAD_TARGET_SANITIZED ? _("was built with a sanitizer")
                   : !is_read   ? _("is no program that the C library starts")
                   : !is_ours   ? _("is built for another architecture")
                   : has_loader ? _("uses another C library")
                                : _("is linked statically"));
}

static gboolean
is_setuid (const char *path)
{
  struct stat status;

  return stat (path, &status) == 0 && (((status.st_mode & S_ISUID) && status.st_uid != geteuid ()) ||
                                       ((status.st_mode & S_ISGID) && status.st_gid != getegid ()));
}

char *
preload_find (const char *command, gboolean is_strict, char **ret_why)
{
  g_autofree char *foreign = NULL, *name = g_path_get_basename (command);
  g_autofree char *library = locate_preload (is_strict);
  char room[PATH_MAX];
  const char *path = jank_preload_target_find (command, room);

  *ret_why = NULL;
  if (library == NULL || path == NULL)
    return NULL;
  if (strpbrk (library, ": \t\n") != NULL)
    {
      *ret_why = g_strdup (_("jankwatch is in a folder with a blank or a colon in its name: it watches GTK programs, "
                             "and the command itself if that uses GIO"));
      return NULL;
    }
  if (is_setuid (path))
    {
      *ret_why = g_strdup_printf (_("‘%s’ ran with another user's rights, and jankwatch follows programs of your own "
                                    "only"), name);
      return NULL;
    }
  switch (jank_preload_target_look (path))
    {
    case JANK_PRELOAD_TARGET_FINE:
      return g_steal_pointer (&library);
    case JANK_PRELOAD_TARGET_SANITIZED:
    case JANK_PRELOAD_TARGET_FOREIGN:
      foreign = preload_explain_foreign (path);
      *ret_why = g_strdup_printf (_("‘%s’ %s: jankwatch cannot follow it"), name, foreign);
      break;
    case JANK_PRELOAD_TARGET_UNREADABLE:
    default:
      *ret_why = g_strdup_printf (_("The file of ‘%s’ cannot be read: jankwatch watches it only if it uses GTK or GIO"),
                                  name);
    }
  return NULL;
}
