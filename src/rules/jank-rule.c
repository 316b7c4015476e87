/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "rules/jank-rule-private.h"

#include "base/jank-clock-private.h"

/* What a refresh interval is where a length is given in refresh intervals. */
#define USUAL_REFRESH_NS INT64_C (16666667)

/* A loop that was waiting for so long is idle. */
#define PARK_NS (100 * JANK_NS_PER_MS)

#define CALM_LOOKS 8 /* in a row */
#define CALM_TIMES 4

/* Where the thread computes, a stack takes a tick of the kernel's. */
#define TICK_NS (4 * JANK_NS_PER_MS)

/* Where all stacks are kept, those of a thread that hardly computes each stand for a fiftieth of the stall or less, and
 * four intervals at most. */
#define DENSE_STACKS  50
#define MAX_INTERVALS 4

#define LAST20 20

static void
jank_rule_init_kind (JankRule *self, const JankSettings *settings)
{
  if (settings->observer == JANK_OBSERVE_PING)
    {
      self->kind = JANK_RULE_KIND_PING;
      self->threshold_ns = settings->ping_timeout_ns;
      self->n_stacks = 1;
    }
  else if (settings->observer == JANK_OBSERVE_FRAMES && self->check_ns > 0)
    {
      self->kind = JANK_RULE_KIND_FPS;
      self->pick = JANK_PICK_NONE;
    }
  else if (settings->observer == JANK_OBSERVE_FRAMES)
    {
      self->kind = JANK_RULE_KIND_GAP;
      self->pick = JANK_PICK_SAME;
      self->n_refreshes = (guint) MAX ((self->threshold_ns + USUAL_REFRESH_NS / 2) / USUAL_REFRESH_NS, 1);
      self->n_stacks = 0;
    }
  else if (self->check_ns > 0 && !jank_preset_get (settings->preset)->fixed_checks)
    {
      self->kind = JANK_RULE_KIND_WAITS;
      self->n_waits = (guint) MAX ((self->threshold_ns + self->check_ns - 1) / self->check_ns, 1);
      self->threshold_ns = self->n_waits * self->check_ns;
      self->n_stacks = 1;
    }
}

void
jank_rule_init (JankRule *self, const JankSettings *settings)
{
  *self = (JankRule) {
    .kind = JANK_RULE_KIND_BUSY,
    .pick = settings->pick,
    .n_stacks = settings->pick == JANK_PICK_LAST20 ? LAST20 : 0,
    .threshold_ns = settings->threshold_ns,
    .check_ns = settings->check_interval_ns,
    .stack_interval_ns = settings->interval_ns,
    .ping_interval_ns = settings->ping_interval_ns,
    .park_ns = PARK_NS,
    .spin_turns = settings->spin_turns,
    .spin_ns = settings->spin_time_ns,
    .cpu_percent = settings->cpu_threshold,
    .cpu_ns = settings->cpu_time_ns,
  };
  jank_rule_init_kind (self, settings);
  self->first_stack_ns = MIN (settings->first_sample_ns, self->threshold_ns);
  self->splits = self->kind == JANK_RULE_KIND_BUSY && self->check_ns > 0 && jank_preset_get (settings->preset)->splits;
}

void
jank_rule_init_preset (JankRule *self, guint preset)
{
  g_autoptr (JankSettings) settings = jank_settings_new ();

  if (!jank_settings_set (settings, "preset", jank_preset_get (preset)->nick, NULL))
    g_assert_not_reached ();
  jank_rule_init (self, settings);
}

bool
jank_rule_is_frames (const JankRule *rule)
{
  return rule->kind == JANK_RULE_KIND_GAP || rule->kind == JANK_RULE_KIND_FPS;
}

bool
jank_rule_is_stall (const JankRule *rule, gint64 length_ns)
{
  bool is_checked = rule->kind == JANK_RULE_KIND_BUSY && rule->check_ns > 0;

  return !is_checked && length_ns >= rule->threshold_ns;
}

bool
jank_rule_is_calm (const JankCalm *calm)
{
  return calm->n_looks >= CALM_LOOKS;
}

gint64
jank_rule_calm_look (const JankRule *rule)
{
  return MAX (MIN (CALM_TIMES * rule->first_stack_ns, rule->threshold_ns - TICK_NS), rule->first_stack_ns);
}

/* One period is followed, not the next one, too: in an animation each look would find another frame that has just
 * begun. Nor is one where that hardly makes the first stack earlier. */
gint64
jank_rule_count_calm (const JankRule *rule, JankCalm *calm, bool busy)
{
  gint64 calm_ns = jank_rule_calm_look (rule);

  calm->n_looks++;
  calm->follows = busy && !calm->follows && calm_ns >= 2 * rule->first_stack_ns;
  return calm->n_looks > CALM_LOOKS && !calm->follows ? calm_ns : rule->first_stack_ns;
}

bool
jank_rule_may_park (const JankRule *rule, gint64 waiting_since_ns, gint64 now_ns)
{
  return now_ns - waiting_since_ns >= rule->park_ns;
}

