/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A header bar's buttons and a bar's tabs stay visible: the overlay goes below them, at the bottom above them. Which
 * widgets are bars only the names of their types tell, and of the types that they derive from. Widgets are only looked
 * at where they meet the overlay's place. */

#include "gtk/overlay/jank-overlay-parts-private.h"

#include <math.h>

#define MARGIN_PX 10

/* Below each other. */
#define MAX_BARS 4

/* The overlay has fewer lines where it would not fit otherwise, and is drawn down to this size; below, it is left
 * out. */
#define SMALLEST_FIT 0.8

/* Of the window's content, at most a sixth: sizes are rounded up. */
#define LARGEST_SHARE 0.155

typedef struct
{
  GtkWidget   *window;
  GdkRectangle place;
  gboolean     is_at_top;
  int          edge; /* of the bars found, that towards the middle; -1: none found */
} Search;

static void
jank_overlay_place_get_area (const JankOverlayPlace *self, GtkWidget *window, GdkRectangle *ret_area)
{
  jank_overlay_canvas_get_area (window, ret_area);
  ret_area->y += self->above;
  ret_area->height -= self->above + self->below;
}

static gboolean
jank_overlay_place_is_at_top (const JankSettings *settings)
{
  return settings->overlay_corner == JANK_OVERLAY_TOP_START || settings->overlay_corner == JANK_OVERLAY_TOP_END;
}

static gboolean
jank_overlay_place_is_at_left (GtkWidget *window, const JankSettings *settings)
{
  gboolean is_start = settings->overlay_corner == JANK_OVERLAY_TOP_START ||
                      settings->overlay_corner == JANK_OVERLAY_BOTTOM_START;

  return is_start == (gtk_widget_get_direction (window) != GTK_TEXT_DIR_RTL);
}

static gboolean
jank_overlay_place_is_header (GtkWidget *widget)
{
  for (GType type = G_OBJECT_TYPE (widget); type != GTK_TYPE_WIDGET && type != 0; type = g_type_parent (type))
    if (g_str_has_suffix (g_type_name (type), "HeaderBar") || g_str_has_suffix (g_type_name (type), "WindowControls"))
      return TRUE;
  return FALSE;
}

/* Small bars are part of the content: levels, progress. */
static gboolean
jank_overlay_place_is_bar (GtkWidget *widget, GtkWidget *window, int width)
{
  const char *name = G_OBJECT_TYPE_NAME (widget);

  return jank_overlay_place_is_header (widget) ||
         ((g_str_has_suffix (name, "Bar") || g_str_has_suffix (name, "bar")) &&
          2 * width > gtk_widget_get_width (window));
}

static void
jank_overlay_place_search_cb (gpointer widget, gpointer data)
{
  Search *self = data;
  GdkRectangle bounds;
  int edge;

  if (!jank_overlay_canvas_get_bounds (widget, self->window, &bounds) ||
      !gdk_rectangle_intersect (&bounds, &self->place, NULL))
    return;
  if (!jank_overlay_place_is_bar (widget, self->window, bounds.width))
    {
      jank_gtk_foreach_child (widget, jank_overlay_place_search_cb, self);
      return;
    }
  edge = self->is_at_top ? bounds.y + bounds.height : bounds.y;
  if (self->edge < 0 || (edge > self->edge) == self->is_at_top)
    self->edge = edge;
}

/* By GTK's font resolution; 96 dpi is 1. */
static double
jank_overlay_place_text_scale (GtkWidget *widget)
{
  int dpi = 0;

  g_object_get (gtk_widget_get_settings (widget), "gtk-xft-dpi", &dpi, NULL);
  return dpi > 0 ? CLAMP (dpi / (96.0 * 1024), 0.5, 3) : 1;
}

static void
jank_overlay_place_find_fit (JankOverlayPlace *self, GtkWidget *window, const JankSettings *settings)
{
  double wanted = settings->overlay_scale * jank_overlay_place_text_scale (window);
  double width, height, share;
  GdkRectangle area;

  jank_overlay_place_get_area (self, window, &area);
  width = area.width - 2 * MARGIN_PX;
  height = area.height - 2 * MARGIN_PX;
  share = LARGEST_SHARE * MAX (area.width, 0) * MAX (area.height, 0);
  self->fit = 0;
  for (self->preset = settings->overlay_preset; self->preset > 0; self->preset--)
    {
      double face_height = jank_overlay_face_get_height (self->preset);
      double possible = MIN (width / JANK_OVERLAY_WIDTH_PX, height / face_height);

      possible = MIN (possible, sqrt (share / (JANK_OVERLAY_WIDTH_PX * face_height)));
      if (possible >= SMALLEST_FIT * MIN (wanted, 1))
        {
          self->fit = MIN (wanted, possible);
          return;
        }
    }
}

void
jank_overlay_place_find (JankOverlayPlace *self, GtkWidget *window, const JankSettings *settings)
{
  Search search = { .window = window, .is_at_top = jank_overlay_place_is_at_top (settings) };
  GdkRectangle area;

  self->above = self->below = 0;
  for (guint i = 0; i < MAX_BARS; i++)
    {
      jank_overlay_place_find_fit (self, window, settings);
      if (self->fit == 0)
        return;
      jank_overlay_place_get (self, window, settings, JANK_OVERLAY_WIDTH_PX * self->fit,
                              jank_overlay_face_get_height (self->preset) * self->fit, &search.place);
      search.edge = -1;
      jank_gtk_foreach_child (window, jank_overlay_place_search_cb, &search);
      if (search.edge < 0)
        return;
      jank_overlay_canvas_get_area (window, &area);
      if (search.is_at_top)
        self->above = search.edge - area.y;
      else
        self->below = area.y + area.height - search.edge;
    }
  self->fit = 0;
}

void
jank_overlay_place_get (const JankOverlayPlace *self, GtkWidget *window, const JankSettings *settings,
                        double width, double height, GdkRectangle *ret_rectangle)
{
  gboolean is_at_left = jank_overlay_place_is_at_left (window, settings);
  gboolean is_at_top = jank_overlay_place_is_at_top (settings);
  GdkRectangle area;

  jank_overlay_place_get_area (self, window, &area);
  ret_rectangle->width = (int) ceil (width);
  ret_rectangle->height = (int) ceil (height);
  ret_rectangle->x = is_at_left ? area.x + MARGIN_PX : area.x + area.width - MARGIN_PX - ret_rectangle->width;
  ret_rectangle->y = is_at_top ? area.y + MARGIN_PX : area.y + area.height - MARGIN_PX - ret_rectangle->height;
}
