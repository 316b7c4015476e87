/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* GTK 3 asks its key snoopers before any widget. They are deprecated, but GTK 3 will not lose them any more. */

#include "gtk/overlay/jank-overlay-private.h"

static guint keyval;
static GdkModifierType modifiers;
static void (*pressed_func) (void);
static guint snooper;

static int
jank_overlay_key_snoop_cb (GtkWidget *widget, GdkEventKey *event, gpointer data)
{
  GdkModifierType state = event->state & gtk_accelerator_get_default_mod_mask ();

  if (state != modifiers || gdk_keyval_to_lower (event->keyval) != keyval)
    return FALSE;
  if (event->type == GDK_KEY_PRESS)
    pressed_func ();
  return TRUE;
}

void
jank_overlay_key_start (const char *accelerator, void (*pressed) (void))
{
  pressed_func = pressed;
  gtk_accelerator_parse (accelerator, &keyval, &modifiers);
  keyval = gdk_keyval_to_lower (keyval);
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  if (snooper == 0 && keyval != 0)
    snooper = gtk_key_snooper_install (jank_overlay_key_snoop_cb, NULL);
  G_GNUC_END_IGNORE_DEPRECATIONS
}

void
jank_overlay_key_stop (void)
{
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  if (snooper != 0)
    gtk_key_snooper_remove (snooper);
  G_GNUC_END_IGNORE_DEPRECATIONS
  snooper = 0;
}
