/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* GTK's inspector makes a page of every type that implements its GIO extension point. An extension cannot be
 * withdrawn: after stop() a page finds no host, and says so. */

#include "gtk/jank-inspector-private.h"

#include "gtk/clock/jank-inspector-time-private.h"
#include "gtk/input/jank-input-hook-private.h"
#include "gtk/jank-toplevels-private.h"

#define EXTENSION_POINT "gtk-inspector-page"
#define EXTENSION_NAME  "jankwatch"

static JankInspectorFeed feed;
static GType page_type;

/* Returns: (transfer none) (nullable): the first of that type, depth first */
static GtkWidget *
jank_inspector_find_widget (GtkWidget *in, GType type)
{
  GtkWidget *found = G_TYPE_CHECK_INSTANCE_TYPE (in, type) ? in : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (in); found == NULL && child != NULL;
       child = gtk_widget_get_next_sibling (child))
    found = jank_inspector_find_widget (child, type);
  return found;
}

/* Private layout: GTK's inspector window.
 *
 * What the inspector does when it opens: its outermost stack holds the pages; a stack in its title bar holds each
 * page's buttons under the same name. We have no buttons. */
static void
jank_inspector_add_page (GtkWindow *inspector)
{
  GtkWidget *child = gtk_window_get_child (inspector), *titlebar = gtk_window_get_titlebar (inspector);
  GtkWidget *stack = child != NULL ? jank_inspector_find_widget (child, GTK_TYPE_STACK) : NULL;
  GtkWidget *buttons = titlebar != NULL ? jank_inspector_find_widget (titlebar, GTK_TYPE_STACK) : NULL;
  g_autofree char *title = NULL;
  gboolean is_shown = gtk_widget_get_visible (GTK_WIDGET (inspector));
  GtkWidget *page;

  if (!g_str_equal (G_OBJECT_TYPE_NAME (inspector), "GtkInspectorWindow") || stack == NULL ||
      jank_inspector_find_widget (stack, page_type) != NULL)
    return;
  gtk_widget_set_visible (GTK_WIDGET (inspector), FALSE);
  if (buttons != NULL && gtk_stack_get_child_by_name (GTK_STACK (buttons), EXTENSION_NAME) == NULL)
    gtk_stack_add_named (GTK_STACK (buttons), gtk_label_new (NULL), EXTENSION_NAME);
  page = g_object_new (page_type, NULL);
  g_object_get (page, "title", &title, NULL);
  gtk_stack_add_titled (GTK_STACK (stack), page, EXTENSION_NAME, title);
  gtk_widget_set_visible (GTK_WIDGET (inspector), is_shown);
}

void
jank_inspector_start (const JankGtkHost *host, GType new_page_type)
{
  page_type = new_page_type;
  feed = (JankInspectorFeed) { host->inspector, feed.history, jank_input_hook_get_board (), jank_inspector_time_get };
  if (feed.host == NULL || g_io_extension_point_lookup (EXTENSION_POINT) == NULL)
    return;
  if (feed.history == NULL)
    feed.history = jank_frame_history_new (JANK_FRAME_HISTORY_BRIEF);
  g_io_extension_point_implement (EXTENSION_POINT, page_type, EXTENSION_NAME, 10);
  /* GTK_DEBUG=interactive opens one in gtk_init(), before we are loaded. */
  jank_spans_begin (&jank_inspector_time_get ()->spans);
  jank_toplevels_foreach (jank_inspector_add_page);
  jank_spans_end (&jank_inspector_time_get ()->spans);
}

void
jank_inspector_stop (void)
{
  if (feed.host != NULL)
    feed.host->set_listener (feed.host->data, NULL);
  feed.host = NULL;
}

void
jank_inspector_add_frame (const JankFrameEvent *event, gconstpointer window)
{
  if (feed.history != NULL)
    jank_frame_history_add (feed.history, event, window);
}

const JankInspectorFeed *
jank_inspector_get_feed (void)
{
  return &feed;
}
