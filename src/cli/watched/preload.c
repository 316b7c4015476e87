/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "preload.h"

#include <string.h>

#include <gio/gio.h>
#include <glib/gi18n.h>

#include "cli/locate.h"
#include "symbols/jank-elf-private.h"

#define MAX_STRINGS_BYTES (64 << 20)
#define MAX_LINE_BYTES 256

/* Runtimes that must come before every other library, or bring their own poll(). */
static const char *const sanitizers[] = { "__asan_init", "__tsan_init", "__msan_init", "libasan.so", "libtsan.so", "liblsan.so" };

/* Returns: (transfer full) (nullable): the interpreter that a script's first line names */
static char *
find_interpreter (const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInputStream) stream = g_file_read (file, NULL, NULL);
  char line[MAX_LINE_BYTES] = "";

  if (stream == NULL || g_input_stream_read (G_INPUT_STREAM (stream), line, sizeof line - 1, NULL, NULL) < 2 ||
      !g_str_has_prefix (line, "#!"))
    return NULL;
  g_strchug (line + 2);
  line[2 + strcspn (line + 2, " \t\n")] = '\0';
  return g_strdup (line + 2);
}

static gboolean
has_text (const char *strings, gsize n_bytes, const char *text)
{
  return memmem (strings, n_bytes, text, strlen (text)) != NULL;
}

/* A program of this processor that is linked at run time. */
static gboolean
can_be_preloaded (const char *library, const char *path, gboolean *ret_is_sanitized)
{
  JankElf *ours = jank_elf_new (library, NULL), *elf = jank_elf_new (path, NULL);
  gsize n_bytes = elf != NULL ? MIN (elf->dynsym.strings_n_bytes, MAX_STRINGS_BYTES) : 0;
  g_autofree char *strings = g_malloc (n_bytes + 1);
  gboolean can = n_bytes > 0 && ours != NULL && elf->header.e_machine == ours->header.e_machine &&
                 jank_elf_read (elf, elf->dynsym.strings_offset, strings, n_bytes, NULL);

  *ret_is_sanitized = FALSE;
  for (guint i = 0; can && i < G_N_ELEMENTS (sanitizers); i++)
    *ret_is_sanitized |= has_text (strings, n_bytes, sanitizers[i]);
  g_clear_pointer (&elf, jank_elf_free);
  g_clear_pointer (&ours, jank_elf_free);
  return can && !*ret_is_sanitized;
}

char *
preload_find (const char *command, const char **ret_why)
{
  g_autofree char *library = locate_preload ();
  g_autofree char *path = g_find_program_in_path (command);
  g_autofree char *interpreter = path != NULL ? find_interpreter (path) : NULL;
  gboolean is_sanitized = FALSE;

  *ret_why = NULL;
  if (library == NULL || path == NULL)
    return NULL;
  if (strpbrk (library, ": \t\n") != NULL)
    {
      *ret_why = _("GLib without GIO is not watched from a folder with a blank or a colon in its name");
      return NULL;
    }
  if (can_be_preloaded (library, interpreter != NULL ? interpreter : path, &is_sanitized))
    return g_steal_pointer (&library);
  if (is_sanitized)
    *ret_why = _("GLib without GIO is not watched in programs that were built with a sanitizer");
  return NULL;
}
