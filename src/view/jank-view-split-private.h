/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A list and what is chosen in it: side by side in a wide window, one after the other in a narrow one. Abstract.
 * Properties: “side” and “content” (GtkWidget, write-only); “narrow” (read-only); “open”: in a narrow window the
 * content is shown; “deep”: the side shows what is in a row of its first list; “empty”: there is no list;
 * “can-go-back” (read-only). Main thread. */

#pragma once

#include "gtk/inspector/jank-inspector-stall-view-private.h"

#define JANK_TYPE_VIEW_SPLIT (jank_view_split_get_type ())
G_DECLARE_DERIVABLE_TYPE (JankViewSplit, jank_view_split, JANK, VIEW_SPLIT, GtkBox)

struct _JankViewSplitClass
{
  GtkBoxClass parent_class;

  /* Returns: (transfer none) */
  JankInspectorStallView *(*get_stall_view) (JankViewSplit *self);
  /* (nullable). Reads anew. */
  void                    (*reload)         (JankViewSplit *self);
};

/* Closes the content, else leaves the row. */
void jank_view_split_back (JankViewSplit *self);
