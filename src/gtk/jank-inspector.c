/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* GTK's inspector makes a page of every type that implements its GIO extension point. An extension cannot be
 * withdrawn: after stop() a page finds no host, and says so. */

#include "gtk/jank-inspector-private.h"

#include <glib/gi18n-lib.h>

#include "guest/jank-plugin-private.h"
#include "gtk/clock/jank-inspector-time-private.h"
#include "gtk/input/jank-input-hook-private.h"
#include "gtk/jank-toplevels-private.h"

#define EXTENSION_POINT "gtk-inspector-page"
#define EXTENSION_NAME  "jankwatch"

static JankInspectorFeed feed;

/* What GTK's inspector makes: the page's title, and room for it. */
struct _JankInspectorPage
{
  GtkBox parent_instance;
};

G_DECLARE_FINAL_TYPE (JankInspectorPage, jank_inspector_page, JANK, INSPECTOR_PAGE, GtkBox)
G_DEFINE_FINAL_TYPE (JankInspectorPage, jank_inspector_page, GTK_TYPE_BOX)

enum { PROP_TITLE = 1, PROP_OBJECT };

/* Returns: (transfer floating): without the library, the reason */
static GtkWidget *
jank_inspector_page_make_content (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  JankInspectorNewFunc func = (JankInspectorNewFunc) jank_plugin_find (JANK_INSPECTOR_LIBRARY, JANK_INSPECTOR_SYMBOL,
                                                                       &error);

  if (func != NULL)
    return func (&feed);
  text = g_strdup_printf (_("Could not open this page: %s"), error->message);
  return g_object_new (GTK_TYPE_LABEL, "label", text, "wrap", TRUE, NULL);
}

static void
jank_inspector_page_root (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (jank_inspector_page_parent_class)->root (widget);
  jank_inspector_time_watch (GTK_WIDGET (gtk_widget_get_root (widget)));
}

static void
jank_inspector_page_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_static_string (value, "Jank");
}

/* What the inspector has selected is not needed. */
static void
jank_inspector_page_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
}

static void
jank_inspector_page_class_init (JankInspectorPageClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = jank_inspector_page_get_property;
  object_class->set_property = jank_inspector_page_set_property;
  GTK_WIDGET_CLASS (klass)->root = jank_inspector_page_root;
  /* The inspector reads one and sets the other. */
  g_object_class_install_property (object_class, PROP_TITLE,
                                   g_param_spec_string ("title", NULL, NULL, NULL,
                                                        G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (object_class, PROP_OBJECT,
                                   g_param_spec_object ("object", NULL, NULL, G_TYPE_OBJECT,
                                                        G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS));
}

static void
jank_inspector_page_init (JankInspectorPage *self)
{
  jank_inspector_time_confirm ();
  gtk_box_set_homogeneous (GTK_BOX (self), TRUE);
  gtk_box_append (GTK_BOX (self), jank_inspector_page_make_content ());
}

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
      jank_inspector_find_widget (stack, jank_inspector_page_get_type ()) != NULL)
    return;
  gtk_widget_set_visible (GTK_WIDGET (inspector), FALSE);
  if (buttons != NULL && gtk_stack_get_child_by_name (GTK_STACK (buttons), EXTENSION_NAME) == NULL)
    gtk_stack_add_named (GTK_STACK (buttons), gtk_label_new (NULL), EXTENSION_NAME);
  page = g_object_new (jank_inspector_page_get_type (), NULL);
  g_object_get (page, "title", &title, NULL);
  gtk_stack_add_titled (GTK_STACK (stack), page, EXTENSION_NAME, title);
  gtk_widget_set_visible (GTK_WIDGET (inspector), is_shown);
}

void
jank_inspector_start (const JankGtkHost *host)
{
  feed = (JankInspectorFeed) { host->inspector, feed.history, jank_input_hook_get_board (), jank_inspector_time_get };
  if (feed.host == NULL || g_io_extension_point_lookup (EXTENSION_POINT) == NULL)
    return;
  if (feed.history == NULL)
    feed.history = jank_frame_history_new (JANK_FRAME_HISTORY_BRIEF);
  g_io_extension_point_implement (EXTENSION_POINT, jank_inspector_page_get_type (), EXTENSION_NAME, 10);
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
