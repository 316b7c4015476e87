/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The files of another process. Command only. */

#include "elf/jank-loaded-private.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/jank-memory-private.h"

/* What is longer is damaged. */
#define MAX_PHDRS   64
#define MAX_DYNAMIC 512
#define MAX_LISTED  4096

static void
jank_loaded_clear_file (gpointer data)
{
  g_free (((JankLoadedFile *) data)->path);
}

/* line: "7f12-7f34 r-xp 00001000 08:01 1311  /usr/lib/libc.so.6". A file's mappings follow one another. */
static void
jank_loaded_add_line (char *line)
{
  guint n = jank_loaded_files->len;
  JankLoadedFile *last = n > 0 ? &g_array_index (jank_loaded_files, JankLoadedFile, n - 1) : NULL;
  guint64 low, high, offset;
  char rights[5];
  int at = 0;

  if (sscanf (line, "%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x %4s %" G_GINT64_MODIFIER "x %*s %*s %n", &low,
              &high, rights, &offset, &at) != 4 || at == 0 || (line[at] != '/' && strcmp (line + at, "[vdso]") != 0))
    return;
  line += at;
  if (g_str_has_suffix (line, " (deleted)"))
    line[strlen (line) - strlen (" (deleted)")] = '\0';
  if (last == NULL || strcmp (last->path, line) != 0 || (offset == 0 && last->is_code))
    {
      JankLoadedFile file = { .start = low, .path = g_strdup (line) };

      g_array_append_val (jank_loaded_files, file);
      last = &g_array_index (jank_loaded_files, JankLoadedFile, n);
    }
  last->end = high;
  last->is_code |= rights[2] == 'x';
}

/* Other files are mapped, too, and code that was made at run time. */
static gboolean
jank_loaded_is_elf (const JankLoadedFile *file)
{
  char magic[SELFMAG];

  return file->is_code && jank_memory_read_all (file->start, magic, sizeof magic) &&
         memcmp (magic, ELFMAG, SELFMAG) == 0;
}

static gboolean
jank_loaded_read_mappings (void)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/maps", (int) jank_memory_get_pid ()), *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return FALSE;
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    jank_loaded_add_line (lines[i]);
  for (guint i = jank_loaded_files->len; i-- > 0;)
    if (!jank_loaded_is_elf (&g_array_index (jank_loaded_files, JankLoadedFile, i)))
      g_array_remove_index (jank_loaded_files, i);
  return jank_loaded_files->len != 0;
}

/* Where the executable's program headers are in memory; 0: not known */
static guint64
jank_loaded_find_headers (guint *ret_n)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/auxv", (int) jank_memory_get_pid ()), *text = NULL;
  ElfW (auxv_t) entry;
  guint64 headers = 0;
  gsize n_bytes;

  *ret_n = 0;
  if (!g_file_get_contents (path, &text, &n_bytes, NULL))
    return 0;
  for (gsize at = 0; at + sizeof entry <= n_bytes; at += sizeof entry)
    {
      memcpy (&entry, text + at, sizeof entry);
      if (entry.a_type == AT_PHDR)
        headers = entry.a_un.a_val;
      else if (entry.a_type == AT_PHNUM)
        *ret_n = (guint) MIN (entry.a_un.a_val, MAX_PHDRS);
    }
  return headers;
}

/* Returns: the loader's list, which the executable's dynamic section knows; 0: there is none */
static guint64
jank_loaded_find_list (void)
{
  ElfW (Phdr) headers[MAX_PHDRS];
  guint n_headers;
  guint64 at = jank_loaded_find_headers (&n_headers), bias = 0, dynamic = 0;
  struct r_debug list;
  ElfW (Dyn) entry;

  if (at == 0 || !jank_memory_read_all (at, headers, n_headers * sizeof *headers))
    return 0;
  for (guint i = 0; i < n_headers; i++)
    if (headers[i].p_type == PT_PHDR)
      bias = at - headers[i].p_vaddr;
    else if (headers[i].p_type == PT_DYNAMIC)
      dynamic = headers[i].p_vaddr;
  for (guint i = 0; dynamic != 0 && i < MAX_DYNAMIC; i++)
    {
      if (!jank_memory_read_all (bias + dynamic + i * sizeof entry, &entry, sizeof entry) || entry.d_tag == DT_NULL)
        break;
      if (entry.d_tag == DT_DEBUG && jank_memory_read_all (entry.d_un.d_ptr, &list, sizeof list))
        return (guintptr) list.r_map;
    }
  return 0;
}

static void
jank_loaded_read_list (void)
{
  guint64 at = jank_loaded_find_list ();
  struct link_map map;

  for (guint i = 0; at != 0 && i < MAX_LISTED && jank_memory_read_all (at, &map, sizeof map); i++)
    {
      JankLoadedFile *file = jank_loaded_find_listed ((guintptr) map.l_ld);

      if (file != NULL)
        file->link_map = at;
      at = (guintptr) map.l_next;
    }
}

static char *
jank_loaded_find_root (pid_t pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/ns/mnt", (int) pid), *its = g_file_read_link (path, NULL);
  g_autofree char *own = g_file_read_link ("/proc/self/ns/mnt", NULL);

  return its != NULL && own != NULL && strcmp (its, own) != 0 ? g_strdup_printf ("/proc/%d/root", (int) pid) : NULL;
}

gboolean
jank_loaded_open (pid_t pid)
{
  g_clear_pointer (&jank_loaded_files, g_array_unref);
  g_clear_pointer (&jank_loaded_root, g_free);
  jank_memory_set_pid (pid != 0 ? pid : getpid ());
  if (pid == 0)
    return TRUE;
  jank_loaded_files = g_array_new (FALSE, FALSE, sizeof (JankLoadedFile));
  g_array_set_clear_func (jank_loaded_files, jank_loaded_clear_file);
  jank_loaded_root = jank_loaded_find_root (pid);
  if (!jank_loaded_read_mappings ())
    return FALSE;
  jank_loaded_read_list ();
  return TRUE;
}
