/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Siblings are sorted heaviest first, so the first box narrower than half a pixel ends its row. Rows outside the
 * scrolled area are walked but not drawn. GTK's thread only. */

#include "gtk/charts/jank-flame-graph-private.h"

#include <glib/gi18n-lib.h>

#include "text/jank-text-private.h"
#include "gtk/charts/jank-palette-private.h"

#define ROW_PX       20
#define SMALLEST_PX  0.5
#define LABEL_MIN_PX 28

struct _JankFlameGraph
{
  JankDrawing    parent_instance;

  JankFlameTree *tree;    /* (owned) (nullable) */
  guint          zoom;
  guint          cursor;  /* JANK_FLAME_NONE */
  char          *search;  /* (owned): case-folded; "" */
  guint8        *matches; /* (owned) (nullable): one per node, while there is a search */
  GtkAdjustment *scroll;  /* (owned) (nullable) */
};

G_DEFINE_FINAL_TYPE (JankFlameGraph, jank_flame_graph, JANK_TYPE_DRAWING)

typedef struct
{
  JankFlameGraph *graph;
  JankCanvas     *canvas;
  PangoLayout    *layout;
  GdkRGBA         text;
  gboolean        dark, mirrored;
  double          width, top, bottom; /* visible rows, in pixels */
  double          px_per_ns;
  gint64          from_ns;
} Draw;

static GdkRGBA
jank_flame_graph_color_of (const Draw *draw, const JankFlameNode *node, guint index)
{
  GdkRGBA color = node->own ? jank_palette_get (JANK_COLOR_OWN, draw->dark)
                            : jank_palette_module (node->module, draw->dark);

  if (node->parent == JANK_FLAME_NONE || node->module[0] == '\0')
    color = jank_palette_with_alpha (&draw->text, 0.15);
  if (draw->graph->matches != NULL && !draw->graph->matches[index])
    color.alpha *= 0.3f;
  return color;
}

static void
jank_flame_graph_draw_label (const Draw *draw, const JankFlameNode *node, guint index, double x, double y, double width)
{
  gboolean dim = draw->graph->matches != NULL && !draw->graph->matches[index];
  GdkRGBA color = jank_palette_with_alpha (&draw->text, dim ? 0.4 : 1);
  int height;

  pango_layout_set_text (draw->layout, node->label, -1);
  pango_layout_set_width (draw->layout, (int) ((width - 8) * PANGO_SCALE));
  pango_layout_get_pixel_size (draw->layout, NULL, &height);
  jank_canvas_add_text (draw->canvas, &color, draw->layout, x + 4, y + (ROW_PX - 1 - height) / 2);
}

static void
jank_flame_graph_draw_frame (const Draw *draw, double x, double y, double width)
{
  double px = gtk_widget_has_focus (GTK_WIDGET (draw->graph)) ? 2 : 1, height = ROW_PX - 1;
  GdkRGBA color = jank_palette_with_alpha (&draw->text, 0.9);

  width = MAX (width, 2 * px);
  jank_canvas_add_rect (draw->canvas, &color, x, y, width, px);
  jank_canvas_add_rect (draw->canvas, &color, x, y + height - px, width, px);
  jank_canvas_add_rect (draw->canvas, &color, x, y + px, px, height - 2 * px);
  jank_canvas_add_rect (draw->canvas, &color, x + width - px, y + px, px, height - 2 * px);
}

/* x0, x1: with time from left to right. */
static void
jank_flame_graph_draw_box (const Draw *draw, guint index, double x0, double x1)
{
  const JankFlameNode *node = jank_flame_tree_get (draw->graph->tree, index);
  double y = node->depth * ROW_PX, x, width;
  GdkRGBA color = jank_flame_graph_color_of (draw, node, index);

  if (y + ROW_PX < draw->top || y > draw->bottom)
    return;
  x0 = MAX (x0, 0);
  x1 = MIN (x1, draw->width);
  width = x1 - x0 > 3 ? x1 - x0 - 1 : x1 - x0;
  x = draw->mirrored ? draw->width - x0 - width : x0;
  jank_canvas_add_rect (draw->canvas, &color, x, y, width, ROW_PX - 1);
  if (width >= LABEL_MIN_PX)
    jank_flame_graph_draw_label (draw, node, index, x, y, width);
  if (index == draw->graph->cursor)
    jank_flame_graph_draw_frame (draw, x, y, width);
}

