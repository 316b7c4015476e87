/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A file among the user's settings that `jankwatch session` writes and removes. The last line has a check of the
 * lines above it, which tells whether somebody has edited the file since, and the number of folders that were made
 * for it. */

#pragma once

#include <glib.h>

typedef enum { SESSION_FILE_ABSENT, SESSION_FILE_OURS, SESSION_FILE_FOREIGN } SessionFileState;

typedef struct
{
  const char      *path;
  SessionFileState state;
  char            *text;      /* (owned): what we wrote, without the last line; NULL: not ours */
  guint            n_folders; /* made for it */
  gint64           since_us;  /* when it was written */
} SessionFile;

void     session_file_read   (SessionFile *self, const char *path);
void     session_file_clear  (SessionFile *self);

/* text ends in a new line. Of a file that is not foreign; does nothing where it has that text. */
gboolean session_file_write  (SessionFile *self, const char *text, GError **error);
/* Of a file that is ours: it goes, and so do the folders that were made for it and are empty. */
gboolean session_file_remove (SessionFile *self, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SessionFile, session_file_clear)
