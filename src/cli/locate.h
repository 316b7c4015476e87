/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where the other parts of jankwatch are: beside this command in the build folder it was built in, else
 * where they were installed. */

#pragma once

#include <glib.h>

/* The folder that holds libgiojankwatch.so. Returns: (transfer full) (nullable) */
char *locate_module_folder (GError **error);

/* The folders of the modules of GTK 3 and GTK 4, for GTK_PATH. Returns: (transfer full) (nullable): not there */
char *locate_gtk_path      (void);

/* What `run`, or `run --strict`, preloads. Returns: (transfer full) (nullable): it is not there */
char *locate_preload       (gboolean is_strict);

/* The demo program. Returns: (transfer full) (nullable) */
char *locate_demo          (GError **error);

/* The program that `view` becomes. Returns: (transfer full) (nullable) */
char *locate_view          (GError **error);
