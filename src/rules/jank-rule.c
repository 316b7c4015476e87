/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "rules/jank-rule-private.h"

#include "base/jank-clock-private.h"

/* What a refresh interval is where a length is given in refresh intervals. */
#define USUAL_REFRESH_NS INT64_C (16666667)

void
jank_rule_spec_init (JankRuleSpec *self, const JankSettings *settings)
{
  *self = (JankRuleSpec) {
    .kind = JANK_RULE_KIND_BUSY,
    .pick = settings->rule == JANK_RULE_LAST20 ? JANK_RULE_PICK_TOP : JANK_RULE_PICK_PATH,
    .threshold_ns = settings->threshold_ns,
    .check_ns = settings->check_interval_ns,
    .first_stack_ns = MIN (settings->first_sample_ns, settings->threshold_ns),
    .stack_interval_ns = settings->interval_ns,
    .n_stacks = settings->rule == JANK_RULE_LAST20 ? 20 : 0,
    .ping_interval_ns = settings->ping_interval_ns,
  };

  if (settings->observer == JANK_OBSERVE_PING)
    {
      self->kind = JANK_RULE_KIND_PING;
      self->threshold_ns = settings->ping_timeout_ns;
      self->n_stacks = 1;
    }
  else if (settings->observer == JANK_OBSERVE_FRAMES && settings->preset == JANK_PRESET_DISPLAYLINK)
    {
      self->kind = JANK_RULE_KIND_FPS;
      self->pick = JANK_RULE_PICK_NONE;
    }
  else if (settings->observer == JANK_OBSERVE_FRAMES)
    {
      self->kind = JANK_RULE_KIND_GAP;
      self->pick = JANK_RULE_PICK_SAME;
      self->n_refreshes = (guint) MAX ((self->threshold_ns + USUAL_REFRESH_NS / 2) / USUAL_REFRESH_NS, 1);
      self->n_stacks = 0;
    }
  else if (self->check_ns > 0 && settings->preset != JANK_PRESET_MATRIX)
    {
      self->kind = JANK_RULE_KIND_WAITS;
      self->n_waits = (guint) MAX ((self->threshold_ns + self->check_ns - 1) / self->check_ns, 1);
      self->threshold_ns = self->n_waits * self->check_ns;
      self->n_stacks = 1;
    }
}

bool
jank_rule_spec_equal (const JankRuleSpec *a, const JankRuleSpec *b)
{
  return a->kind == b->kind && a->pick == b->pick && a->threshold_ns == b->threshold_ns && a->check_ns == b->check_ns &&
         a->first_stack_ns == b->first_stack_ns && a->stack_interval_ns == b->stack_interval_ns &&
         a->n_stacks == b->n_stacks && a->n_waits == b->n_waits && a->n_refreshes == b->n_refreshes &&
         a->ping_interval_ns == b->ping_interval_ns;
}

void
jank_rule_state_init (JankRuleState *self, const JankRuleSpec *spec, gint64 now_ns)
{
  *self = (JankRuleState) {
    .next_check_ns = now_ns + spec->check_ns,
    .next_ping_ns = now_ns + spec->ping_interval_ns,
  };
}

static void
follow (JankRuleState *state, const JankRuleSpec *spec, const JankLoopView *view)
{
  if (state->known && state->busy == view->busy && state->since_ns == view->since_ns)
    return;
  state->known = true;
  state->busy = view->busy;
  state->since_ns = view->since_ns;
  if (spec->kind == JANK_RULE_KIND_GAP)
    return;
  state->last_stack_ns = 0;
  state->n_reports = 0;
}

/* For rules that read stacks all the time that may become a stall, which began at from_ns. */
static void
take_if_due (JankRuleStep *step, const JankRuleSpec *spec, JankRuleState *state, gint64 from_ns, gint64 now_ns)
{
  gint64 due_ns = state->last_stack_ns != 0 ? state->last_stack_ns + spec->stack_interval_ns : from_ns + spec->first_stack_ns;

  if (now_ns >= due_ns)
    {
      step->take_stack = true;
      state->last_stack_ns = now_ns;
      due_ns = now_ns + spec->stack_interval_ns;
    }
  step->look_again_ns = MIN (step->look_again_ns, due_ns);
}

static void
report (JankRuleStep *step, JankRuleState *state, gint64 began_ns)
{
  step->report = true;
  step->again = state->n_reports++ > 0;
  step->began_ns = began_ns;
}

/* Returns: the next multiple of unit_ns, the multiples being 1, 1, 2, 3, 5, 8 … : annealing */
static gint64
anneal (JankRuleState *state, gint64 unit_ns)
{
  gint64 step_ns;

  if (state->n_reports <= 1)
    state->fibonacci[0] = state->fibonacci[1] = unit_ns;
  step_ns = state->fibonacci[0];
  state->fibonacci[0] = state->fibonacci[1];
  state->fibonacci[1] += step_ns;
  return step_ns;
}

static void
step_busy_exact (JankRuleStep *step, const JankRuleSpec *spec, JankRuleState *state, gint64 now_ns)
{
  gint64 due_ns = state->n_reports > 0 ? state->next_report_ns : state->since_ns + spec->threshold_ns;

  if (now_ns >= due_ns)
    {
      report (step, state, state->since_ns);
      due_ns = now_ns + anneal (state, spec->threshold_ns);
      state->next_report_ns = due_ns;
    }
  step->look_again_ns = MIN (step->look_again_ns, due_ns);
}

