/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* GTK's inspector as a person uses it, and our page in it. Knows none of our private headers: what the page shows is
 * read from its widgets and its list. */

#pragma once

#include <gtk/gtk.h>

#include "loop.h"
#include "sanitizer.h"

/* Of the stalls that tests make. */
#define INSPECTOR_STALL_MS 320
#define INSPECTOR_STALL_NS ((gint64) (INSPECTOR_STALL_MS - 10) * 1000000)

/* As the key does. Returns: (transfer none): the inspector's window */
GtkWindow  *inspector_open           (GtkWindow *of);
void        inspector_close          (void);
/* (nullable): it is not there, or was never opened */
GtkWindow  *inspector_find           (void);

/* (transfer none) (nullable): the first of that type name, depth first. */
GtkWidget  *inspector_find_widget    (GtkWidget *in, const char *type);
GtkWidget  *inspector_get_page       (void);
/* "frames", "stalls", "settings" */
void        inspector_show_tab       (const char *name);
void        inspector_set_dark       (gboolean is_dark);
/* The list of all stalls, filtered and sorted as it is shown. */
GListModel *inspector_get_stalls     (void);
/* Whether it is what the demo or a test plants. (nullable) */
gboolean    inspector_is_planted     (const char *culprit);
/* Those with that culprit; NULL: all that were planted. Those that come again are one row, with a count. */
guint       inspector_count_stalls   (const char *culprit);
/* Until the page has n planted ones, or more. */
void        inspector_await_stalls   (guint n);
/* Returns: (transfer full): of the first row, or of none: "" */
char       *inspector_get_text       (guint row, const char *property);

/* An editor for C, in PATH and as the user's choice, that only writes what it was started with into FOLDER/opened.
 * Before GIO looks for programs; folder is the user's configuration, too. */
void        inspector_install_editor (const char *folder);
