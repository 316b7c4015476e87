/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* When is a loop late? The default's rule and those of the monitors that came before, behind one function: (what is
 * known of the loop, time) → verdict. No clock, no thread, no allocation. All times are CLOCK_MONOTONIC nanoseconds. */

#pragma once

#include <stdbool.h>

#include "settings/jank-settings-private.h"
#include "rules/jank-annealing-private.h"

#define JANK_RULE_NEVER G_MAXINT64

typedef enum
{
  JANK_RULE_KIND_BUSY,  /* busy for as long as the threshold; looked at then, or at fixed times only */
  JANK_RULE_KIND_WAITS, /* so many waits in a row for a change of state ended without one, the loop being busy */
  JANK_RULE_KIND_PING,  /* a ping was not answered in time */
  JANK_RULE_KIND_GAP,   /* so many refresh intervals from one frame to the next, with the clock running */
  JANK_RULE_KIND_FPS,   /* too few frames in a second or more of running clock */
} JankRuleKind;

/* What the user has set, as far as rules and the watcher need it. Without padding: compared byte by byte. */
typedef struct
{
  JankRuleKind kind;
  JankPick     pick;
  guint        n_stacks;          /* the newest that are kept, 0: all */
  guint        n_waits;           /* WAITS: in a row */
  guint        n_refreshes;       /* GAP: more than so many */
  gboolean     splits;            /* another heaviest stack begins a report of its own */
  gint64       threshold_ns;      /* GAP: at 60 Hz; FPS: missing of a second */
  gint64       check_ns;          /* BUSY: between looks, 0: exactly when due; WAITS: one wait; FPS: shortest time
                                     that is counted over */
  gint64       first_stack_ns;    /* into what may become a stall */
  gint64       stack_interval_ns;
  gint64       ping_interval_ns;
  gint64       park_ns;           /* waiting for this long, the loop is idle */
  gint64       spin_turns;        /* a second, without waiting: more is a spin; 0: not looked for */
  gint64       spin_ns;           /* for at least so long */
  gint64       cpu_percent;       /* of one CPU, of the process: more is reported; 0: not looked for */
  gint64       cpu_ns;            /* for at least so long */
} JankRule;

G_STATIC_ASSERT (sizeof (JankRule) == 6 * sizeof (guint) + 10 * sizeof (gint64));

/* What is known of a loop at a moment. */
typedef struct
{
  bool    busy;
  gint64  since_ns;       /* busy, or waiting, since then */
  gint64  excluded_ns;    /* of that, what does not count */
  gint64  ping_sent_ns;   /* 0: none is unanswered */
  guint64 n_frames;       /* ever; the rest is of the newest, and each is to be seen once */
  gint64  frame_ns;       /* when it began */
  gint64  refresh_ns;     /* of its display */
  bool    frame_follows;  /* its clock has been running since the frame before */
} JankLoopView;

/* Between two steps. */
typedef struct
{
  bool          known;
  bool          busy;
  gint64        since_ns;
  gint64        last_stack_ns;   /* 0: none yet; whoever reads stacks may set it to when that was done */
  gint64        computes_in_ns;  /* by whoever reads stacks: how long the thread takes to compute for one interval */
  guint64       n_reports;       /* of what is going on */
  gint64        next_report_ns;  /* BUSY: after the first */
  gint64        next_check_ns;
  JankAnnealing annealing;
  gint64        next_ping_ns;
  gint64        reported_ping_ns;
  guint64       n_frames;
  gint64        frame_ns;
  gint64        fps_from_ns;     /* 0: not counting */
  guint64       n_counted;
} JankRuleState;

typedef struct
{
  gint64  look_again_ns; /* if nothing changes before; later than now; JANK_RULE_NEVER: only then */
  bool    take_stack;    /* first */
  bool    report;        /* a stall, by this rule: to be told with jank_rule_told() */
  bool    again;         /* the same as in the report before, which it still is */
  bool    ping;          /* send one */
  gint64  began_ns;      /* of what is reported, as far as the rule knows; older stacks are not of it */
  gint64  fps_milli;     /* FPS: frames in 1000 s, whenever it has counted; else -1 */
} JankRuleStep;

/* The rule that settings describe; and that of a preset, without any other setting. */
void         jank_rule_init        (JankRule *self, const JankSettings *settings);
void         jank_rule_init_preset (JankRule *self, guint preset);

/* now_ns: when watching begins; pings and checks count from there. */
void         jank_rule_state_init  (JankRuleState *self, const JankRule *rule, gint64 now_ns);

/* To be called when something in view has changed, and at look_again_ns; later or more often does no harm. */
JankRuleStep jank_rule_step        (const JankRule *rule, JankRuleState *state, const JankLoopView *view,
                                    gint64 now_ns);

/* A report was due, and heaviest stack, a number of the caller's choice, is to blame: when the next is due depends on
 * that. Returns: whether this one is a report of its own, the stack not being that of the report before */
bool         jank_rule_told        (const JankRule *rule, JankRuleState *state, guint64 heaviest, gint64 now_ns);

/* Frames decide, and the loop's own turns are nothing to the rule. */
bool         jank_rule_is_frames   (const JankRule *rule);

/* A busy period of length_ns, without what does not count, is a stall though it was not reported while it lasted. */
bool         jank_rule_is_stall    (const JankRule *rule, gint64 length_ns);

/* Looks in a row into a loop that is neither idle nor late. */
typedef struct
{
  guint n_looks;
  bool  follows; /* the last one found a busy period that had just begun, and the next is to see whether that lasts */
} JankCalm;

/* Whether such a loop needs no look every first_stack_ns. */
bool         jank_rule_is_calm     (const JankCalm *calm);

/* Counts a look. Returns: how long after now, or after the beginning of the busy period that the look found, the next
 * one is to be */
gint64       jank_rule_count_calm  (const JankRule *rule, JankCalm *calm, bool busy);

/* First look into a calm loop's busy period: as late as the threshold allows, because waking the watcher costs 20 to
 * 60 us. */
gint64       jank_rule_calm_look   (const JankRule *rule);

bool         jank_rule_may_park    (const JankRule *rule, gint64 waiting_since_ns, gint64 now_ns);
