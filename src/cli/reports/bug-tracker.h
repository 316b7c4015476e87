/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where the authors of a program want to hear of its bugs, and the page on which one is written there. */

#pragma once

#include <glib.h>

/* Reads AppStream's metadata of the application, as installed. id: of the application; "": that of the desktop file
 * that starts exe. Blocks on the disk.
 * Returns: (transfer full) (nullable): they do not say, or it is no URL of the web */
char *bug_tracker_find     (const char *id, const char *exe);

/* The page for a new issue, with title and text filled in; lines at the end of the text that a URL has no room for are
 * left out. Returns: (transfer full) (nullable): it is no tracker of a kind that takes them */
char *bug_tracker_make_url (const char *tracker, const char *title, const char *text, gboolean *ret_whole);
