/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where the rule of another monitor decides: what the watcher sees, put before jank_rule_step(). Watcher thread only. */

#pragma once

#include "observe/jank-frame-times-private.h"
#include "observe/jank-ping-private.h"
#include "rules/jank-rule-private.h"

/* All zero: the stall rule decides. */
typedef struct
{
  /* as ordered */
  gboolean      is_set;
  JankRuleSpec  spec;
  JankPing     *ping;  /* (nullable) */

  JankRuleState state;
  JankLoopView  view;
} JankRuleWatch;

/* What the watcher is to follow. */
typedef struct
{
  gboolean      is_set;
  JankRuleSpec  spec;
  JankPing     *ping;
} JankRuleOrder;

/* From now_ns on. */
void         jank_rule_watch_take       (JankRuleWatch *self, const JankRuleOrder *order, gint64 now_ns);

/* The rule is about frames, and the loop's own turns are nothing to it. */
gboolean     jank_rule_watch_is_frames  (const JankRuleWatch *self);

/* A busy period of length_ns that was not reported while it lasted is a stall all the same. */
gboolean     jank_rule_watch_is_stall   (const JankRuleWatch *self, gint64 length_ns);

/* since_ns: of being busy, or waiting. */
JankRuleStep jank_rule_watch_step       (JankRuleWatch *self, gboolean busy, gint64 since_ns, gint64 now_ns);

/* The same with a frame that has not been seen yet. */
JankRuleStep jank_rule_watch_step_frame (JankRuleWatch *self, const JankFrameTime *frame, gint64 now_ns);

/* The loop waits: sends a ping if one is due. Returns: when the next is due, G_MAXINT64: never */
gint64       jank_rule_watch_ping       (JankRuleWatch *self, gint64 since_ns, gint64 now_ns);
