/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "rules/jank-stall-rule-private.h"

#include "base/jank-clock-private.h"

#define STOPPED_MIN_NS (20 * JANK_NS_PER_MS)
#define CALM_LOOKS      8 /* in a row */
#define CALM_TIMES      4
#define DENSE_SAMPLES   50
#define MAX_INTERVALS   4

/* A thread that computed next to nothing for so long until the watcher was to wake sleeps; the shortest stop it is believed. */
#define SLEEPS_NS          (2 * JANK_NS_PER_MS)
#define STOP_OF_SLEEPER_NS (100 * JANK_NS_PER_MS)

int64_t
jank_stall_rule_shortest (const JankStallRule *rule)
{
  return rule->record_ns > 0 && rule->record_ns < rule->threshold_ns ? rule->record_ns : rule->threshold_ns;
}

bool
jank_stall_rule_is_stall (const JankStallRule *rule, int64_t began_ns, int64_t now_ns, int64_t excluded_ns)
{
  return now_ns - began_ns - excluded_ns >= rule->threshold_ns;
}

int64_t
jank_stall_rule_next_sample (const JankStallRule *rule, int64_t began_ns, int64_t last_sample_ns)
{
  int64_t part_ns;

  if (last_sample_ns == 0)
    return began_ns + rule->first_sample_ns;
  part_ns = (last_sample_ns - began_ns) / DENSE_SAMPLES;
  if (part_ns <= rule->interval_ns)
    return last_sample_ns + rule->interval_ns;
  return last_sample_ns + (part_ns < MAX_INTERVALS * rule->interval_ns ? part_ns : MAX_INTERVALS * rule->interval_ns);
}

bool
jank_stall_rule_is_calm (uint32_t n_calm)
{
  return n_calm >= CALM_LOOKS;
}

int64_t
jank_stall_rule_calm_look (const JankStallRule *rule)
{
  int64_t spare_ns = rule->threshold_ns - rule->first_sample_ns;
  int times = CALM_TIMES;

  while (times > 1 && spare_ns < (times - 1) * rule->first_sample_ns)
    times /= 2;
  return times * rule->first_sample_ns;
}

bool
jank_stall_rule_may_park (const JankStallRule *rule, int64_t waiting_since_ns, int64_t now_ns)
{
  return now_ns - waiting_since_ns >= rule->park_ns;
}

int64_t
jank_stall_rule_stopped (int64_t deadline_ns, int64_t now_ns, int64_t run_delay_ns)
{
  int64_t stopped_ns = now_ns - deadline_ns - run_delay_ns;

  return stopped_ns >= STOPPED_MIN_NS ? stopped_ns : 0;
}

bool
jank_stall_rule_is_shared (int64_t slept_ns, int64_t deadline_ns, int64_t now_ns, int64_t stopped_ns, int64_t computed_ns)
{
  bool sleeps = deadline_ns - slept_ns >= SLEEPS_NS && computed_ns < (deadline_ns - slept_ns) / 10;

  if (computed_ns < 0)
    return stopped_ns >= STOPPED_MIN_NS;
  if (sleeps && stopped_ns < STOP_OF_SLEEPER_NS)
    return false;
  return stopped_ns >= STOPPED_MIN_NS && now_ns - slept_ns - computed_ns >= STOPPED_MIN_NS;
}
