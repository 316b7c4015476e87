/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* When is a loop late? The rules of the monitors that came before, and ours, behind one function: (what is
 * known of the loop, time) → verdict. No clock, no thread, no allocation. The watcher asks it about the running
 * loop, jank_replay() about a recorded one, and both get the same answer. All times are CLOCK_MONOTONIC
 * nanoseconds. */

#pragma once

#include <stdbool.h>

#include "base/jank-settings-private.h"

#define JANK_RULE_NEVER G_MAXINT64

typedef enum
{
  JANK_RULE_KIND_BUSY,  /* busy for as long as the threshold; looked at then, or at fixed times only */
  JANK_RULE_KIND_WAITS, /* so many waits in a row for a change of state ended without one, the loop being busy */
  JANK_RULE_KIND_PING,  /* a ping was not answered in time */
  JANK_RULE_KIND_GAP,   /* so many refresh intervals from one frame to the next, with the clock running */
  JANK_RULE_KIND_FPS,   /* too few frames in a second or more of running clock */
} JankRuleKind;

/* Which of the kept stacks is to blame. */
typedef enum
{
  JANK_RULE_PICK_NONE, /* the rule reads no stacks */
  JANK_RULE_PICK_PATH, /* the heaviest path of all */
  JANK_RULE_PICK_TOP,  /* the most frequent innermost function; of equals the newest: WeChat Matrix */
  JANK_RULE_PICK_SAME, /* the most frequent whole stack; of equals the newest */
} JankRulePick;

typedef struct
{
  JankRuleKind kind;
  JankRulePick pick;
  gint64       threshold_ns;      /* GAP: at 60 Hz; FPS: missing of a second */
  gint64       check_ns;          /* BUSY: between looks, 0: exactly when due; WAITS: one wait; FPS: shortest time
                                     that is counted over */
  gint64       first_stack_ns;    /* into what may become a stall */
  gint64       stack_interval_ns; /* JANK_RULE_NEVER: one stack, when a stall is found */
  guint        n_stacks;          /* the newest that are kept, 0: all */
  guint        n_waits;           /* WAITS: in a row */
  guint        n_refreshes;       /* GAP: more than so many */
  gint64       ping_interval_ns;
} JankRuleSpec;

/* What is known of a loop at a moment. */
typedef struct
{
  bool    busy;
  gint64  since_ns;       /* busy, or waiting, since then */
  gint64  ping_sent_ns;   /* 0: none is unanswered */
  guint64 n_frames;       /* ever; the rest is of the newest, and each is to be seen once */
  gint64  frame_ns;       /* when it began */
  gint64  refresh_ns;     /* of its display */
  bool    frame_follows;  /* its clock has been running since the frame before */
} JankLoopView;

/* Between two steps. */
typedef struct
{
  bool    known;
  bool    busy;
  gint64  since_ns;
  gint64  last_stack_ns;   /* 0: none yet */
  guint64 n_reports;       /* of what is going on */
  gint64  next_report_ns;  /* BUSY: after the first */
  gint64  fibonacci[2];
  gint64  next_check_ns;
  gint64  next_ping_ns;
  gint64  reported_ping_ns;
  guint64 n_frames;
  gint64  frame_ns;
  gint64  fps_from_ns;     /* 0: not counting */
  guint64 n_counted;
} JankRuleState;

typedef struct
{
  gint64  look_again_ns; /* if nothing changes before; later than now; JANK_RULE_NEVER: only then */
  bool    take_stack;    /* first */
  bool    report;        /* a stall, by this rule */
  bool    again;         /* the same as in the report before, which it still is */
  bool    ping;          /* send one */
  gint64  began_ns;      /* of what is reported, as far as the rule knows; older stacks are not of it */
  gint64  fps_milli;     /* FPS: frames in 1000 s, whenever it has counted; else -1 */
} JankRuleStep;

/* The rule that settings describe. */
void         jank_rule_spec_init  (JankRuleSpec *self, const JankSettings *settings);

bool         jank_rule_spec_equal (const JankRuleSpec *a, const JankRuleSpec *b);

/* now_ns: when watching begins; pings and checks count from there. */
void         jank_rule_state_init (JankRuleState *self, const JankRuleSpec *spec, gint64 now_ns);

/* To be called when something in view has changed, and at look_again_ns; later or more often does no harm. */
JankRuleStep jank_rule_step       (const JankRuleSpec *spec, JankRuleState *state, const JankLoopView *view, gint64 now_ns);
