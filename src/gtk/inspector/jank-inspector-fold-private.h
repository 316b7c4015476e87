/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A list and the details of its selected row: both, where the window is high enough, else one at a time, with a button
 * that leads back to the list. GTK's thread only. */

#pragma once

#include "gtk/jank-gtk-names-private.h"

typedef struct
{
  GtkWidget *list, *details, *back;
  gboolean   is_open;  /* the details, where there is no room for both */
  gboolean   is_empty; /* which the details say */
} JankInspectorFold;

/* After the window's height may have changed. */
void jank_inspector_fold_look (JankInspectorFold *self);
void jank_inspector_fold_open (JankInspectorFold *self, gboolean is_open);
