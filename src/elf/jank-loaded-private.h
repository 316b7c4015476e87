/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which loaded file holds an address of the process that this thread reads. In its own, the loader answers, without a
 * lock, and at each question anew. Of another process, its mappings and its loader's list were read once. */

#pragma once

#include <dlfcn.h>
#include <glib.h>

/* From now on this thread reads process pid; 0: its own again. FALSE: it may not, but for what everybody may read. */
gboolean    jank_loaded_open     (pid_t pid);

/* As _dl_find_object(). Of another process, a file that its loader does not list has no link map. */
gboolean    jank_loaded_find     (guint64 address, struct dl_find_object *ret_found);

/* Of another process. Returns: where its file i begins, 0: there is none */
guint64     jank_loaded_get      (guint i);
/* Returns: (nullable): the path of the file that begins there, as the mappings have it; NULL: of its own process */
const char *jank_loaded_get_path (guint64 start);
/* Where the reader finds the file that the process knows by that path. Returns: (transfer full) */
char       *jank_loaded_find_file (const char *path);

/* Of another process. */
typedef struct
{
  guint64  start, end;
  guint64  link_map;      /* 0: not listed */
  char    *path;          /* (owned) */
  gboolean is_code;
} JankLoadedFile;

extern _Thread_local GArray *jank_loaded_files; /* (owned) (nullable): of JankLoadedFile */
extern _Thread_local char   *jank_loaded_root;  /* (owned) (nullable): where those are not the reader's */

/* There are files. Returns: (nullable) */
JankLoadedFile *jank_loaded_find_listed (guint64 address);
