/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reports by name, and what more is known of them: what the files of this room have for each other. */

#pragma once

#include "cli/cli.h"

/* name: an ID, its beginning, "latest", a file (with a slash, or ".json" at its end), or "-".
 * folder: (nullable): of --store. Returns: (transfer full) (nullable) */
JankReport *load_report (const char *folder, const char *name, GError **error);

typedef struct
{
  gboolean json;
  gboolean native;  /* all calls of the stack */
} ReportStyle;

/* As `jankwatch show` does. */
void        print_report (JankReport *report, const ReportStyle *how);

/* Names and source lines of what a watched program tells while it hangs: found here, by the report on disk, not in the
 * program. One thread. */
typedef struct _GistPlaces GistPlaces;

GistPlaces *gist_places_new  (void);
void        gist_places_free (GistPlaces *self);

/* gist: of jank_live_gist_new(). store (nullable): the program's folder */
void        gist_places_fill (GistPlaces *self, const char *store, JankReport *gist);

/* Reads AppStream's metadata of the application, as installed. id: of the application; "": that of the desktop file
 * that starts exe. Blocks on the disk.
 * Returns: (transfer full) (nullable): they do not say, or it is no URL of the web */
char *bug_tracker_find     (const char *id, const char *exe);

/* The page for a new issue, with title and text filled in; lines at the end of the text that a URL has no room for are
 * left out. Returns: (transfer full) (nullable): it is no tracker of a kind that takes them */
char *bug_tracker_make_url (const char *tracker, const char *title, const char *text, gboolean *ret_whole);