void
jank_rule_state_init (JankRuleState *self, const JankRule *rule, gint64 now_ns)
{
  *self = (JankRuleState) {
    .next_check_ns = now_ns + rule->check_ns,
    .next_ping_ns = now_ns + rule->ping_interval_ns,
  };
}

static void
jank_rule_follow (JankRuleState *state, const JankRule *rule, const JankLoopView *view)
{
  if (state->known && state->busy == view->busy && state->since_ns == view->since_ns)
    return;
  state->known = true;
  state->busy = view->busy;
  state->since_ns = view->since_ns;
  if (rule->kind == JANK_RULE_KIND_GAP)
    return;
  state->last_stack_ns = state->computes_in_ns = 0;
  state->n_reports = 0;
}

static gint64
jank_rule_next_stack (const JankRule *rule, const JankRuleState *state, gint64 from_ns)
{
  gint64 last_ns = state->last_stack_ns, part_ns;

  if (last_ns == 0)
    return from_ns + rule->first_stack_ns;
  part_ns = rule->kind == JANK_RULE_KIND_BUSY && rule->n_stacks == 0 ? (last_ns - from_ns) / DENSE_STACKS : 0;
  return last_ns + CLAMP (MIN (part_ns, state->computes_in_ns), rule->stack_interval_ns,
                          MAX_INTERVALS * rule->stack_interval_ns);
}

/* For rules that sample from the start of a possible stall (from_ns). */
static void
jank_rule_take_if_due (JankRuleStep *step, const JankRule *rule, JankRuleState *state, gint64 from_ns, gint64 now_ns)
{
  if (now_ns >= jank_rule_next_stack (rule, state, from_ns))
    {
      step->take_stack = true;
      state->last_stack_ns = now_ns;
    }
  step->look_again_ns = MIN (step->look_again_ns, jank_rule_next_stack (rule, state, from_ns));
}

static void
jank_rule_report (JankRuleStep *step, JankRuleState *state, gint64 began_ns)
{
  step->report = true;
  step->again = state->n_reports++ > 0;
  step->began_ns = began_ns;
}

static void
jank_rule_step_busy_exact (JankRuleStep *step, const JankRule *rule, JankRuleState *state,
                           const JankLoopView *view, gint64 now_ns)
{
  gint64 due_ns = state->n_reports > 0
                  ? state->next_report_ns : state->since_ns + view->excluded_ns + rule->threshold_ns;

  if (now_ns >= due_ns)
    {
      jank_rule_report (step, state, state->since_ns);
      state->next_report_ns = due_ns = now_ns + rule->threshold_ns;
    }
  step->look_again_ns = MIN (step->look_again_ns, due_ns);
}

/* The times of the checks do not depend on the loop. What they find stretches them, as long as it lasts. */
static void
jank_rule_step_busy_checked (JankRuleStep *step, const JankRule *rule, JankRuleState *state,
                             const JankLoopView *view, gint64 now_ns)
{
  if (now_ns >= state->next_check_ns)
    {
      if (now_ns - state->since_ns - view->excluded_ns > rule->threshold_ns)
        jank_rule_report (step, state, state->since_ns);
      state->next_check_ns += ((now_ns - state->next_check_ns) / rule->check_ns + 1) * rule->check_ns;
    }
  step->look_again_ns = MIN (step->look_again_ns, state->next_check_ns);
}

bool
jank_rule_told (const JankRule *rule, JankRuleState *state, guint64 heaviest, gint64 now_ns)
{
  bool splits = rule->splits && state->n_reports > 1 && heaviest != state->annealing.heaviest;

  if (rule->kind != JANK_RULE_KIND_BUSY)
    return false;
  if (state->n_reports <= 1)
    state->annealing = (JankAnnealing) { .heaviest = heaviest };
  if (rule->check_ns > 0)
    state->next_check_ns = now_ns + jank_annealing_next (&state->annealing, heaviest, rule->check_ns);
  else
    state->next_report_ns = now_ns + jank_annealing_next (&state->annealing, heaviest, rule->threshold_ns);
  return splits;
}

static void
jank_rule_step_busy (JankRuleStep *step, const JankRule *rule, JankRuleState *state, const JankLoopView *view,
                     gint64 now_ns)
{
  if (!state->busy)
    return;
  jank_rule_take_if_due (step, rule, state, state->since_ns, now_ns);
  if (rule->check_ns > 0)
    jank_rule_step_busy_checked (step, rule, state, view, now_ns);
  else
    jank_rule_step_busy_exact (step, rule, state, view, now_ns);
}

/* A wait begins anew at each change of state, so the last wait of a row ends whole waits after the change. */
static void
jank_rule_step_waits (JankRuleStep *step, const JankRule *rule, JankRuleState *state, gint64 now_ns)
{
  gint64 row_ns = rule->n_waits * rule->check_ns;
  gint64 n_rows;

  if (!state->busy)
    return;
  n_rows = (now_ns - state->since_ns) / row_ns;
  if (n_rows > (gint64) state->n_reports)
    {
      jank_rule_report (step, state, state->since_ns);
      state->n_reports = (guint64) n_rows;
      step->take_stack = true;
    }
  step->look_again_ns = state->since_ns + ((gint64) state->n_reports + 1) * row_ns;
}

