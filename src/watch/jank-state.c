/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "watch/jank-stall-tracker-private.h"

#include <string.h>

/* Less than a tenth of the time is noise: interrupts, and a virtual machine's host. */
#define NOISE_PART 10

static gboolean
jank_state_is_known (const JankThreadTimes *times)
{
  return times->known && times->cpu_ns >= 0;
}

/* Growth within [0, most_ns]; 0 when one of the two is not known. */
static gint64
jank_state_get_growth (gint64 from_ns, gint64 to_ns, gint64 most_ns)
{
  return from_ns >= 0 && to_ns >= 0 ? CLAMP (to_ns - from_ns, 0, most_ns) : 0;
}

static JankThreadState
jank_state_judge_rest (const JankThreadTimes *from, const JankThreadTimes *to, JankFound found, gboolean is_noise)
{
  switch (found)
    {
    case JANK_FOUND_IN_CALL:         return JANK_STATE_BLOCKED;
    case JANK_FOUND_IN_FAULT:        return JANK_STATE_PAGE_FAULT;
    case JANK_FOUND_WAITING_FOR_CPU: return JANK_STATE_PREEMPTED; /* which the kernel counts only when it is over */
    case JANK_FOUND_RUNNING:
      /* It never left its CPU: the kernel's counters are of the last tick, or the machine's host had that CPU. */
      if (to->n_turns != 0 && to->n_turns == from->n_turns)
        return JANK_STATE_COMPUTING;
      G_GNUC_FALLTHROUGH;
    case JANK_FOUND_UNKNOWN: default:
      if (is_noise)
        return JANK_STATE_UNKNOWN;
      return to->n_major_faults > from->n_major_faults ? JANK_STATE_PAGE_FAULT : JANK_STATE_BLOCKED;
    }
}

void
jank_state_share_get (const JankThreadTimes *from, const JankThreadTimes *to, gint64 excluded_ns, JankFound found,
                      JankStateShare *ret_share)
{
  gint64 length_ns = MAX (to->at_ns - from->at_ns - excluded_ns, 0);
  JankStateShare share = { .rest = JANK_STATE_UNKNOWN, .rest_ns = length_ns };

  if (jank_state_is_known (from) && jank_state_is_known (to))
    {
      share.computing_ns = jank_state_get_growth (from->cpu_ns, to->cpu_ns, length_ns);
      share.preempted_ns = jank_state_get_growth (from->run_delay_ns, to->run_delay_ns, length_ns - share.computing_ns);
      share.rest_ns -= share.computing_ns + share.preempted_ns;
      share.rest = jank_state_judge_rest (from, to, found, share.rest_ns < length_ns / NOISE_PART);
    }
  *ret_share = share;
}

JankThreadState
jank_state_share_largest (const JankStateShare *share)
{
  if (share->rest_ns >= share->computing_ns && share->rest_ns >= share->preempted_ns)
    return share->rest;
  return share->computing_ns >= share->preempted_ns ? JANK_STATE_COMPUTING : JANK_STATE_PREEMPTED;
}

void
jank_state_sum_finish (const gint64 rest_ns[JANK_N_STATES], const JankThreadTimes *from, const JankThreadTimes *to,
                       gint64 duration_ns, gint64 ret_state_ns[JANK_N_STATES])
{
  static const JankThreadState rests[] = { JANK_STATE_PAGE_FAULT, JANK_STATE_BLOCKED };
  gint64 votes_ns = rest_ns[JANK_STATE_UNKNOWN] + rest_ns[JANK_STATE_PAGE_FAULT] + rest_ns[JANK_STATE_BLOCKED];
  gint64 left_ns = duration_ns, all_rest_ns;

  memset (ret_state_ns, 0, JANK_N_STATES * sizeof *ret_state_ns);
  if (!jank_state_is_known (from) || !jank_state_is_known (to))
    return;
  ret_state_ns[JANK_STATE_COMPUTING] = jank_state_get_growth (from->cpu_ns, to->cpu_ns, left_ns);
  left_ns -= ret_state_ns[JANK_STATE_COMPUTING];
  ret_state_ns[JANK_STATE_PREEMPTED] = jank_state_get_growth (from->run_delay_ns, to->run_delay_ns, left_ns);
  left_ns -= ret_state_ns[JANK_STATE_PREEMPTED];

  all_rest_ns = left_ns;
  for (guint i = 0; i < G_N_ELEMENTS (rests) && votes_ns > 0; i++)
    {
      double part = (double) rest_ns[rests[i]] / (double) votes_ns;

      ret_state_ns[rests[i]] = MIN ((gint64) (part * (double) all_rest_ns), left_ns);
      left_ns -= ret_state_ns[rests[i]];
    }
  ret_state_ns[JANK_STATE_UNKNOWN] = left_ns;
}
