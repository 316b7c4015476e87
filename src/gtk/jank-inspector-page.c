/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gtk/jank-inspector-private.h"

#include <glib/gi18n-lib.h>

#include "guest/jank-plugin-private.h"
#include "gtk/clock/jank-inspector-time-private.h"

struct _JankInspectorPage
{
  GtkBox parent_instance;
};

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
    return func (jank_inspector_get_feed ());
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
