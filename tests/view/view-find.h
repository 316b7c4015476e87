/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Finds what a window shows, and waits for it. */

#pragma once

#include "view/jank-view-private.h"

#define VIEW_WAIT_MS 60000

typedef gboolean (*ViewMatches) (GtkWidget *widget, gconstpointer data);

/* Returns: (nullable): the first that can be seen, depth first */
GtkWidget         *view_find          (GtkWidget *in, ViewMatches matches, gconstpointer data);
/* Whether its text holds data. */
gboolean           view_is_label      (GtkWidget *widget, gconstpointer data);
/* Whether its type is called data. */
gboolean           view_has_type      (GtkWidget *widget, gconstpointer data);

void               view_wait_for_text (GtkWidget *window, const char *text);
GtkSelectionModel *view_get_rows      (GtkWidget *window);

/* Returns: whether the key was taken */
gboolean           view_press         (GtkWidget *widget, guint keyval);

/* Presents it. Returns: (transfer none) */
GtkWidget         *view_open          (JankViewSource *source, int width);