static double
jank_flame_graph_x_of (const Draw *draw, gint64 at_ns)
{
  return (double) (at_ns - draw->from_ns) * draw->px_per_ns;
}

/* One box for all children from first on, each too narrow to be seen. */
static void
jank_flame_graph_draw_rest (const Draw *draw, const JankFlameNode *parent, const JankFlameNode *first)
{
  double x0 = MAX (jank_flame_graph_x_of (draw, first->start_ns), 0);
  double x1 = MIN (jank_flame_graph_x_of (draw, parent->start_ns + parent->total_ns - parent->self_ns), draw->width);
  double y = first->depth * ROW_PX;
  GdkRGBA color = jank_palette_with_alpha (&draw->text, 0.12);

  if (x1 - x0 < 1 || y + ROW_PX < draw->top || y > draw->bottom)
    return;
  jank_canvas_add_rect (draw->canvas, &color, draw->mirrored ? draw->width - x1 : x0, y, x1 - x0, ROW_PX - 1);
}

/* Recurses as deep as the tree: JANK_FLAME_MAX_DEPTH at most. */
static void
jank_flame_graph_draw_branch (const Draw *draw, guint index)
{
  const JankFlameNode *node = jank_flame_tree_get (draw->graph->tree, index);
  double x0 = jank_flame_graph_x_of (draw, node->start_ns);

  jank_flame_graph_draw_box (draw, index, x0, x0 + (double) node->total_ns * draw->px_per_ns);
  if ((node->depth + 1) * ROW_PX > draw->bottom)
    return;
  for (guint i = node->first_child; i != JANK_FLAME_NONE;)
    {
      const JankFlameNode *child = jank_flame_tree_get (draw->graph->tree, i);

      if ((double) child->total_ns * draw->px_per_ns < SMALLEST_PX)
        {
          jank_flame_graph_draw_rest (draw, node, child);
          break;
        }
      jank_flame_graph_draw_branch (draw, i);
      i = child->next_sibling;
    }
}

static void
jank_flame_graph_snapshot (GtkWidget *widget, GtkSnapshot *canvas)
{
  JankFlameGraph *self = JANK_FLAME_GRAPH (widget);
  const JankFlameNode *zoomed;
  Draw draw = {
    .graph = self,
    .canvas = canvas,
    .mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL,
    .width = gtk_widget_get_width (widget),
    .top = self->scroll != NULL ? gtk_adjustment_get_value (self->scroll) : 0,
  };

  if (self->tree == NULL || draw.width <= 0)
    return;
  zoomed = jank_flame_tree_get (self->tree, self->zoom);
  draw.from_ns = zoomed->start_ns;
  draw.px_per_ns = draw.width / (double) MAX (zoomed->total_ns, 1);
  draw.bottom = self->scroll != NULL ? draw.top + gtk_adjustment_get_page_size (self->scroll)
                                     : gtk_widget_get_height (widget);
  jank_widget_get_color (widget, &draw.text);
  draw.dark = jank_palette_is_dark (&draw.text);
  draw.layout = jank_palette_make_layout (widget, NULL, 0.83);
  pango_layout_set_ellipsize (draw.layout, PANGO_ELLIPSIZE_END);
  pango_layout_set_single_paragraph_mode (draw.layout, TRUE);
  for (guint node = zoomed->parent; node != JANK_FLAME_NONE; node = jank_flame_tree_get (self->tree, node)->parent)
    jank_flame_graph_draw_box (&draw, node, 0, draw.width);
  jank_flame_graph_draw_branch (&draw, self->zoom);
  g_object_unref (draw.layout);
}

