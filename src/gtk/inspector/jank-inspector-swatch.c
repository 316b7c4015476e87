/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gtk/inspector/jank-inspector-parts-private.h"

#include "gtk/charts/jank-palette-private.h"
#include "json/jank-field-private.h"

#define SIZE_PX    12
#define SPACING_PX 5
#define MIN_PX     48
#define TEXT_SCALE 0.83

struct _JankInspectorSwatch
{
  JankDrawing parent_instance;

  char       *name;  /* (owned) (nullable) */
  char       *label; /* (owned) (nullable) */
};

G_DEFINE_FINAL_TYPE (JankInspectorSwatch, jank_inspector_swatch, JANK_TYPE_DRAWING)

enum { PROP_COLOR_NAME = 1, PROP_LABEL };

static void
jank_inspector_swatch_snapshot (GtkWidget *widget, GtkSnapshot *canvas)
{
  JankInspectorSwatch *self = JANK_INSPECTOR_SWATCH (widget);
  GdkRGBA text, color;
  gboolean is_rtl = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  double width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  g_autoptr (PangoLayout) layout = NULL;
  int text_width, text_height;

  jank_widget_get_color (widget, &text);
  color = jank_palette_find (self->name != NULL ? self->name : "", jank_palette_is_dark (&text));
  jank_canvas_add_rect (canvas, &color, is_rtl ? width - SIZE_PX : 0, (height - SIZE_PX) / 2, SIZE_PX, SIZE_PX);
  if (self->label == NULL)
    return;
  layout = jank_palette_make_layout (widget, self->label, TEXT_SCALE);
  pango_layout_set_width (layout, (int) MAX (width - SIZE_PX - SPACING_PX, 0) * PANGO_SCALE);
  pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
  pango_layout_get_pixel_size (layout, &text_width, &text_height);
  jank_canvas_add_text (canvas, &text, layout, is_rtl
                        ? width - SIZE_PX - SPACING_PX - text_width : SIZE_PX + SPACING_PX, (height - text_height) / 2);
}

static void
jank_inspector_swatch_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                               int *minimum_baseline, int *natural_baseline)
{
  JankInspectorSwatch *self = JANK_INSPECTOR_SWATCH (widget);
  g_autoptr (PangoLayout) layout = NULL;
  int width, height;

  *minimum = *natural = SIZE_PX;
  if (self->label == NULL)
    return;
  layout = jank_palette_make_layout (widget, self->label, TEXT_SCALE);
  pango_layout_get_pixel_size (layout, &width, &height);
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? SIZE_PX + SPACING_PX + width : MAX (SIZE_PX, height);
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? MIN (*natural, MIN_PX) : *natural;
}

static void
jank_inspector_swatch_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  JankInspectorSwatch *self = JANK_INSPECTOR_SWATCH (object);

  jank_set_text (id == PROP_LABEL ? &self->label : &self->name, g_value_get_string (value));
  if (id == PROP_LABEL)
    jank_widget_describe (GTK_WIDGET (self), self->label, NULL);
}

static void
jank_inspector_swatch_finalize (GObject *object)
{
  g_free (JANK_INSPECTOR_SWATCH (object)->name);
  g_free (JANK_INSPECTOR_SWATCH (object)->label);
  G_OBJECT_CLASS (jank_inspector_swatch_parent_class)->finalize (object);
}

static void
jank_inspector_swatch_class_init (JankInspectorSwatchClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->set_property = jank_inspector_swatch_set_property;
  object_class->finalize = jank_inspector_swatch_finalize;
  widget_class->snapshot = jank_inspector_swatch_snapshot;
  widget_class->measure = jank_inspector_swatch_measure;
  g_object_class_install_property (object_class, PROP_COLOR_NAME,
                                   g_param_spec_string ("color-name", NULL, NULL, NULL,
                                                        G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (object_class, PROP_LABEL,
                                   g_param_spec_string ("label", NULL, NULL, NULL,
                                                        G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS));
}

static void
jank_inspector_swatch_init (JankInspectorSwatch *self)
{
  gtk_widget_set_valign (GTK_WIDGET (self), GTK_ALIGN_CENTER);
}
