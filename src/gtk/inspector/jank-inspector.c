/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* GTK's inspector makes a page of every type that implements its GIO extension point. An extension cannot be
 * withdrawn: after stop() a page finds no host, and says so. */

#include "gtk/inspector/jank-inspector-private.h"

#include "gtk/clock/jank-inspector-time-private.h"
#include "gtk/jank-gtk-names-private.h"
#include "gtk/jank-toplevels-private.h"

#include "gtk/inspector/jank-inspector-resources.h"

#define EXTENSION_POINT "gtk-inspector-page"
#define EXTENSION_NAME  "jankwatch"

static const JankInspectorHost *host;
static JankFrameHistory *history;
static GType page_type;

/* A page that is shown. */
typedef struct
{
  JankInspectorFunc func;
  gpointer          data;
} Listener;

static GArray *listeners; /* (owned) (nullable) of Listener */

static guint
jank_inspector_count_listeners (void)
{
  return listeners != NULL ? listeners->len : 0;
}

static void
jank_inspector_changed_cb (gpointer data)
{
  for (guint i = jank_inspector_count_listeners (); i-- > 0; )
    if (i < jank_inspector_count_listeners ())
      {
        Listener listener = g_array_index (listeners, Listener, i);

        listener.func (listener.data);
      }
}

void
jank_inspector_listen (JankInspectorFunc func, gpointer data)
{
  Listener listener = { func, data };

  jank_inspector_unlisten (data);
  if (listeners == NULL)
    listeners = g_array_new (FALSE, FALSE, sizeof (Listener));
  g_array_append_val (listeners, listener);
  if (host != NULL)
    host->set_changed (host->data, jank_inspector_changed_cb, NULL);
}

void
jank_inspector_unlisten (gpointer data)
{
  for (guint i = 0; i < jank_inspector_count_listeners (); i++)
    if (g_array_index (listeners, Listener, i).data == data)
      g_array_remove_index (listeners, i--);
  if (jank_inspector_count_listeners () > 0)
    return;
  g_clear_pointer (&listeners, g_array_unref);
  if (host != NULL)
    host->set_changed (host->data, NULL, NULL);
}

typedef struct
{
  GType      type;
  GtkWidget *found;
} Search;

static void
jank_inspector_search_cb (gpointer widget, gpointer data)
{
  Search *self = data;

  if (self->found != NULL)
    return;
  if (G_TYPE_CHECK_INSTANCE_TYPE (widget, self->type))
    self->found = widget;
  else
    jank_gtk_foreach_child (widget, jank_inspector_search_cb, self);
}

/* Returns: (transfer none) (nullable): the first of that type, depth first */
static GtkWidget *
jank_inspector_find_widget (GtkWidget *in, GType type)
{
  Search search = { .type = type };

  jank_inspector_search_cb (in, &search);
  return search.found;
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
jank_inspector_start (const JankGtkHost *new_host, GType new_page_type)
{
  host = new_host->inspector;
  page_type = new_page_type;
  if (host != NULL && jank_inspector_count_listeners () > 0)
    host->set_changed (host->data, jank_inspector_changed_cb, NULL);
  if (host == NULL || g_io_extension_point_lookup (EXTENSION_POINT) == NULL)
    return;
  if (history == NULL)
    history = jank_frame_history_new (JANK_FRAME_HISTORY_BRIEF);
  g_io_extension_point_implement (EXTENSION_POINT, page_type, EXTENSION_NAME, 10);
  /* GTK_DEBUG=interactive opens one in gtk_init(), before we are loaded. */
  jank_spans_begin (&jank_inspector_time_get ()->spans);
  jank_toplevels_foreach (jank_inspector_add_page);
  jank_spans_end (&jank_inspector_time_get ()->spans);
}

void
jank_inspector_stop (void)
{
  if (host != NULL)
    host->set_changed (host->data, NULL, NULL);
  host = NULL;
}

void
jank_inspector_add_frame (const JankFrameEvent *event, gconstpointer window)
{
  if (history != NULL)
    jank_frame_history_add (history, event, window);
}

void
jank_inspector_load_resource (void)
{
  static gboolean is_loaded;

  if (!is_loaded)
    jank_inspector_register_resource ();
  is_loaded = TRUE;
}

void
jank_inspector_load_style (GdkDisplay *display)
{
  GtkCssProvider *provider;

  if (g_object_get_data (G_OBJECT (display), "jankwatch-style") != NULL)
    return;
  provider = gtk_css_provider_new ();
  jank_inspector_load_resource ();
  gtk_css_provider_load_from_resource (provider, JANK_INSPECTOR_RESOURCES "jank-inspector.css");
  gtk_style_context_add_provider_for_display (display, GTK_STYLE_PROVIDER (provider),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
  g_object_set_data_full (G_OBJECT (display), "jankwatch-style", provider, g_object_unref);
}

const JankInspectorHost *
jank_inspector_get_host (void)
{
  return host;
}

JankFrameHistory *
jank_inspector_get_history (void)
{
  return history;
}