static guint
jank_flame_graph_pick (JankFlameGraph *self, double x, double y)
{
  const JankFlameNode *zoomed;
  double width = gtk_widget_get_width (GTK_WIDGET (self));
  guint row = (guint) (MAX (y, 0) / ROW_PX), node = self->zoom;
  gint64 at_ns;

  if (self->tree == NULL || width <= 0)
    return JANK_FLAME_NONE;
  zoomed = jank_flame_tree_get (self->tree, self->zoom);
  if (gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL)
    x = width - x;
  at_ns = zoomed->start_ns + (gint64) (x / width * (double) zoomed->total_ns);
  while (node != JANK_FLAME_NONE && jank_flame_tree_get (self->tree, node)->depth > row)
    node = jank_flame_tree_get (self->tree, node)->parent;
  while (node != JANK_FLAME_NONE && jank_flame_tree_get (self->tree, node)->depth < row)
    {
      const JankFlameNode *child;

      for (node = jank_flame_tree_get (self->tree, node)->first_child; node != JANK_FLAME_NONE;
           node = child->next_sibling)
        {
          child = jank_flame_tree_get (self->tree, node);
          if (at_ns < child->start_ns + child->total_ns)
            break;
        }
    }
  return node;
}

static char *
jank_flame_graph_describe (JankFlameGraph *self, guint index)
{
  const JankFlameNode *node = jank_flame_tree_get (self->tree, index);
  double all_ns = (double) MAX (jank_flame_tree_get (self->tree, JANK_FLAME_ROOT)->total_ns, 1);
  g_autofree char *time = jank_text_duration (node->total_ns);
  g_autofree char *share = jank_text_share ((double) node->total_ns / all_ns);
  g_autofree char *self_share = jank_text_share ((double) node->self_ns / all_ns);

  if (node->module[0] == '\0')
    return g_strdup_printf (_("%s: %s (%s)"), node->label, time, share);
  return g_strdup_printf (_("%s in %s: %s (%s), self %s"), node->label, node->module, time, share, self_share);
}

/* Of nested matches, only the outermost counts. */
static gint64
jank_flame_graph_sum_matches (JankFlameGraph *self, guint *ret_n)
{
  gint64 sum_ns = 0;

  *ret_n = 0;
  for (guint i = 0; i < jank_flame_tree_get_n (self->tree); i++)
    {
      guint above = jank_flame_tree_get (self->tree, i)->parent;

      if (!self->matches[i])
        continue;
      *ret_n += 1;
      while (above != JANK_FLAME_NONE && !self->matches[above])
        above = jank_flame_tree_get (self->tree, above)->parent;
      if (above == JANK_FLAME_NONE)
        sum_ns += jank_flame_tree_get (self->tree, i)->total_ns;
    }
  return sum_ns;
}

static char *
jank_flame_graph_describe_search (JankFlameGraph *self)
{
  guint n;
  gint64 sum_ns = jank_flame_graph_sum_matches (self, &n);
  gint64 all_ns = MAX (jank_flame_tree_get (self->tree, JANK_FLAME_ROOT)->total_ns, 1);
  g_autofree char *share = jank_text_share ((double) sum_ns / (double) all_ns);

  return g_strdup_printf (ngettext ("%u call found, %s of the time", "%u calls found, %s of the time", n), n, share);
}

static void
jank_flame_graph_update_readout (JankFlameGraph *self)
{
  char *text = NULL;

  if (self->tree != NULL && self->cursor != JANK_FLAME_NONE)
    text = jank_flame_graph_describe (self, self->cursor);
  else if (self->matches != NULL)
    text = jank_flame_graph_describe_search (self);
  jank_drawing_set_readout (JANK_DRAWING (self), text != NULL ? text : g_strdup (""));
}