/* The times of the checks do not depend on the loop. What they find stretches them, as long as it lasts. */
static void
step_busy_checked (JankRuleStep *step, const JankRuleSpec *spec, JankRuleState *state, gint64 now_ns)
{
  if (now_ns >= state->next_check_ns)
    {
      if (now_ns - state->since_ns > spec->threshold_ns)
        {
          report (step, state, state->since_ns);
          state->next_check_ns = now_ns + anneal (state, spec->check_ns);
        }
      else
        state->next_check_ns += ((now_ns - state->next_check_ns) / spec->check_ns + 1) * spec->check_ns;
    }
  step->look_again_ns = MIN (step->look_again_ns, state->next_check_ns);
}

static void
step_busy (JankRuleStep *step, const JankRuleSpec *spec, JankRuleState *state, gint64 now_ns)
{
  if (!state->busy)
    return;
  take_if_due (step, spec, state, state->since_ns, now_ns);
  if (spec->check_ns > 0)
    step_busy_checked (step, spec, state, now_ns);
  else
    step_busy_exact (step, spec, state, now_ns);
}

/* A wait begins anew at each change of state, so the last wait of a row ends whole waits after the change. */
static void
step_waits (JankRuleStep *step, const JankRuleSpec *spec, JankRuleState *state, gint64 now_ns)
{
  gint64 row_ns = spec->n_waits * spec->check_ns;
  gint64 n_rows;

  if (!state->busy)
    return;
  n_rows = (now_ns - state->since_ns) / row_ns;
  if (n_rows > (gint64) state->n_reports)
    {
      report (step, state, state->since_ns);
      state->n_reports = (guint64) n_rows;
      step->take_stack = true;
    }
  step->look_again_ns = state->since_ns + ((gint64) state->n_reports + 1) * row_ns;
}

static void
step_ping (JankRuleStep *step, const JankRuleSpec *spec, JankRuleState *state, const JankLoopView *view, gint64 now_ns)
{
  if (view->ping_sent_ns == 0)
    {
      if (now_ns >= state->next_ping_ns)
        {
          step->ping = true;
          state->next_ping_ns = now_ns + spec->ping_interval_ns;
          step->look_again_ns = now_ns + spec->threshold_ns;
        }
      else
        step->look_again_ns = state->next_ping_ns;
    }
  else if (view->ping_sent_ns != state->reported_ping_ns)
    {
      step->look_again_ns = view->ping_sent_ns + spec->threshold_ns;
      if (now_ns >= step->look_again_ns)
        {
          state->n_reports = 0;
          report (step, state, view->ping_sent_ns);
          step->take_stack = true;
          step->look_again_ns = JANK_RULE_NEVER;
          state->reported_ping_ns = view->ping_sent_ns;
        }
    }
}

/* Returns: whether view has a frame that was not seen before, and one before that which it follows */
static bool
is_next_frame (JankRuleState *state, const JankLoopView *view, gint64 *ret_before_ns)
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
step_gap (JankRuleStep *step, const JankRuleSpec *spec, JankRuleState *state, const JankLoopView *view, gint64 now_ns)
{
  gint64 refresh_ns = view->refresh_ns > 0 ? view->refresh_ns : USUAL_REFRESH_NS;
  guint64 n_frames = state->n_frames;
  gint64 before_ns;

  if (is_next_frame (state, view, &before_ns) && view->frame_ns - before_ns > spec->n_refreshes * refresh_ns)
    report (step, state, before_ns);
  if (state->n_frames != n_frames)
    {
      state->last_stack_ns = 0;
      state->n_reports = 0;
    }
  /* A loop that waits has nothing to show. */
  if (state->busy && state->frame_ns != 0)
    take_if_due (step, spec, state, state->frame_ns, now_ns);
}

static void
step_fps (JankRuleStep *step, const JankRuleSpec *spec, JankRuleState *state, const JankLoopView *view)
{
  gint64 refresh_ns = view->refresh_ns > 0 ? view->refresh_ns : USUAL_REFRESH_NS;
  guint64 n_frames = state->n_frames;
  gint64 before_ns, elapsed_ns, missing_ns;

  if (!is_next_frame (state, view, &before_ns))
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
  if (elapsed_ns < spec->check_ns)
    return;

  step->fps_milli = (gint64) ((double) state->n_counted * 1e12 / (double) elapsed_ns + 0.5);
  missing_ns = elapsed_ns - (gint64) state->n_counted * refresh_ns;
  state->n_reports = 0;
  if ((double) missing_ns * JANK_NS_PER_S >= (double) spec->threshold_ns * (double) elapsed_ns)
    report (step, state, state->fps_from_ns);
  state->fps_from_ns = view->frame_ns;
  state->n_counted = 0;
}

JankRuleStep
jank_rule_step (const JankRuleSpec *spec, JankRuleState *state, const JankLoopView *view, gint64 now_ns)
{
  JankRuleStep step = { .look_again_ns = JANK_RULE_NEVER, .fps_milli = -1 };

  follow (state, spec, view);
  switch (spec->kind)
    {
    case JANK_RULE_KIND_BUSY:
      step_busy (&step, spec, state, now_ns);
      break;
    case JANK_RULE_KIND_WAITS:
      step_waits (&step, spec, state, now_ns);
      break;
    case JANK_RULE_KIND_PING:
      step_ping (&step, spec, state, view, now_ns);
      break;
    case JANK_RULE_KIND_GAP:
      step_gap (&step, spec, state, view, now_ns);
      break;
    case JANK_RULE_KIND_FPS:
      step_fps (&step, spec, state, view);
      break;
    default:
      g_assert_not_reached ();
    }
  return step;
}
