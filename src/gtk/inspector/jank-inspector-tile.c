/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gtk/inspector/jank-inspector-parts-private.h"

#include "gtk/charts/jank-toolkit-private.h"

struct _JankInspectorTile
{
  GtkBox      parent_instance;

  GtkLabel   *name, *value, *remark;
  const char *tone;
};

G_DEFINE_FINAL_TYPE (JankInspectorTile, jank_inspector_tile, GTK_TYPE_BOX)

enum { PROP_NAME_TEXT = 1, PROP_VALUE, PROP_REMARK };

static void
jank_inspector_tile_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  JankInspectorTile *self = JANK_INSPECTOR_TILE (object);

  if (id != PROP_NAME_TEXT)
    {
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      return;
    }
  gtk_label_set_text (self->name, g_value_get_string (value));
  jank_widget_describe (GTK_WIDGET (self), g_value_get_string (value), NULL);
}

static void
jank_inspector_tile_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  JankInspectorTile *self = JANK_INSPECTOR_TILE (object);

  switch (id)
    {
    case PROP_NAME_TEXT: g_value_set_string (value, gtk_label_get_text (self->name)); break;
    case PROP_VALUE:     g_value_set_string (value, gtk_label_get_text (self->value)); break;
    case PROP_REMARK:    g_value_set_string (value, gtk_label_get_text (self->remark)); break;
    default:             G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
jank_inspector_tile_class_init (JankInspectorTileClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->set_property = jank_inspector_tile_set_property;
  object_class->get_property = jank_inspector_tile_get_property;
  g_object_class_install_property (object_class, PROP_NAME_TEXT,
                                   g_param_spec_string ("name-text", NULL, NULL, NULL,
                                                        G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (object_class, PROP_VALUE, g_param_spec_string ("value", NULL, NULL, NULL, flags));
  g_object_class_install_property (object_class, PROP_REMARK, g_param_spec_string ("remark", NULL, NULL, NULL, flags));

  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static GtkLabel *
jank_inspector_tile_add_label (JankInspectorTile *self, const char *css_class, PangoEllipsizeMode ellipsize)
{
  GtkWidget *label = g_object_new (GTK_TYPE_LABEL, "visible", TRUE, "xalign", 0.0, "ellipsize", ellipsize, NULL);

  gtk_widget_add_css_class (label, css_class);
  gtk_box_append (GTK_BOX (self), label);
  return GTK_LABEL (label);
}

static void
jank_inspector_tile_init (JankInspectorTile *self)
{
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing (GTK_BOX (self), 2);
  gtk_widget_set_size_request (GTK_WIDGET (self), 108, -1);
  gtk_widget_add_css_class (GTK_WIDGET (self), "jank-tile");
  self->name = jank_inspector_tile_add_label (self, "caption", PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (GTK_WIDGET (self->name), "dim-label");
  self->value = jank_inspector_tile_add_label (self, "jank-figure", PANGO_ELLIPSIZE_END);
  self->remark = jank_inspector_tile_add_label (self, "caption", PANGO_ELLIPSIZE_NONE);
  gtk_label_set_wrap (self->remark, TRUE);
  gtk_label_set_width_chars (self->remark, 11);
  gtk_label_set_max_width_chars (self->remark, 13);
  self->tone = "";
}

void
jank_inspector_tile_set (JankInspectorTile *self, char *value, char *remark, const char *tone)
{
  gtk_label_set_text (self->value, value);
  gtk_label_set_text (self->remark, remark);
  if (g_strcmp0 (tone, self->tone) != 0)
    {
      if (self->tone[0] != '\0')
        gtk_widget_remove_css_class (GTK_WIDGET (self->value), self->tone);
      if (tone[0] != '\0')
        gtk_widget_add_css_class (GTK_WIDGET (self->value), tone);
      self->tone = tone;
    }
  g_free (value);
  g_free (remark);
}
