/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Finds what a window shows, and waits for it. */

#pragma once

#include "test.h"
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

/* A store in a folder of its own, and the window that shows it. */
typedef struct
{
  char           *folder; /* (owned) */
  JankStore      *store;  /* the source's */
  JankViewSource *source; /* (owned) */
  GtkWidget      *window; /* (nullable) */
} View;

void               view_set_up        (View *self, gconstpointer data);
void               view_tear_down     (View *self, gconstpointer data);

#define VIEW_TEST(words) TEST_WITH (View, view_set_up, view_tear_down, self, words)
