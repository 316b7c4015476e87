/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stacks folded into a tree of calls, with time; of one report or of many. Pure; never changes once finished. */

#pragma once

#include <glib.h>

#include "report/jank-report-private.h"

#define JANK_FLAME_NONE      G_MAXUINT
#define JANK_FLAME_ROOT      0
#define JANK_FLAME_MAX_DEPTH 512

typedef struct
{
  const char *label;  /* function, of the tree */
  const char *module; /* file name without folder, of the tree; "": none */
  gint64      start_ns, total_ns, self_ns;
  guint       parent, first_child, next_sibling; /* JANK_FLAME_NONE; siblings: heaviest first */
  guint       depth;
  gboolean    own;    /* of the program itself */
} JankFlameNode;

typedef struct
{
  const char *label, *module;
  gboolean    is_platform; /* for all that the module's name tells */
} JankFlameCall;

typedef struct _JankFlameTree JankFlameTree;

/* Outermost first. Returns: how many outer calls only run the loop: main(), g_main_context_iteration() … */
guint                jank_flame_find_dispatch    (const JankFlameCall *calls, guint n_calls);

/* root: the label of the whole. */
JankFlameTree       *jank_flame_tree_new         (const char *root);
void                 jank_flame_tree_free        (JankFlameTree *self);

/* calls: outermost first. */
void                 jank_flame_tree_add         (JankFlameTree *self, const JankFlameCall *calls, guint n_calls,
                                                  gint64 weight_ns);
/* Call it after the last jank_flame_tree_add(). */
void                 jank_flame_tree_finish      (JankFlameTree *self);

typedef enum
{
  JANK_FLAME_TOP_DOWN,  /* callers above what they call */
  JANK_FLAME_BOTTOM_UP, /* from the innermost calls, whose time is their own, to their callers */
} JankFlameOrder;

/* All samples of a report, from the dispatch of a source inwards: trees of many reports become one. */
void                 jank_flame_tree_add_report  (JankFlameTree *self, JankReport *report, JankFlameOrder order);

/* The same of one report alone, top down. Returns: (transfer full): finished */
JankFlameTree       *jank_flame_tree_from_report (JankReport *report);

guint                jank_flame_tree_get_n       (const JankFlameTree *self);
const JankFlameNode *jank_flame_tree_get         (const JankFlameTree *self, guint node);
guint                jank_flame_tree_get_depth   (const JankFlameTree *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankFlameTree, jank_flame_tree_free)
