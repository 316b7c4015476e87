/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a row of a list shows. Read-only properties: “title”, “details”, “badge” (string), “badge-classes” and
 * “title-classes” (strv). Their texts are made when they are asked for. Main thread. */

#pragma once

#include <gio/gio.h>

#define JANK_TYPE_VIEW_ITEM (jank_view_item_get_type ())
G_DECLARE_DERIVABLE_TYPE (JankViewItem, jank_view_item, JANK, VIEW_ITEM, GObject)

struct _JankViewItemClass
{
  GObjectClass parent_class;

  /* Returns: (transfer full) */
  char       *(*make_title)   (JankViewItem *self);
  char       *(*make_details) (JankViewItem *self);
  /* ret_class: of CSS */
  const char *(*get_badge)    (JankViewItem *self, const char **ret_class);
  /* Whether it matters less than others. NULL: never */
  gboolean    (*is_dim)       (JankViewItem *self);
};

/* “details” and “title-classes” are different now. */
void jank_view_item_changed (JankViewItem *self);
