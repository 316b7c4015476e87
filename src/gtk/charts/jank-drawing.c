/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gtk/charts/jank-drawing-private.h"

typedef struct
{
  char *readout; /* (owned) */
} JankDrawingPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (JankDrawing, jank_drawing, GTK_TYPE_DRAWING_AREA)

enum { PROP_READOUT = 1, N_PROPS };
static GParamSpec *properties[N_PROPS];

static JankDrawingPrivate *
jank_drawing_get_private (gpointer self)
{
  return jank_drawing_get_instance_private (JANK_DRAWING (self));
}

static void
jank_drawing_motion_cb (JankDrawing *self, double x, double y)
{
  JANK_DRAWING_GET_CLASS (self)->move (self, x, y);
}

static void
jank_drawing_leave_cb (JankDrawing *self)
{
  JANK_DRAWING_GET_CLASS (self)->leave (self);
}

static gboolean
jank_drawing_key_cb (JankDrawing *self, guint keyval)
{
  return JANK_DRAWING_GET_CLASS (self)->key (self, keyval);
}

static void
jank_drawing_released_cb (JankDrawing *self, int n_presses, double x, double y)
{
  gtk_widget_grab_focus (GTK_WIDGET (self));
  JANK_DRAWING_GET_CLASS (self)->click (self, x, y);
}

static void
jank_drawing_drag_begin_cb (JankDrawing *self)
{
  JANK_DRAWING_GET_CLASS (self)->drag (self, TRUE, 0);
}

static void
jank_drawing_drag_update_cb (JankDrawing *self, double dx, double dy, GtkGesture *gesture)
{
  if (JANK_DRAWING_GET_CLASS (self)->drag (self, FALSE, dx))
    gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
}

static gboolean
jank_drawing_scroll_cb (JankDrawing *self, double dx, double dy, GtkEventController *controller)
{
  GdkModifierType state = gtk_event_controller_get_current_event_state (controller);

  JANK_DRAWING_GET_CLASS (self)->scroll (self, dx, dy, (state & GDK_SHIFT_MASK) != 0);
  return GDK_EVENT_STOP;
}

/* Returns: (transfer none) */
static gpointer
jank_drawing_add (JankDrawing *self, gpointer controller, const char *signal, GCallback callback)
{
  gtk_widget_add_controller (GTK_WIDGET (self), controller);
  g_signal_connect_swapped (controller, signal, callback, self);
  return controller;
}

static void
jank_drawing_add_controllers (JankDrawing *self)
{
  gpointer motion = jank_drawing_add (self, gtk_event_controller_motion_new (), "motion",
                                      G_CALLBACK (jank_drawing_motion_cb));

  g_signal_connect_swapped (motion, "leave", G_CALLBACK (jank_drawing_leave_cb), self);
  jank_drawing_add (self, gtk_event_controller_key_new (), "key-pressed", G_CALLBACK (jank_drawing_key_cb));
  jank_drawing_add (self, gtk_gesture_click_new (), "released", G_CALLBACK (jank_drawing_released_cb));
  if (JANK_DRAWING_GET_CLASS (self)->scroll != NULL)
    jank_drawing_add (self, gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES), "scroll",
                      G_CALLBACK (jank_drawing_scroll_cb));
  if (JANK_DRAWING_GET_CLASS (self)->drag != NULL)
    g_signal_connect_swapped (jank_drawing_add (self, gtk_gesture_drag_new (), "drag-begin",
                                                G_CALLBACK (jank_drawing_drag_begin_cb)),
                              "drag-update", G_CALLBACK (jank_drawing_drag_update_cb), self);
}

static void
jank_drawing_constructed (GObject *object)
{
  JankDrawing *self = JANK_DRAWING (object);

  G_OBJECT_CLASS (jank_drawing_parent_class)->constructed (object);
  if (JANK_DRAWING_GET_CLASS (self)->key == NULL)
    return;
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  jank_drawing_add_controllers (self);
}

static void
jank_drawing_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_string (value, jank_drawing_get_private (object)->readout);
}

static void
jank_drawing_finalize (GObject *object)
{
  g_free (jank_drawing_get_private (object)->readout);
  G_OBJECT_CLASS (jank_drawing_parent_class)->finalize (object);
}

static gboolean
jank_drawing_query_tooltip (GtkWidget *widget, int x, int y, gboolean by_keyboard, GtkTooltip *tooltip)
{
  gtk_tooltip_set_text (tooltip, jank_drawing_get_private (widget)->readout);
  return !by_keyboard && jank_drawing_get_private (widget)->readout[0] != '\0';
}

static void
jank_drawing_class_init (JankDrawingClass *klass)
{
  G_OBJECT_CLASS (klass)->constructed = jank_drawing_constructed;
  G_OBJECT_CLASS (klass)->get_property = jank_drawing_get_property;
  G_OBJECT_CLASS (klass)->finalize = jank_drawing_finalize;
  GTK_WIDGET_CLASS (klass)->query_tooltip = jank_drawing_query_tooltip;
  properties[PROP_READOUT] = g_param_spec_string ("readout", NULL, NULL, "", G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (G_OBJECT_CLASS (klass), N_PROPS, properties);
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_IMG);
}

static void
jank_drawing_init (JankDrawing *self)
{
  jank_drawing_get_private (self)->readout = g_strdup ("");
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
}

void
jank_drawing_set_readout (JankDrawing *self, char *text)
{
  JankDrawingPrivate *private = jank_drawing_get_private (self);

  g_free (private->readout);
  private->readout = text;
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  jank_widget_describe (GTK_WIDGET (self), NULL, text);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_READOUT]);
}
