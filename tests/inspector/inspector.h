/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* GTK's inspector as a person uses it, and our page in it. Knows none of our private headers: what the page shows is
 * read from its widgets and its list. */

#pragma once

#include <gtk/gtk.h>

/* As the key does. Returns: (transfer none): the inspector's window */
GtkWindow  *inspector_open        (GtkWindow *of);
void        inspector_close       (void);
/* (nullable): it is not there, or was never opened */
GtkWindow  *inspector_find        (void);

/* (transfer none) (nullable): the first of that type name, depth first. */
GtkWidget  *inspector_find_widget (GtkWidget *in, const char *type);
GtkWidget  *inspector_get_page    (void);
/* "now", "frames", "stalls", "settings" */
void        inspector_show_tab    (const char *name);
/* The list of all stalls, filtered and sorted as it is shown. */
GListModel *inspector_get_stalls  (void);
/* Returns: (transfer full): of the first row, or of none: "" */
char       *inspector_get_text    (guint row, const char *property);
/* Of the tile that is called so. Returns: (transfer full) (nullable) */
char       *inspector_get_figure  (const char *name_text, const char *property);

void        run_ms                (guint ms);
