/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gtk/input/jank-input-notes-private.h"

#include "base/jank-clock-private.h"
#include "gtk/input/jank-input-hook-private.h"
#include "input/jank-input-clock-private.h"

/* A button's content is not far below it. */
#define MAX_STEPS_TO_BUTTON 6

static JankInputBoard board;
static JankInputClock stamps;
static JankInteraction open;   /* kind NONE: none is being handled */
static guint depth;            /* of the widget that it is for; 0: none is noted */

JankInputBoard *
jank_input_hook_get_board (void)
{
  return &board;
}

void
jank_input_notes_close (void)
{
  open.kind = JANK_INTERACTION_NONE;
}

void
jank_input_notes_pass (gboolean is_motion, guint32 stamp_ms)
{
  gint64 stamp_ns;

  jank_input_notes_close ();
  if (is_motion)
    jank_input_board_count_motion (&board);
  if (G_UNLIKELY (!stamps.is_trusted))
    jank_input_clock_read (&stamps, stamp_ms, jank_clock_now_ns (), &stamp_ns);
}

gboolean
jank_input_notes_take (JankInteractionKind kind, guint32 stamp_ms)
{
  gint64 now_ns = jank_clock_now_ns (), stamp_ns;

  jank_input_notes_close ();
  if (!jank_input_clock_read (&stamps, stamp_ms, now_ns, &stamp_ns))
    return FALSE;
  open = (JankInteraction) { .kind = kind, .stamp_ns = stamp_ns, .handled_ns = now_ns };
  depth = 0;
  jank_input_board_push (&board, &open);
  return TRUE;
}

static guint
jank_input_notes_get_depth (GtkWidget *widget)
{
  guint n = 0;

  for (; widget != NULL; widget = gtk_widget_get_parent (widget))
    n++;
  return n;
}

/* Cut at a character's edge. */
static void
jank_input_notes_set_text (char *buffer, gsize n_bytes, const char *text)
{
  const char *end;

  g_strlcpy (buffer, text, n_bytes);
  if (!g_utf8_validate (buffer, -1, &end))
    buffer[end - buffer] = '\0';
}

/* Returns: (nullable): what a person reads on the button */
static const char *
jank_input_notes_get_label (GtkButton *button)
{
  const char *label = gtk_button_get_label (button);

#if GTK_MAJOR_VERSION >= 4
  if (label == NULL)
    label = gtk_widget_get_tooltip_text (GTK_WIDGET (button));
  if (label == NULL)
    label = gtk_button_get_icon_name (button);
#endif
  return label;
}

/* Returns: (transfer none): the button that widget is in, else widget */
static GtkWidget *
jank_input_notes_find_button (GtkWidget *widget)
{
  GtkWidget *button = widget;

  for (guint i = 0; i < MAX_STEPS_TO_BUTTON && button != NULL; i++)
    {
      if (GTK_IS_BUTTON (button))
        return button;
      button = gtk_widget_get_parent (button);
    }
  return widget;
}

void
jank_input_notes_name_type (GtkWidget *widget)
{
  if (open.kind == JANK_INTERACTION_NONE)
    return;
  jank_input_notes_set_text (open.widget, sizeof open.widget, G_OBJECT_TYPE_NAME (widget));
  jank_input_board_change (&board, &open);
}

void
jank_input_notes_name (GtkWidget *widget)
{
  guint new_depth;
  const char *label, *type;

  if (open.kind == JANK_INTERACTION_NONE || (new_depth = jank_input_notes_get_depth (widget)) <= depth)
    return;
  depth = new_depth;
  widget = jank_input_notes_find_button (widget);
  type = G_OBJECT_TYPE_NAME (widget);
  label = GTK_IS_BUTTON (widget) ? jank_input_notes_get_label (GTK_BUTTON (widget)) : NULL;
  if (label == NULL && !g_str_equal (gtk_widget_get_name (widget), type))
    label = gtk_widget_get_name (widget);
  jank_input_notes_set_text (open.label, sizeof open.label, label != NULL ? label : "");
  jank_input_notes_name_type (widget);
}
