/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whatever appears is a widget that is mapped: windows, popovers and menus, and what is shown inside a window in
 * place of a dialog. A dialog that another process shows, such as a portal's, takes the keyboard away. */

#include "gtk/jank-shown-hook-private.h"

#include "gtk/clock/jank-inspector-time-private.h"
#include "gtk/jank-toplevels-private.h"

static const JankGtkHost *host; /* NULL: stopped */
static gulong map_hook;
static GType tooltip_type;      /* 0: there was none yet */

/* What a pointer calls forth says nothing of the program. */
static gboolean
jank_shown_hook_is_of_pointer (GtkWidget *widget)
{
  if (tooltip_type == 0)
    tooltip_type = g_type_from_name ("GtkTooltipWindow");
  for (; widget != NULL; widget = gtk_widget_get_parent (widget))
    if (G_OBJECT_TYPE (widget) == GTK_TYPE_SCROLLBAR || G_OBJECT_TYPE (widget) == tooltip_type)
      return TRUE;
  return FALSE;
}

static void
jank_shown_hook_tell (void)
{
  if (host->on_shown != NULL)
    host->on_shown (host->data);
}

static void
jank_shown_hook_tell_held (gboolean is_held)
{
  if (host->on_held != NULL)
    host->on_held (host->data, is_held);
}

static gboolean
jank_shown_hook_mapped_cb (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer data)
{
  GtkWidget *widget = values[0].data[0].v_pointer;

#if GTK_MAJOR_VERSION < 4
  if (GTK_IS_WINDOW (widget) && jank_toplevels_is_inspector (GTK_WINDOW (widget)))
    {
      jank_inspector_time_confirm ();
      jank_inspector_time_watch (widget);
    }
#endif
  if (!jank_shown_hook_is_of_pointer (widget))
    jank_shown_hook_tell ();
  return TRUE;
}

void
jank_shown_hook_take (GdkEventType type)
{
  switch ((int) type)
    {
    case GDK_FOCUS_CHANGE:
      jank_shown_hook_tell ();
      break;
    case GDK_BUTTON_PRESS:
    case GDK_TOUCH_BEGIN:
      jank_shown_hook_tell_held (TRUE);
      break;
    case GDK_BUTTON_RELEASE:
    case GDK_TOUCH_END:
    case GDK_TOUCH_CANCEL:
      jank_shown_hook_tell_held (FALSE);
      break;
    default:
      break;
    }
}

void
jank_shown_hook_start (const JankGtkHost *new_host)
{
  host = new_host;
  map_hook = jank_gtk_add_hook (GTK_TYPE_WIDGET, "map", jank_shown_hook_mapped_cb, NULL);
}

void
jank_shown_hook_stop (void)
{
  g_signal_remove_emission_hook (g_signal_lookup ("map", GTK_TYPE_WIDGET), map_hook);
  host = NULL;
}
