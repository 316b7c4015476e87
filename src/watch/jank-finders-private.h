/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the watcher looks for, each beside the others: one file a finder, and its row in jank-finders.c. Watcher thread
 * only. */

#pragma once

#include "watch/jank-watch-post-private.h"

typedef struct
{
  gsize    size;      /* of what it remembers, which is 0 at first */
  gboolean is_eager;  /* it looks as often as the loop's beat is read, also while the loop is calm */
  /* Returns: when to look again at the latest, G_MAXINT64: whenever there is another reason to; 0: at once */
  gint64 (*look) (gpointer self, JankWatchPost *post);
  /* (nullable): what was reported ends now */
  void   (*stop) (gpointer self, JankWatchPost *post, gboolean exiting);
  /* (nullable): without a word, for good */
  void   (*drop) (gpointer self, JankWatchPost *post, gboolean exiting);
} JankFinder;

#define JANK_N_FINDERS 7

/* In the order in which they look. */
extern const JankFinder *const jank_finders[JANK_N_FINDERS];
