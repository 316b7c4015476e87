/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* GNOME's palette. No meaning depends on hue alone: phases differ in lightness too, and late frames in shape. */

#include "gtk/charts/jank-palette-private.h"

#define RGB(hex) { ((hex) >> 16 & 255) / 255.0f, ((hex) >> 8 & 255) / 255.0f, ((hex) & 255) / 255.0f, 1.0f }

static const struct { const char *name; GdkRGBA light, dark; } colors[JANK_N_COLORS] = {
  [JANK_COLOR_PART + JANK_PART_UPDATE] = { "update", RGB (0x1a5fb4), RGB (0x3584e4) },
  [JANK_COLOR_PART + JANK_PART_LAYOUT] = { "layout", RGB (0x2ba184), RGB (0x57e3b6) },
  [JANK_COLOR_PART + JANK_PART_PAINT] = { "paint", RGB (0x62a0ea), RGB (0x99c1f1) },
  [JANK_COLOR_PART + JANK_PART_OTHER] = { "other", RGB (0x9a9996), RGB (0x77767b) },
  [JANK_COLOR_BAND + JANK_FRAME_BAND_ON_TIME] = { "on-time", RGB (0x26a269), RGB (0x57e389) },
  [JANK_COLOR_BAND + JANK_FRAME_BAND_LATE] = { "late", RGB (0xe5a50a), RGB (0xf6d32d) },
  [JANK_COLOR_BAND + JANK_FRAME_BAND_VERY_LATE] = { "very-late", RGB (0xe66100), RGB (0xff7800) },
  [JANK_COLOR_BAND + JANK_FRAME_BAND_FROZEN] = { "frozen", RGB (0xc01c28), RGB (0xf66151) },
  [JANK_COLOR_BAND + JANK_FRAME_BAND_COMPOSITOR] = { "compositor", RGB (0x813d9c), RGB (0xc061cb) },
  [JANK_COLOR_OWN] = { "own", RGB (0xffa348), RGB (0xa3501a) },
  [JANK_COLOR_COMPUTING] = { "computing", RGB (0xe66100), RGB (0xff7800) },
  [JANK_COLOR_BLOCKED] = { "blocked", RGB (0x1c71d8), RGB (0x62a0ea) },
  [JANK_COLOR_PREEMPTED] = { "preempted", RGB (0x77767b), RGB (0x9a9996) },
};

static const struct { GdkRGBA light, dark; } modules[] = {
  { RGB (0xb9d5f5), RGB (0x2a4d7a) }, { RGB (0xc3e6d8), RGB (0x24594a) }, { RGB (0xd9cdec), RGB (0x4c3a69) },
  { RGB (0xc6dfe6), RGB (0x28535f) }, { RGB (0xd3dbc4), RGB (0x48552f) }, { RGB (0xd5d3dd), RGB (0x454358) },
  { RGB (0xc9d3ee), RGB (0x333f6b) }, { RGB (0xdad6cb), RGB (0x524d40) },
};

gboolean
jank_palette_is_dark (const GdkRGBA *text)
{
  return text->red + text->green + text->blue > 1.5f;
}

GdkRGBA
jank_palette_get (JankColor color, gboolean dark)
{
  return dark ? colors[color].dark : colors[color].light;
}

GdkRGBA
jank_palette_module (const char *file, gboolean dark)
{
  guint i = g_str_hash (file) % G_N_ELEMENTS (modules);

  return dark ? modules[i].dark : modules[i].light;
}

GdkRGBA
jank_palette_find (const char *name, gboolean dark)
{
  for (JankColor color = 0; color < JANK_N_COLORS; color++)
    if (g_str_equal (name, colors[color].name))
      return jank_palette_get (color, dark);
  return jank_palette_module (name, dark);
}

GdkRGBA
jank_palette_with_alpha (const GdkRGBA *color, double alpha)
{
  GdkRGBA result = *color;

  result.alpha = (float) alpha;
  return result;
}

PangoLayout *
jank_palette_make_layout (GtkWidget *widget, const char *text, double scale)
{
  PangoLayout *layout = gtk_widget_create_pango_layout (widget, text);
  PangoAttrList *attributes = pango_attr_list_new ();

  pango_attr_list_insert (attributes, pango_attr_scale_new (scale));
  pango_layout_set_attributes (layout, attributes);
  pango_attr_list_unref (attributes);
  return layout;
}

void
jank_widget_get_color (GtkWidget *widget, GdkRGBA *ret_color)
{
  gtk_style_context_get_color (gtk_widget_get_style_context (widget), ret_color);
}

void
jank_widget_describe (GtkWidget *widget, const char *label, const char *description)
{
  if (label != NULL)
    gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  if (description != NULL)
    gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description, -1);
}

void
jank_canvas_add_rect (JankCanvas *canvas, const GdkRGBA *color, double x, double y, double width, double height)
{
  gtk_snapshot_append_color (canvas, color, &GRAPHENE_RECT_INIT ((float) x, (float) y, (float) width, (float) height));
}

void
jank_canvas_add_text (JankCanvas *canvas, const GdkRGBA *color, PangoLayout *layout, double x, double y)
{
  gtk_snapshot_save (canvas);
  gtk_snapshot_translate (canvas, &GRAPHENE_POINT_INIT ((float) x, (float) y));
  gtk_snapshot_append_layout (canvas, layout, color);
  gtk_snapshot_restore (canvas);
}
