/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A clock that jumps from event to event. What the watcher does for the rule is simulated: a ping is answered at
 * once, or when the loop stops being busy; reading a stack gives the last one that was recorded before, in the same
 * busy period, or else the next. */

#include "replay/jank-replay-private.h"

#include "base/jank-order-private.h"

/* However short a rule's times are, and however long a file, a replay ends. */
#define MAX_STEPS  20000000
#define MAX_PICKED 1000

typedef struct
{
  const JankRule     *rule;
  const JankEvents   *events;
  JankReplay         *result;

  JankRuleState       state;
  JankLoopView        view;
  guint               period;   /* under way, or the next */
  guint               frame;    /* the next */
  guint               sample;   /* the first after now */
  gint64              answer_ns;
  gint64              look_ns;
  GArray             *taken;    /* (owned) guint: samples that the rule has read */
} Player;

static const JankEventPeriod *
jank_replay_get_period (const Player *self, guint i)
{
  return i < self->events->periods->len ? &g_array_index (self->events->periods, JankEventPeriod, i) : NULL;
}

static const JankEventSample *
jank_replay_get_sample (const Player *self, guint i)
{
  return &g_array_index (self->events->samples, JankEventSample, i);
}

static gint64
jank_replay_next_time (const Player *self)
{
  const JankEventPeriod *period = jank_replay_get_period (self, self->period);
  gint64 next_ns = MIN (self->look_ns, self->answer_ns);

  if (period != NULL)
    next_ns = MIN (next_ns, self->view.busy ? period->ended_ns : period->began_ns);
  if (self->frame < self->events->frames->len)
    next_ns = MIN (next_ns, g_array_index (self->events->frames, JankEventFrame, self->frame).began_ns);
  return next_ns;
}

/* The i-th stack that was taken. */
static const JankEventSample *
jank_replay_get_taken (const Player *self, guint i)
{
  return jank_replay_get_sample (self, g_array_index (self->taken, guint, i));
}

/* The time that stands for the i-th stack of those from first on: as in the report, to halfway to its neighbours. */
static gint64
jank_replay_get_weight (const Player *self, const JankEventPeriod *period, guint first, guint i)
{
  gint64 at_ns = jank_replay_get_taken (self, i)->at_ns, from_ns = period->began_ns, to_ns = period->ended_ns;

  if (i > first)
    from_ns = jank_replay_get_taken (self, i - 1)->at_ns + (at_ns - jank_replay_get_taken (self, i - 1)->at_ns) / 2;
  if (i + 1 < self->taken->len)
    to_ns = at_ns + (jank_replay_get_taken (self, i + 1)->at_ns - at_ns) / 2;
  return to_ns - from_ns;
}

/* Who has most of the period, by the stacks that the rule has read in it. */
static guint
jank_replay_pick_by_weight (const Player *self, const JankEventPeriod *period)
{
  guint first = self->taken->len, culprit = 0;
  gint64 most_ns = 0;

  while (first > 0 && jank_replay_get_taken (self, first - 1)->at_ns >= period->began_ns &&
         self->taken->len - first < MAX_PICKED)
    first--;
  for (guint i = first; i < self->taken->len; i++)
    {
      gint64 sum_ns = 0;

      for (guint k = first; k < self->taken->len; k++)
        if (jank_replay_get_taken (self, k)->culprit == jank_replay_get_taken (self, i)->culprit)
          sum_ns += jank_replay_get_weight (self, period, first, k);
      if (sum_ns >= most_ns)
        culprit = jank_replay_get_taken (self, i)->culprit;
      most_ns = MAX (most_ns, sum_ns);
    }
  return culprit;
}

/* A report of the loop is finished when the stall is over. What the record says of the stall is the default's work;
 * a rule that reads one stack a wait has those of all its waits by then. */
static void
jank_replay_add_final (Player *self, const JankEventPeriod *period)
{
  JankVerdict verdict = { .began_ns = period->began_ns, .at_ns = period->ended_ns, .again = TRUE, .final = TRUE };
  gboolean is_exact = self->rule->kind == JANK_RULE_KIND_BUSY && self->rule->check_ns == 0;

  if (self->state.n_reports == 0 || (!is_exact && self->rule->kind != JANK_RULE_KIND_WAITS))
    return;
  verdict.culprit = is_exact ? period->culprit : jank_replay_pick_by_weight (self, period);
  g_array_append_val (self->result->verdicts, verdict);
}

