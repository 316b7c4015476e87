/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A tree of calls as boxes: outermost on top, width by share of the time, heaviest first. The program's own code has
 * warm colours, libraries cool ones. A click or Return widens a box to the whole width; Escape goes back. Draws only
 * what is visible, so put it into a GtkScrolledWindow. */

#pragma once

#include "gtk/charts/jank-drawing-private.h"
#include "text/jank-flame-tree-private.h"

#define JANK_TYPE_FLAME_GRAPH (jank_flame_graph_get_type ())
G_DECLARE_FINAL_TYPE (JankFlameGraph, jank_flame_graph, JANK, FLAME_GRAPH, JankDrawing)

/* The readout without a cursor: how many boxes the search has found. */

/* tree: (transfer full) (nullable), finished */
void jank_flame_graph_set_tree   (JankFlameGraph *self, JankFlameTree *tree);
/* text (nullable): highlights boxes whose function or module contains it. */
void jank_flame_graph_set_search (JankFlameGraph *self, const char *text);
