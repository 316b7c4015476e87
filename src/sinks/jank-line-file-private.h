/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A text file that a sink writes while the program runs, one for each process: lines are collected and written
 * together. When that fails, it says so once and ends; the number of lines is bounded. Watcher thread only. */

#pragma once

#include <glib.h>

typedef struct
{
  char    *path;      /* (owned) */
  int      fd;        /* -1: cannot be written, or not now */
  GString *lines;     /* (owned): not written yet */
  guint    n_lines, max_lines;
} JankLineFile;

/* path: (transfer full). An existing file is emptied; a link is not followed, and nothing else is written. */
void jank_line_file_open  (JankLineFile *self, char *path, guint max_lines);
/* line: (transfer full) */
void jank_line_file_add   (JankLineFile *self, char *line);
void jank_line_file_write (JankLineFile *self);
/* Writes what is left. */
void jank_line_file_close (JankLineFile *self);
void jank_line_file_clear (JankLineFile *self);