/* At most one change of each kind: two at one moment are two steps at that moment. */
static void
jank_replay_advance (Player *self, gint64 now_ns)
{
  const JankEventPeriod *period = jank_replay_get_period (self, self->period);

  while (self->sample < self->events->samples->len && jank_replay_get_sample (self, self->sample)->at_ns <= now_ns)
    self->sample++;
  if (self->answer_ns <= now_ns)
    {
      self->view.ping_sent_ns = 0;
      self->answer_ns = JANK_RULE_NEVER;
    }
  if (self->view.busy && period->ended_ns <= now_ns)
    {
      jank_replay_add_final (self, period);
      self->view.busy = false;
      self->view.since_ns = period->ended_ns;
      self->period++;
    }
  else if (!self->view.busy && period != NULL && period->began_ns <= now_ns)
    {
      self->view.busy = true;
      self->view.since_ns = period->began_ns;
    }
  if (self->frame < self->events->frames->len)
    {
      const JankEventFrame *frame = &g_array_index (self->events->frames, JankEventFrame, self->frame);

      if (frame->began_ns <= now_ns)
        {
          self->view.n_frames++;
          self->view.frame_ns = frame->began_ns;
          self->view.refresh_ns = frame->refresh_ns;
          self->view.frame_follows = frame->follows;
          self->frame++;
        }
    }
}

static void
jank_replay_take_stack (Player *self)
{
  const JankEventPeriod *period = jank_replay_get_period (self, self->period);
  guint sample = self->sample;

  if (!self->view.busy)
    return;
  if (sample > 0 && jank_replay_get_sample (self, sample - 1)->at_ns >= self->view.since_ns)
    sample--;
  else if (sample >= self->events->samples->len || jank_replay_get_sample (self, sample)->at_ns > period->ended_ns)
    return;
  g_array_append_val (self->taken, sample);
  self->result->n_stacks++;
}

/* By what the rule counts stacks as the same. */
static guint
jank_replay_get_key (const Player *self, const JankEventSample *sample)
{
  switch (self->rule->pick)
    {
    case JANK_PICK_LAST20:
      return sample->top;
    case JANK_PICK_SAME:
      return sample->stack;
    case JANK_PICK_PATH:
    case JANK_PICK_NONE:
    default:
      return sample->culprit;
    }
}

/* The most frequent; of equals the newest. (nullable) */
static const JankEventSample *
jank_replay_pick (const Player *self, guint first)
{
  const JankEventSample *best = NULL;
  guint n_best = 0;

  for (guint i = self->taken->len; i-- > first;)
    {
      const JankEventSample *sample = jank_replay_get_sample (self, g_array_index (self->taken, guint, i));
      guint n = 0;

      for (guint k = first; k < self->taken->len; k++)
        n += jank_replay_get_key (self, sample) ==
             jank_replay_get_key (self, jank_replay_get_sample (self, g_array_index (self->taken, guint, k)));
      if (n > n_best)
        {
          n_best = n;
          best = sample;
        }
    }
  return best;
}

static void
jank_replay_add_verdict (Player *self, const JankRuleStep *step, gint64 now_ns)
{
  JankVerdict verdict = { .began_ns = step->began_ns, .at_ns = now_ns };
  guint first = self->taken->len;
  const JankEventSample *heaviest;

  while (first > 0 &&
         jank_replay_get_sample (self, g_array_index (self->taken, guint, first - 1))->at_ns >= step->began_ns &&
         self->taken->len - first < (self->rule->n_stacks != 0 ? self->rule->n_stacks : MAX_PICKED))
    first--;
  verdict.n_stacks = self->taken->len - first;
  if (verdict.n_stacks > 0)
    verdict.oldest_ns = jank_replay_get_sample (self, g_array_index (self->taken, guint, first))->at_ns;
  heaviest = jank_replay_pick (self, first);
  verdict.culprit = heaviest != NULL ? heaviest->culprit : 0;
  verdict.splits = jank_rule_told (self->rule, &self->state,
                                   heaviest != NULL ? jank_replay_get_key (self, heaviest) : 0, now_ns);
  verdict.again = step->again && !verdict.splits;
  g_array_append_val (self->result->verdicts, verdict);
}

static void
jank_replay_step (Player *self, gint64 now_ns)
{
  JankRuleStep what = jank_rule_step (self->rule, &self->state, &self->view, now_ns);

  if (what.take_stack)
    jank_replay_take_stack (self);
  if (what.report)
    {
      jank_replay_add_verdict (self, &what, now_ns);
      self->look_ns = jank_rule_step (self->rule, &self->state, &self->view, now_ns).look_again_ns;
    }
  else
    self->look_ns = what.look_again_ns;
  if (what.fps_milli >= 0 && (self->result->least_fps_milli < 0 || what.fps_milli < self->result->least_fps_milli))
    self->result->least_fps_milli = what.fps_milli;
  if (what.ping)
    {
      const JankEventPeriod *period = jank_replay_get_period (self, self->period);

      self->result->n_pings++;
      self->view.ping_sent_ns = now_ns;
      self->answer_ns = self->view.busy ? period->ended_ns : now_ns;
    }
  self->look_ns = MAX (self->look_ns, now_ns + 1);
}

