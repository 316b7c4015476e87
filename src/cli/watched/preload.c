/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "watched.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>
#include <glib/gi18n.h>

#include "cli/cli.h"

#define MAX_SEGMENTS     64
#define MAX_LOADER_BYTES 128
#define HEAD_BYTES       (gssize) offsetof (ElfW (Ehdr), e_version) /* the same of all machines */

/* For the C library's loader "$LIB" is a folder that is there, and the path the library's. Others, such as musl's,
 * find no file by that name and start the program without it. With a library made for glibc they would not start it. */
#define ONLY_FOR_OUR_LOADER "/$LIB/../../../.."

typedef struct
{
  ElfW (Ehdr) header;
  char        loader[MAX_LOADER_BYTES]; /* empty: none */
} Program;

/* Returns whether that is a program; of one for another machine only the header is read. */
static gboolean
program_read (Program *self, const char *path, const Program *own)
{
  ElfW (Phdr) segments[MAX_SEGMENTS] = { 0 };
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  gboolean is_program;

  *self = (Program) { 0 };
  is_program = fd >= 0 && pread (fd, &self->header, sizeof self->header, 0) >= HEAD_BYTES &&
               memcmp (self->header.e_ident, ELFMAG, SELFMAG) == 0;
  if (is_program && (own == NULL || self->header.e_machine == own->header.e_machine) &&
      pread (fd, segments, sizeof segments, (off_t) self->header.e_phoff) > 0)
    for (guint i = 0; i < MIN (self->header.e_phnum, MAX_SEGMENTS); i++)
      if (segments[i].p_type == PT_INTERP)
        pread (fd, self->loader, MIN (segments[i].p_filesz, sizeof self->loader - 1), (off_t) segments[i].p_offset);
  if (fd >= 0)
    close (fd);
  return is_program;
}

char *
preload_explain_foreign (const char *path)
{
  Program own, other;

  if (!program_read (&own, "/proc/self/exe", NULL) || !program_read (&other, path, &own))
    return NULL;
  if (other.header.e_machine != own.header.e_machine ||
      other.header.e_ident[EI_CLASS] != own.header.e_ident[EI_CLASS])
    return g_strdup (_("is built for another architecture"));
  if (*other.loader == '\0')
    return g_strdup (_("is linked statically"));
  return strcmp (other.loader, own.loader) != 0 ? g_strdup (_("uses another C library")) : NULL;
}

char *
preload_find (const char *command, gboolean is_strict, char **ret_why)
{
  g_autofree char *library = locate_preload (is_strict), *path = g_find_program_in_path (command);
  g_autofree char *foreign = path != NULL ? preload_explain_foreign (path) : NULL;
  g_autofree char *name = g_path_get_basename (command);

  *ret_why = NULL;
  if (library != NULL && strpbrk (library, ": \t\n") != NULL)
    {
      *ret_why = g_strdup (_("The path of jankwatch contains a space or a colon: only GTK programs are watched, and "
                             "COMMAND itself if it uses GIO"));
      return NULL;
    }
  if (foreign != NULL)
    *ret_why = g_strdup_printf (_("‘%s’ %s: jankwatch cannot follow it"), name, foreign);
  return library != NULL ? g_strconcat (ONLY_FOR_OUR_LOADER, library, NULL) : NULL;
}
