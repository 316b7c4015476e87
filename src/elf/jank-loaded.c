/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "elf/jank-loaded-private.h"

#include "base/jank-each-private.h"

_Thread_local GArray *jank_loaded_files;
_Thread_local char *jank_loaded_root;

JankLoadedFile *
jank_loaded_find_listed (guint64 address)
{
  JANK_EACH_IN (JankLoadedFile, file, jank_loaded_files)
    if (address >= file->start && address < file->end)
      return file;
  return NULL;
}

gboolean
jank_loaded_find (guint64 address, struct dl_find_object *ret_found)
{
  const JankLoadedFile *file;

  if (jank_loaded_files == NULL)
    return _dl_find_object ((void *) (guintptr) address, ret_found) == 0;
  file = jank_loaded_find_listed (address);
  if (file == NULL)
    return FALSE;
  *ret_found = (struct dl_find_object) {
    .dlfo_map_start = (void *) (guintptr) file->start, .dlfo_map_end = (void *) (guintptr) file->end,
    .dlfo_link_map = (void *) (guintptr) file->link_map,
  };
  return TRUE;
}

guint64
jank_loaded_get (guint i)
{
  if (jank_loaded_files == NULL || i >= jank_loaded_files->len)
    return 0;
  return g_array_index (jank_loaded_files, JankLoadedFile, i).start;
}

const char *
jank_loaded_get_path (guint64 start)
{
  const JankLoadedFile *file = jank_loaded_files != NULL ? jank_loaded_find_listed (start) : NULL;

  return file != NULL ? file->path : NULL;
}

char *
jank_loaded_find_file (const char *path)
{
  return g_strconcat (jank_loaded_root != NULL ? jank_loaded_root : "", path, NULL);
}
