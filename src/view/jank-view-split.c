/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/jank-view-private.h"

#define NARROW_PX 720
#define SIDE_PX   340

typedef struct
{
  GtkWidget *paned, *side, *content;
  gboolean   is_narrow, is_open, is_deep, is_empty;
} JankViewSplitPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (JankViewSplit, jank_view_split, GTK_TYPE_BOX)

enum { PROP_SIDE = 1, PROP_CONTENT, PROP_NARROW, PROP_OPEN, PROP_DEEP, PROP_EMPTY, PROP_CAN_GO_BACK, N_PROPS };
static GParamSpec *properties[N_PROPS];

static gboolean
jank_view_split_can_go_back (const JankViewSplitPrivate *priv)
{
  return !priv->is_empty && ((priv->is_narrow && priv->is_open) || priv->is_deep);
}

static void
jank_view_split_update (JankViewSplit *self)
{
  JankViewSplitPrivate *priv = jank_view_split_get_instance_private (self);

  gtk_widget_set_visible (priv->side, !priv->is_empty && !(priv->is_narrow && priv->is_open));
  gtk_widget_set_visible (priv->content, priv->is_empty || !priv->is_narrow || priv->is_open);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CAN_GO_BACK]);
}

static void
jank_view_split_layout_cb (GdkSurface *surface, int width, int height, JankViewSplit *self)
{
  JankViewSplitPrivate *priv = jank_view_split_get_instance_private (self);

  if (priv->is_narrow == (width < NARROW_PX))
    return;
  priv->is_narrow = width < NARROW_PX;
  jank_view_split_update (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_NARROW]);
}

static void
jank_view_split_realize (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (jank_view_split_parent_class)->realize (widget);
  g_signal_connect_object (gtk_native_get_surface (gtk_widget_get_native (widget)), "layout",
                           G_CALLBACK (jank_view_split_layout_cb), widget, 0);
}

static void
jank_view_split_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  const JankViewSplitPrivate *priv = jank_view_split_get_instance_private (JANK_VIEW_SPLIT (object));

  switch (id)
    {
    case PROP_NARROW:      g_value_set_boolean (value, priv->is_narrow); break;
    case PROP_OPEN:        g_value_set_boolean (value, priv->is_open); break;
    case PROP_DEEP:        g_value_set_boolean (value, priv->is_deep); break;
    case PROP_EMPTY:       g_value_set_boolean (value, priv->is_empty); break;
    case PROP_CAN_GO_BACK: g_value_set_boolean (value, jank_view_split_can_go_back (priv)); break;
    default:               G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
jank_view_split_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  JankViewSplit *self = JANK_VIEW_SPLIT (object);
  JankViewSplitPrivate *priv = jank_view_split_get_instance_private (self);

  switch (id)
    {
    case PROP_SIDE:
      priv->side = g_value_get_object (value);
      gtk_paned_set_start_child (GTK_PANED (priv->paned), priv->side);
      break;
    case PROP_CONTENT:
      priv->content = g_value_get_object (value);
      gtk_paned_set_end_child (GTK_PANED (priv->paned), priv->content);
      break;
    case PROP_OPEN:
    case PROP_DEEP:
    case PROP_EMPTY:
      *(id == PROP_OPEN ? &priv->is_open : id == PROP_DEEP ? &priv->is_deep : &priv->is_empty) =
        g_value_get_boolean (value);
      jank_view_split_update (self);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
jank_view_split_class_init (JankViewSplitClass *klass)
{
  static const struct { guint id; const char *name; GParamFlags flags; } states[] = {
    { PROP_NARROW, "narrow", G_PARAM_READABLE }, { PROP_OPEN, "open", G_PARAM_READWRITE },
    { PROP_DEEP, "deep", G_PARAM_READWRITE }, { PROP_EMPTY, "empty", G_PARAM_READWRITE },
    { PROP_CAN_GO_BACK, "can-go-back", G_PARAM_READABLE },
  };
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags write = G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS;

  object_class->get_property = jank_view_split_get_property;
  object_class->set_property = jank_view_split_set_property;
  GTK_WIDGET_CLASS (klass)->realize = jank_view_split_realize;
  for (guint i = 0; i < G_N_ELEMENTS (states); i++)
    properties[states[i].id] = g_param_spec_boolean (states[i].name, NULL, NULL, FALSE,
                                                     states[i].flags | G_PARAM_STATIC_STRINGS);
  properties[PROP_SIDE] = g_param_spec_object ("side", NULL, NULL, GTK_TYPE_WIDGET, write);
  properties[PROP_CONTENT] = g_param_spec_object ("content", NULL, NULL, GTK_TYPE_WIDGET, write);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
jank_view_split_init (JankViewSplit *self)
{
  JankViewSplitPrivate *priv = jank_view_split_get_instance_private (self);

  priv->paned = gtk_paned_new (GTK_ORIENTATION_HORIZONTAL);
  gtk_paned_set_position (GTK_PANED (priv->paned), SIDE_PX);
  gtk_paned_set_resize_start_child (GTK_PANED (priv->paned), FALSE);
  gtk_paned_set_shrink_start_child (GTK_PANED (priv->paned), FALSE);
  gtk_paned_set_shrink_end_child (GTK_PANED (priv->paned), FALSE);
  gtk_widget_set_hexpand (priv->paned, TRUE);
  gtk_widget_set_vexpand (priv->paned, TRUE);
  gtk_box_append (GTK_BOX (self), priv->paned);
}

void
jank_view_split_back (JankViewSplit *self)
{
  const JankViewSplitPrivate *priv = jank_view_split_get_instance_private (self);

  g_object_set (self, priv->is_narrow && priv->is_open ? "open" : "deep", FALSE, NULL);
}