static void
jank_rule_step_ping (JankRuleStep *step, const JankRule *rule, JankRuleState *state, const JankLoopView *view,
                     gint64 now_ns)
{
  if (view->ping_sent_ns == 0)
    {
      if (now_ns >= state->next_ping_ns)
        {
          step->ping = true;
          state->next_ping_ns = now_ns + rule->ping_interval_ns;
          step->look_again_ns = now_ns + rule->threshold_ns;
        }
      else
        step->look_again_ns = state->next_ping_ns;
    }
  else if (view->ping_sent_ns != state->reported_ping_ns)
    {
      step->look_again_ns = view->ping_sent_ns + rule->threshold_ns;
      if (now_ns >= step->look_again_ns)
        {
          state->n_reports = 0;
          jank_rule_report (step, state, view->ping_sent_ns);
          step->take_stack = true;
          step->look_again_ns = JANK_RULE_NEVER;
          state->reported_ping_ns = view->ping_sent_ns;
        }
    }
}

/* Returns: whether view has a frame that was not seen before, and one before that which it follows */
static bool
jank_rule_is_next_frame (JankRuleState *state, const JankLoopView *view, gint64 *ret_before_ns)
{
  bool is_new = view->n_frames != state->n_frames;

  *ret_before_ns = state->frame_ns;
  if (!is_new)
    return false;
  state->n_frames = view->n_frames;
  state->frame_ns = view->frame_ns;
  return view->frame_follows && *ret_before_ns != 0 && view->frame_ns > *ret_before_ns;
}

static void
jank_rule_step_gap (JankRuleStep *step, const JankRule *rule, JankRuleState *state, const JankLoopView *view,
                    gint64 now_ns)
{
  gint64 refresh_ns = view->refresh_ns > 0 ? view->refresh_ns : USUAL_REFRESH_NS;
  guint64 n_frames = state->n_frames;
  gint64 before_ns;

  if (jank_rule_is_next_frame (state, view, &before_ns) && view->frame_ns - before_ns > rule->n_refreshes * refresh_ns)
    jank_rule_report (step, state, before_ns);
  if (state->n_frames != n_frames)
    {
      state->last_stack_ns = 0;
      state->n_reports = 0;
    }
  /* A loop that waits has nothing to show. */
  if (state->busy && state->frame_ns != 0)
    jank_rule_take_if_due (step, rule, state, state->frame_ns, now_ns);
}

static void
jank_rule_step_fps (JankRuleStep *step, const JankRule *rule, JankRuleState *state, const JankLoopView *view)
{
  gint64 refresh_ns = view->refresh_ns > 0 ? view->refresh_ns : USUAL_REFRESH_NS;
  guint64 n_frames = state->n_frames;
  gint64 before_ns, elapsed_ns, missing_ns;

  if (!jank_rule_is_next_frame (state, view, &before_ns))
    {
      if (state->n_frames != n_frames)
        {
          state->fps_from_ns = view->frame_ns;
          state->n_counted = 0;
        }
      return;
    }
  state->n_counted++;
  elapsed_ns = view->frame_ns - state->fps_from_ns;
  if (elapsed_ns < rule->check_ns)
    return;

  step->fps_milli = (gint64) ((double) state->n_counted * 1e12 / (double) elapsed_ns + 0.5);
  missing_ns = elapsed_ns - (gint64) state->n_counted * refresh_ns;
  state->n_reports = 0;
  if ((double) missing_ns * JANK_NS_PER_S >= (double) rule->threshold_ns * (double) elapsed_ns)
    jank_rule_report (step, state, state->fps_from_ns);
  state->fps_from_ns = view->frame_ns;
  state->n_counted = 0;
}

JankRuleStep
jank_rule_step (const JankRule *rule, JankRuleState *state, const JankLoopView *view, gint64 now_ns)
{
  JankRuleStep step = { .look_again_ns = JANK_RULE_NEVER, .fps_milli = -1 };

  jank_rule_follow (state, rule, view);
  switch (rule->kind)
    {
    case JANK_RULE_KIND_BUSY:  jank_rule_step_busy (&step, rule, state, view, now_ns); break;
    case JANK_RULE_KIND_WAITS: jank_rule_step_waits (&step, rule, state, now_ns); break;
    case JANK_RULE_KIND_PING:  jank_rule_step_ping (&step, rule, state, view, now_ns); break;
    case JANK_RULE_KIND_GAP:   jank_rule_step_gap (&step, rule, state, view, now_ns); break;
    case JANK_RULE_KIND_FPS:   jank_rule_step_fps (&step, rule, state, view); break;
    default:
      g_assert_not_reached ();
    }
  return step;
}