static void
jank_flame_graph_set_cursor (JankFlameGraph *self, guint node)
{
  if (self->cursor == node)
    return;
  self->cursor = node;
  jank_flame_graph_update_readout (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
jank_flame_graph_show_cursor (JankFlameGraph *self)
{
  double y;

  if (self->scroll == NULL || self->cursor == JANK_FLAME_NONE)
    return;
  y = jank_flame_tree_get (self->tree, self->cursor)->depth * ROW_PX;
  gtk_adjustment_clamp_page (self->scroll, y, y + ROW_PX);
}

static void
jank_flame_graph_move (JankDrawing *drawing, double x, double y)
{
  JankFlameGraph *self = JANK_FLAME_GRAPH (drawing);

  jank_flame_graph_set_cursor (self, jank_flame_graph_pick (self, x, y));
}

static void
jank_flame_graph_leave (JankDrawing *drawing)
{
  JankFlameGraph *self = JANK_FLAME_GRAPH (drawing);

  if (!gtk_widget_has_focus (GTK_WIDGET (self)))
    jank_flame_graph_set_cursor (self, JANK_FLAME_NONE);
}

static void
jank_flame_graph_zoom (JankFlameGraph *self, guint node)
{
  self->zoom = node;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
jank_flame_graph_click (JankDrawing *drawing, double x, double y)
{
  JankFlameGraph *self = JANK_FLAME_GRAPH (drawing);
  guint node = jank_flame_graph_pick (self, x, y);

  if (node == JANK_FLAME_NONE)
    return;
  jank_flame_graph_set_cursor (self, node);
  jank_flame_graph_zoom (self, node);
}

static guint
jank_flame_graph_find_previous (JankFlameGraph *self, guint node)
{
  guint parent = jank_flame_tree_get (self->tree, node)->parent;
  guint child = parent != JANK_FLAME_NONE ? jank_flame_tree_get (self->tree, parent)->first_child : JANK_FLAME_NONE;

  if (child == node)
    return JANK_FLAME_NONE;
  while (child != JANK_FLAME_NONE && jank_flame_tree_get (self->tree, child)->next_sibling != node)
    child = jank_flame_tree_get (self->tree, child)->next_sibling;
  return child;
}

static guint
jank_flame_graph_find_neighbour (JankFlameGraph *self, guint keyval)
{
  gboolean mirrored = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;

  switch (keyval)
    {
    case GDK_KEY_Up:   return jank_flame_tree_get (self->tree, self->cursor)->parent;
    case GDK_KEY_Down: return jank_flame_tree_get (self->tree, self->cursor)->first_child;
    case GDK_KEY_Home: return self->zoom;
    default:           break;
    }
  return (keyval == GDK_KEY_Right) != mirrored ? jank_flame_tree_get (self->tree, self->cursor)->next_sibling
                                               : jank_flame_graph_find_previous (self, self->cursor);
}

static gboolean
jank_flame_graph_key (JankDrawing *drawing, guint keyval)
{
  JankFlameGraph *self = JANK_FLAME_GRAPH (drawing);
  guint to;

  if (self->tree == NULL)
    return GDK_EVENT_PROPAGATE;
  switch (keyval)
    {
    case GDK_KEY_Escape:
    case GDK_KEY_BackSpace:
      if (self->zoom == JANK_FLAME_ROOT)
        return GDK_EVENT_PROPAGATE;
      jank_flame_graph_zoom (self, jank_flame_tree_get (self->tree, self->zoom)->parent);
      return GDK_EVENT_STOP;
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:
      jank_flame_graph_zoom (self, self->cursor != JANK_FLAME_NONE ? self->cursor : JANK_FLAME_ROOT);
      return GDK_EVENT_STOP;
    case GDK_KEY_Up: case GDK_KEY_Down: case GDK_KEY_Left: case GDK_KEY_Right: case GDK_KEY_Home:
      to = self->cursor != JANK_FLAME_NONE ? jank_flame_graph_find_neighbour (self, keyval) : self->zoom;
      if (to != JANK_FLAME_NONE)
        jank_flame_graph_set_cursor (self, to);
      jank_flame_graph_show_cursor (self);
      return GDK_EVENT_STOP;
    default:
      return GDK_EVENT_PROPAGATE;
    }
}

static void
jank_flame_graph_map (GtkWidget *widget)
{
  JankFlameGraph *self = JANK_FLAME_GRAPH (widget);
  GtkWidget *scrolled = gtk_widget_get_ancestor (widget, GTK_TYPE_SCROLLED_WINDOW);

  GTK_WIDGET_CLASS (jank_flame_graph_parent_class)->map (widget);
  if (scrolled == NULL)
    return;
  self->scroll = g_object_ref (gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scrolled)));
  g_signal_connect_swapped (self->scroll, "value-changed", G_CALLBACK (gtk_widget_queue_draw), self);
}

static void
jank_flame_graph_unmap (GtkWidget *widget)
{
  JankFlameGraph *self = JANK_FLAME_GRAPH (widget);

  if (self->scroll != NULL)
    g_signal_handlers_disconnect_by_data (self->scroll, self);
  g_clear_object (&self->scroll);
  GTK_WIDGET_CLASS (jank_flame_graph_parent_class)->unmap (widget);
}

static void
jank_flame_graph_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                          int *minimum_baseline, int *natural_baseline)
{
  JankFlameGraph *self = JANK_FLAME_GRAPH (widget);
  int height = self->tree != NULL ? (int) jank_flame_tree_get_depth (self->tree) * ROW_PX : ROW_PX;

  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 100 : height;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 400 : height;
}

