/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Folders of a test's own. */

#pragma once

#include <glib.h>

/* Returns: (transfer full): path of a new one, among the temporary files */
char *folder_new    (const char *name);

/* Removes all that is in it, following no link. Returns: how many files it had, those of its folders not counted */
guint folder_clear  (const char *path);

/* The folder too. */
void  folder_remove (const char *path);
