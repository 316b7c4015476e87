/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every sample of one stall, folded by function from the outermost call inward, weighted by time.
 * Bounded: past JANK_CALL_TREE_MAX_NODES the rest of a stack is charged to its deepest known node.
 * Watcher thread only. */

#pragma once

#include "unwind/jank-stack-private.h"

#define JANK_CALL_TREE_MAX_NODES 4096
#define JANK_CALL_NODE_NONE G_MAXUINT32

typedef struct
{
  guint64 function;     /* as in JankCall */
  guint64 pc;           /* of the first sample that came through here */
  guint32 module;
  guint32 script_request;
  guint32 parent;       /* JANK_CALL_NODE_NONE for the root */
  guint32 first_child;
  guint32 next_sibling;
  guint32 n_samples;    /* with this node on the stack */
  gint64  total_ns;     /* of samples with this node on the stack */
  gint64  self_ns;      /* of samples that end here */
} JankCallNode;

typedef struct _JankCallTree JankCallTree;

JankCallTree       *jank_call_tree_new       (void);
void                jank_call_tree_free      (JankCallTree *self);

/* Folds stack in; n_samples is 0 when weight is added to a sample that was counted before. */
void                jank_call_tree_add       (JankCallTree *self, const JankStack *stack, gint64 weight_ns,
                                              guint n_samples);

/* Folds all anew, with what rename makes of each stack. */
void                jank_call_tree_rename    (JankCallTree *self, JankStackRename rename, gpointer data);

/* Node 0 is the root: no function, the whole stall. */
const JankCallNode *jank_call_tree_get_nodes (const JankCallTree *self, guint *ret_n_nodes);

/* The calls of the samples that end at a node. Returns: (transfer full) (nullable): NULL if none does */
JankStack          *jank_call_tree_get_stack (const JankCallNode *nodes, guint32 at, guint *ret_n_samples);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankCallTree, jank_call_tree_free)