static void
jank_flame_graph_finalize (GObject *object)
{
  JankFlameGraph *self = JANK_FLAME_GRAPH (object);

  g_clear_pointer (&self->tree, jank_flame_tree_free);
  g_free (self->search);
  g_free (self->matches);
  G_OBJECT_CLASS (jank_flame_graph_parent_class)->finalize (object);
}

static void
jank_flame_graph_class_init (JankFlameGraphClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  JankDrawingClass *drawing_class = JANK_DRAWING_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = jank_flame_graph_finalize;
  widget_class->map = jank_flame_graph_map;
  widget_class->unmap = jank_flame_graph_unmap;
  GTK_WIDGET_CLASS (klass)->snapshot = jank_flame_graph_snapshot;
  GTK_WIDGET_CLASS (klass)->measure = jank_flame_graph_measure;
  drawing_class->key = jank_flame_graph_key;
  drawing_class->move = jank_flame_graph_move;
  drawing_class->leave = jank_flame_graph_leave;
  drawing_class->click = jank_flame_graph_click;
  gtk_widget_class_set_css_name (widget_class, "jankflamegraph");
}

static void
jank_flame_graph_init (JankFlameGraph *self)
{
  self->cursor = JANK_FLAME_NONE;
  self->search = g_strdup ("");
  jank_widget_describe (GTK_WIDGET (self), _("Flame graph"), NULL);
}

static void
jank_flame_graph_find_matches (JankFlameGraph *self)
{
  g_clear_pointer (&self->matches, g_free);
  if (self->tree == NULL || self->search[0] == '\0')
    return;
  self->matches = g_new0 (guint8, jank_flame_tree_get_n (self->tree));
  for (guint i = 0; i < jank_flame_tree_get_n (self->tree); i++)
    {
      const JankFlameNode *node = jank_flame_tree_get (self->tree, i);

      self->matches[i] = i != JANK_FLAME_ROOT && (jank_text_contains (node->label, self->search) ||
                                                  jank_text_contains (node->module, self->search));
    }
}

void
jank_flame_graph_set_tree (JankFlameGraph *self, JankFlameTree *tree)
{
  g_clear_pointer (&self->tree, jank_flame_tree_free);
  self->tree = tree;
  self->zoom = JANK_FLAME_ROOT;
  self->cursor = JANK_FLAME_NONE;
  jank_flame_graph_find_matches (self);
  jank_flame_graph_update_readout (self);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

void
jank_flame_graph_set_search (JankFlameGraph *self, const char *text)
{
  g_free (self->search);
  self->search = g_utf8_casefold (text != NULL ? text : "", -1);
  jank_flame_graph_find_matches (self);
  jank_flame_graph_update_readout (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
