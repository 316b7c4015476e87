/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Answers what the main thread asks of a call that may block: which site it is. A site is new where its stack is; the
 * sinks are told of it. Watcher thread only. */

#pragma once

#include "watch/jank-watch-post-private.h"

typedef struct
{
  GHashTable *sites;       /* (owned) (nullable): a stack's hash → number of its site */
  guint32     n_sites;     /* numbers given out: from 1 on */
  guint       generation;  /* of the code map, when the slot learned of code; 0: it has not */
  gint64      listed_ns;   /* when the mounts were read, 0: never */

  /* A site whose script's calls the engine has yet to tell. */
  JankStack  *awaited;     /* (owned) (nullable) */
  JankBlockingCall call;
  char        target[JANK_STRICT_TARGET_BYTES]; /* of call */
  guint64     n_turns;     /* of the loop, at the call */
} JankStrictWatch;

/* Before anything else is looked at, which may forget what the engine was asked. Returns: when to look again */
gint64 jank_strict_watch_look  (JankStrictWatch *self, JankWatchPost *post);
void   jank_strict_watch_clear (JankStrictWatch *self);