static void
jank_replay_play (Player *self)
{
  gint64 now_ns = self->events->began_ns;

  self->view.since_ns = now_ns;
  jank_rule_state_init (&self->state, self->rule, now_ns);
  jank_replay_step (self, now_ns);
  for (guint i = 0; i < MAX_STEPS; i++)
    {
      now_ns = MAX (jank_replay_next_time (self), now_ns);
      if (now_ns > self->events->ended_ns)
        break;
      jank_replay_advance (self, now_ns);
      jank_replay_step (self, now_ns);
    }
}

static void
jank_replay_find_truths (JankReplay *self, const JankEvents *events, gint64 shortest_ns)
{
  for (guint i = 0; i < events->periods->len; i++)
    {
      const JankEventPeriod *period = &g_array_index (events->periods, JankEventPeriod, i);
      JankTruth truth = { .began_ns = period->began_ns, .ended_ns = period->ended_ns, .culprit = period->culprit };

      if (period->ended_ns - period->began_ns >= shortest_ns)
        g_array_append_val (self->truths, truth);
    }
}

/* A report knows of the stalls that lie in its time. from: the first stall that it may know of; those of later
 * reports are not before. */
static void
jank_replay_match (JankReplay *self, const JankVerdict *verdict, guint *from)
{
  gboolean of_something = FALSE;

  while (*from < self->truths->len && g_array_index (self->truths, JankTruth, *from).ended_ns <= verdict->began_ns)
    (*from)++;
  for (guint i = *from; i < self->truths->len; i++)
    {
      JankTruth *truth = &g_array_index (self->truths, JankTruth, i);

      if (verdict->at_ns < truth->began_ns)
        break;
      of_something = TRUE;
      if (truth->found)
        {
          truth->named = verdict->final ? verdict->culprit : truth->named;
          continue;
        }
      truth->found = TRUE;
      truth->delay_ns = verdict->at_ns - truth->began_ns;
      truth->named = verdict->culprit;
    }
  if (!of_something && !verdict->again)
    self->n_invented++;
}

JANK_ORDER_RISING (jank_replay_compare_delays, gint64, [0])

static void
jank_replay_score (JankReplay *self)
{
  g_autoptr (GArray) delays = g_array_new (FALSE, FALSE, sizeof (gint64));
  guint from = 0;

  for (guint i = 0; i < self->verdicts->len; i++)
    jank_replay_match (self, &g_array_index (self->verdicts, JankVerdict, i), &from);
  for (guint i = 0; i < self->truths->len; i++)
    {
      const JankTruth *truth = &g_array_index (self->truths, JankTruth, i);

      if (!truth->found)
        continue;
      g_array_append_val (delays, truth->delay_ns);
      self->n_judged += truth->named != 0;
      self->n_right += truth->named != 0 && truth->named == truth->culprit;
    }
  self->n_found = delays->len;
  self->n_missed = self->truths->len - delays->len;
  /* Without delays there is nothing to sort, nor memory for it. */
  if (delays->len > 0)
    g_array_sort (delays, jank_replay_compare_delays);
  self->median_delay_ns = delays->len > 0 ? g_array_index (delays, gint64, (delays->len - 1) / 2) : -1;
}

JankReplay *
jank_replay (const JankRule *rule, const JankEvents *events, gint64 shortest_ns)
{
  JankReplay *self = g_new0 (JankReplay, 1);
  Player player = {
    .rule = rule, .events = events, .result = self, .answer_ns = JANK_RULE_NEVER,
    .taken = g_array_new (FALSE, FALSE, sizeof (guint)),
  };

  self->verdicts = g_array_new (FALSE, FALSE, sizeof (JankVerdict));
  self->truths = g_array_new (FALSE, FALSE, sizeof (JankTruth));
  self->least_fps_milli = -1;
  jank_replay_play (&player);
  g_array_unref (player.taken);
  jank_replay_find_truths (self, events, shortest_ns);
  jank_replay_score (self);
  return self;
}

void
jank_replay_free (JankReplay *self)
{
  g_array_unref (self->verdicts);
  g_array_unref (self->truths);
  g_free (self);
}
