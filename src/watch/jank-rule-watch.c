/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "watch/jank-rule-watch-private.h"

#include "base/jank-clock-private.h"

/* After a ping that could not be sent: nobody is there to answer, or the last one is answered in a moment. */
#define RETRY_NS (100 * JANK_NS_PER_MS)

void
jank_rule_watch_take (JankRuleWatch *self, const JankRuleOrder *order, gint64 now_ns)
{
  if (self->is_set == order->is_set && self->ping == order->ping && jank_rule_spec_equal (&self->spec, &order->spec))
    return;
  *self = (JankRuleWatch) { .is_set = order->is_set, .ping = order->ping };
  self->spec = order->spec;
  jank_rule_state_init (&self->state, &self->spec, now_ns);
}

gboolean
jank_rule_watch_is_frames (const JankRuleWatch *self)
{
  return self->is_set && (self->spec.kind == JANK_RULE_KIND_GAP || self->spec.kind == JANK_RULE_KIND_FPS);
}

gboolean
jank_rule_watch_is_stall (const JankRuleWatch *self, gint64 length_ns)
{
  gboolean is_checked = self->spec.kind == JANK_RULE_KIND_BUSY && self->spec.check_ns > 0;

  return !is_checked && length_ns >= self->spec.threshold_ns;
}

JankRuleStep
jank_rule_watch_step (JankRuleWatch *self, gboolean busy, gint64 since_ns, gint64 now_ns)
{
  self->view.busy = busy;
  self->view.since_ns = since_ns;
  self->view.ping_sent_ns = busy && self->spec.kind == JANK_RULE_KIND_PING ? since_ns : 0;
  return jank_rule_step (&self->spec, &self->state, &self->view, now_ns);
}

JankRuleStep
jank_rule_watch_step_frame (JankRuleWatch *self, const JankFrameTime *frame, gint64 now_ns)
{
  self->view.n_frames++;
  self->view.frame_ns = frame->began_ns;
  self->view.refresh_ns = frame->refresh_ns;
  self->view.frame_follows = frame->follows;
  return jank_rule_step (&self->spec, &self->state, &self->view, now_ns);
}

gint64
jank_rule_watch_ping (JankRuleWatch *self, gint64 since_ns, gint64 now_ns)
{
  JankRuleStep step;

  if (!self->is_set || self->ping == NULL)
    return G_MAXINT64;
  step = jank_rule_watch_step (self, FALSE, since_ns, now_ns);
  if (step.ping && !jank_ping_send (self->ping))
    return now_ns + RETRY_NS;
  return step.look_again_ns;
}
