/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A widget whose snapshot() draws rectangles and texts, and its input. Abstract. Property
 * “readout” (string, read-only): what is under the cursor, or "", also as a tooltip and for assistive technology. GTK's
 * thread only. */

#pragma once

#include "gtk/charts/jank-palette-private.h"

#define JANK_TYPE_DRAWING (jank_drawing_get_type ())
G_DECLARE_DERIVABLE_TYPE (JankDrawing, jank_drawing, JANK, DRAWING, GtkDrawingArea)

struct _JankDrawingClass
{
  GtkDrawingAreaClass parent_class;

  /* Input. Without key, a drawing takes none, and no focus. */
  gboolean (*key)     (JankDrawing *self, guint keyval);
  void     (*move)    (JankDrawing *self, double x, double y);
  void     (*leave)   (JankDrawing *self);
  void     (*click)   (JankDrawing *self, double x, double y);
  /* (nullable): dx, dy in steps */
  void     (*scroll)  (JankDrawing *self, double dx, double dy, gboolean with_shift);
  /* (nullable): dx: since it began. Returns: whether this is no click any more */
  gboolean (*drag)    (JankDrawing *self, gboolean begins, double dx);
};

/* text: (transfer full) */
void        jank_drawing_set_readout (JankDrawing *self, char *text);
