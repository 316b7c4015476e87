/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A list that grows as somebody scrolls, each tenth row of which takes half a second to bind: a stall, and another one
 * ten rows later. */

#include "demo.h"

#include <glib/gi18n.h>
#include <gtk/gtk.h>
#include <unistd.h>

#define ROWS_AT_ONCE 10
#define SLOW_ROW_NS  (INT64_C (500) * 1000000)
#define GROW_MS      250
#define MOST_ROWS    1000

typedef struct
{
  GtkStringList *rows;      /* (owned) */
  GtkAdjustment *scrolled;  /* (owned) */
  GMainLoop     *loop;      /* (owned) */
  int64_t        n_to_come; /* slow rows */
} List;

static void
setup_row_cb (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  gtk_list_item_set_child (item, gtk_label_new (NULL));
}

void list_bind_row_cb (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data);

/* Not static: it is to be named in a stripped program. */
G_NO_INLINE void
list_bind_row_cb (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  GtkStringObject *row = gtk_list_item_get_item (item);

  if (gtk_list_item_get_position (item) % ROWS_AT_ONCE == 0)
    {
      usleep ((useconds_t) (SLOW_ROW_NS / 1000));
      ((List *) data)->n_to_come--;
    }
  gtk_label_set_text (GTK_LABEL (gtk_list_item_get_child (item)), gtk_string_object_get_string (row));
}

static gboolean
grow_cb (gpointer data)
{
  List *list = data;
  guint n_rows = g_list_model_get_n_items (G_LIST_MODEL (list->rows));

  if (list->n_to_come <= 0 || n_rows >= MOST_ROWS)
    {
      g_main_loop_quit (list->loop);
      return G_SOURCE_REMOVE;
    }
  for (guint i = 0; i < ROWS_AT_ONCE; i++)
    {
      g_autofree char *text = g_strdup_printf (_("Row %u"), n_rows + i);

      gtk_string_list_append (list->rows, text);
    }
  gtk_adjustment_set_value (list->scrolled, gtk_adjustment_get_upper (list->scrolled));
  return G_SOURCE_CONTINUE;
}

static GtkWindow *
present_list (List *list)
{
  GtkWindow *window = GTK_WINDOW (gtk_window_new ());
  GtkWidget *scrolled = gtk_scrolled_window_new ();
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkNoSelection *model = gtk_no_selection_new (G_LIST_MODEL (g_object_ref (list->rows)));

  g_signal_connect (factory, "setup", G_CALLBACK (setup_row_cb), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (list_bind_row_cb), list);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled),
                                 gtk_list_view_new (GTK_SELECTION_MODEL (model), factory));
  list->scrolled = g_object_ref (gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scrolled)));
  gtk_window_set_child (window, scrolled);
  gtk_window_set_title (window, _("List"));
  gtk_window_set_default_size (window, 300, 400);
  gtk_window_present (window);
  return g_object_ref (window);
}

G_NO_INLINE void
stall_list (int64_t duration_ns)
{
  List list = {
    .rows = gtk_string_list_new (NULL),
    .loop = g_main_loop_new (NULL, FALSE),
    .n_to_come = MAX (duration_ns / SLOW_ROW_NS, 1),
  };
  GtkWindow *window = present_list (&list);

  g_source_set_name_by_id (g_timeout_add (GROW_MS, grow_cb, &list), "[jankwatch-demo] scroll");
  g_main_loop_run (list.loop);
  gtk_window_destroy (window);
  g_object_unref (window);
  g_object_unref (list.scrolled);
  g_main_loop_unref (list.loop);
  g_object_unref (list.rows);
}
