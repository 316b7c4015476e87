/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gtk/inspector/jank-inspector-parts-private.h"

/* From this height of the window on, a flame graph has ten rows below a list. */
#define ROOM_PX 640

void
jank_inspector_fold_look (JankInspectorFold *self)
{
  GtkWidget *window = GTK_WIDGET (gtk_widget_get_root (self->list));
  gboolean is_low = !self->is_empty && (window == NULL || gtk_widget_get_height (window) < ROOM_PX);

  gtk_widget_set_visible (self->list, !is_low || !self->is_open);
  gtk_widget_set_visible (self->details, !is_low || self->is_open);
  gtk_widget_set_visible (self->back, is_low);
}

void
jank_inspector_fold_open (JankInspectorFold *self, gboolean is_open)
{
  self->is_open = is_open;
  jank_inspector_fold_look (self);
}
