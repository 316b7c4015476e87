/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gtk/inspector/jank-inspector-swatch-private.h"

#include "gtk/charts/jank-palette-private.h"

#define SIZE_PX 12

struct _JankInspectorSwatch
{
  JankDrawing parent_instance;

  char       *name; /* (owned) (nullable) */
};

G_DEFINE_FINAL_TYPE (JankInspectorSwatch, jank_inspector_swatch, JANK_TYPE_DRAWING)

enum { PROP_COLOR_NAME = 1 };

static void
jank_inspector_swatch_draw (JankDrawing *drawing, JankCanvas *canvas)
{
  JankInspectorSwatch *self = JANK_INSPECTOR_SWATCH (drawing);
  GtkWidget *widget = GTK_WIDGET (self);
  GdkRGBA text, color;

  jank_widget_get_color (widget, &text);
  color = jank_palette_find (self->name != NULL ? self->name : "", jank_palette_is_dark (&text));
  jank_canvas_add_rect (canvas, &color, 0, 0, gtk_widget_get_width (widget), gtk_widget_get_height (widget));
}

static void
jank_inspector_swatch_measure (JankDrawing *drawing, GtkOrientation orientation, int *minimum, int *natural)
{
  *minimum = *natural = SIZE_PX;
}

static void
jank_inspector_swatch_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  JankInspectorSwatch *self = JANK_INSPECTOR_SWATCH (object);

  g_free (self->name);
  self->name = g_value_dup_string (value);
}

static void
jank_inspector_swatch_finalize (GObject *object)
{
  g_free (JANK_INSPECTOR_SWATCH (object)->name);
  G_OBJECT_CLASS (jank_inspector_swatch_parent_class)->finalize (object);
}

static void
jank_inspector_swatch_class_init (JankInspectorSwatchClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  JankDrawingClass *drawing_class = JANK_DRAWING_CLASS (klass);

  object_class->set_property = jank_inspector_swatch_set_property;
  object_class->finalize = jank_inspector_swatch_finalize;
  drawing_class->draw = jank_inspector_swatch_draw;
  drawing_class->measure = jank_inspector_swatch_measure;
  g_object_class_install_property (object_class, PROP_COLOR_NAME,
                                   g_param_spec_string ("color-name", NULL, NULL, NULL, G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS));
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void
jank_inspector_swatch_init (JankInspectorSwatch *self)
{
  gtk_widget_set_valign (GTK_WIDGET (self), GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (GTK_WIDGET (self), "jank-swatch");
}
