/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One step of a rule, and the rule that settings make. */

#include <string.h>

#include "base/jank-clock-private.h"
#include "rules/jank-rule-private.h"
#include "test.h"

#define MS JANK_NS_PER_MS

static void
rule_of (const char *text, JankRule *ret_rule)
{
  g_autoptr (JankSettings) settings = jank_settings_new ();
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);

  jank_settings_apply_text (settings, text, warnings);
  g_assert_cmpuint (warnings->len, ==, 0);
  jank_rule_init (ret_rule, settings);
}

TEST (rules)
{
  static const struct { const char *text; JankRuleKind kind; gint64 threshold_ms; guint n_waits, n_refreshes,
                        n_stacks; JankPick pick; }
  cases[] = {
    { "preset=default", JANK_RULE_KIND_BUSY, 100, 0, 0, 0, JANK_PICK_PATH },
    { "preset=qilag", JANK_RULE_KIND_WAITS, 88, 1, 0, 1, JANK_PICK_PATH },
    { "preset=semaphore", JANK_RULE_KIND_WAITS, 250, 5, 0, 1, JANK_PICK_PATH },
    { "preset=kartun", JANK_RULE_KIND_WAITS, 2000, 2, 0, 1, JANK_PICK_PATH },
    { "preset=anreye", JANK_RULE_KIND_PING, 400, 0, 0, 1, JANK_PICK_PATH },
    { "preset=mainwatch", JANK_RULE_KIND_PING, 16, 0, 0, 1, JANK_PICK_PATH },
    { "preset=rabbit", JANK_RULE_KIND_GAP, 166, 0, 10, 0, JANK_PICK_SAME },
    { "preset=matrix", JANK_RULE_KIND_BUSY, 2000, 0, 0, 20, JANK_PICK_LAST20 },
    { "preset=displaylink", JANK_RULE_KIND_FPS, 100, 0, 0, 0, JANK_PICK_NONE },
    /* Single settings on top of a preset, and without any. */
    { "threshold=120,preset=semaphore", JANK_RULE_KIND_WAITS, 150, 3, 0, 1, JANK_PICK_PATH },
    { "preset=semaphore,check-interval=0", JANK_RULE_KIND_BUSY, 250, 0, 0, 0, JANK_PICK_PATH },
    { "preset=rabbit,threshold=50", JANK_RULE_KIND_GAP, 50, 0, 3, 0, JANK_PICK_SAME },
    { "observer=ping", JANK_RULE_KIND_PING, 100, 0, 0, 1, JANK_PICK_PATH },
    { "observer=frames", JANK_RULE_KIND_GAP, 100, 0, 6, 0, JANK_PICK_SAME },
    { "preset=anreye,observer=loop", JANK_RULE_KIND_BUSY, 400, 0, 0, 0, JANK_PICK_PATH },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      JankRule rule;

      rule_of (cases[i].text, &rule);
      g_assert_cmpint (rule.kind, ==, cases[i].kind);
      g_assert_cmpint (rule.threshold_ns / MS, ==, cases[i].threshold_ms);
      g_assert_cmpuint (rule.n_waits, ==, cases[i].n_waits);
      g_assert_cmpuint (rule.n_refreshes, ==, cases[i].n_refreshes);
      g_assert_cmpuint (rule.n_stacks, ==, cases[i].n_stacks);
      g_assert_cmpint (rule.pick, ==, cases[i].pick);
    }
}

/* Every preset has words for people, and a rule of its own. */
TEST (presets)
{
  const JankPreset *preset;

  for (guint i = 0; (preset = jank_preset_get (i)) != NULL; i++)
    {
      JankRule rule;

      g_assert_nonnull (preset->system);
      g_assert_true (g_str_has_suffix (preset->rule, "."));
      jank_rule_init_preset (&rule, i);
      g_assert_cmpint (rule.threshold_ns, >, 0);
      for (guint other = 0; jank_preset_get (other) != NULL; other++)
        {
          JankRule of_other;

          jank_rule_init_preset (&of_other, other);
          g_assert_cmpint (memcmp (&rule, &of_other, sizeof rule) == 0, ==, other == i);
        }
    }
}

static const JankRule numbers = {
  .threshold_ns = 100 * MS, .first_stack_ns = 16 * MS, .stack_interval_ns = 10 * MS, .park_ns = 100 * MS,
};

TEST (calm)
{
  JankRule close = numbers;
  JankCalm calm = { 0 };

  for (guint i = 0; i < 8; i++)
    {
      g_assert_false (jank_rule_is_calm (&calm));
      g_assert_cmpint (jank_rule_count_calm (&numbers, &calm, i % 2 == 1), ==, 16 * MS);
    }
  g_assert_true (jank_rule_is_calm (&calm));
  g_assert_cmpint (jank_rule_calm_look (&numbers), ==, 64 * MS);
  close.threshold_ns = 32 * MS;
  g_assert_cmpint (jank_rule_calm_look (&close), ==, 28 * MS);
  close.threshold_ns = 16 * MS;
  g_assert_cmpint (jank_rule_calm_look (&close), ==, 16 * MS);
  g_assert_false (jank_rule_may_park (&numbers, 1000 * MS, 1000 * MS));
  g_assert_false (jank_rule_may_park (&numbers, 1000 * MS, 1100 * MS - 1));
  g_assert_true (jank_rule_may_park (&numbers, 1000 * MS, 1100 * MS));
}

/* When the next stack is due, after one at_ms into a stall. */
TEST (interval)
{
  static const struct { const char *text; gint64 last_ms, computes_in_ms, next_ms; } cases[] = {
    { "preset=default", 0, 0, 16 }, { "preset=default", 16, 1000, 26 }, { "preset=default", 4000, 0, 4010 },
    { "preset=default", 4000, 10, 4010 }, { "preset=default", 4000, 25, 4025 }, { "preset=default", 4000, 1000, 4040 },
    { "preset=default", 499, 1000, 509 }, { "preset=default", 1000, 1000, 1020 },
    { "rule=last20", 4000, 1000, 4010 }, { "preset=matrix", 4000, 1000, 4050 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      JankRule rule;
      JankRuleState state;
      JankLoopView view = { .busy = true, .since_ns = 1000 * MS };
      gint64 last_ns = cases[i].last_ms * MS, next_ns = cases[i].next_ms * MS;

      rule_of (cases[i].text, &rule);
      jank_rule_state_init (&state, &rule, 900 * MS);
      jank_rule_step (&rule, &state, &view, 1000 * MS);
      if (last_ns != 0)
        state.last_stack_ns = 1000 * MS + last_ns;
      state.computes_in_ns = cases[i].computes_in_ms * MS;
      g_assert_false (jank_rule_step (&rule, &state, &view, 1000 * MS + next_ns - 1).take_stack);
      g_assert_true (jank_rule_step (&rule, &state, &view, 1000 * MS + next_ns).take_stack);
    }
}

/* Times in which the program was stopped do not count. */
TEST (excluded)
{
  static const struct { gint64 now_ms, excluded_ms; gboolean is_stall; } cases[] = {
    { 0, 0, FALSE }, { 99, 0, FALSE }, { 100, 0, TRUE }, { 8999, 0, TRUE }, { 100, 1, FALSE }, { 3050, 3000, FALSE },
    { 3100, 3000, TRUE }, { 200, 300, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      JankRuleState state;
      JankLoopView view = { .busy = true, .since_ns = 1000 * MS, .excluded_ns = cases[i].excluded_ms * MS };

      jank_rule_state_init (&state, &numbers, 0);
      g_assert_cmpint (jank_rule_step (&numbers, &state, &view, (1000 + cases[i].now_ms) * MS).report, ==,
                       cases[i].is_stall);
      g_assert_cmpint (jank_rule_is_stall (&numbers, (cases[i].now_ms - cases[i].excluded_ms) * MS), ==,
                       cases[i].is_stall);
    }
}

/* After how long a stall is told again, which is each time the work of another stack, or of the same. */
TEST (annealing)
{
  static const struct { const char *stacks, *lengths; } cases[] = {
    { "AAAAAA", "112358" }, { "AAABBB", "112112" }, { "ABABAB", "111111" }, { "AAAABA", "112311" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      JankAnnealing annealing = { .heaviest = 0 };

      for (guint k = 0; cases[i].stacks[k] != '\0'; k++)
        g_assert_cmpint (jank_annealing_next (&annealing, (guint64) cases[i].stacks[k], 7 * MS), ==,
                         (cases[i].lengths[k] - '0') * 7 * MS);
    }
}

/* A watcher that oversleeps reports late, once, and goes on from there. */
TEST (late)
{
  JankRule rule;
  JankRuleState state;
  JankLoopView view = { .busy = true, .since_ns = 1000 * MS };
  JankRuleStep step;

  rule_of ("preset=default", &rule);
  jank_rule_state_init (&state, &rule, 0);
  step = jank_rule_step (&rule, &state, &view, 1000 * MS);
  g_assert_false (step.take_stack || step.report || step.ping);
  g_assert_cmpint (step.look_again_ns, ==, 1016 * MS);
  step = jank_rule_step (&rule, &state, &view, 1750 * MS);
  g_assert_true (step.take_stack && step.report && !step.again);
  g_assert_cmpint (step.began_ns, ==, 1000 * MS);
  g_assert_cmpint (step.look_again_ns, ==, 1760 * MS);
  step = jank_rule_step (&rule, &state, &view, 1755 * MS);
  g_assert_false (step.take_stack || step.report);
  step = jank_rule_step (&rule, &state, &view, 1850 * MS);
  g_assert_true (step.report && step.again);

  /* The next period is a new one, also when nobody saw the loop wait in between. */
  view.since_ns = 1900 * MS;
  step = jank_rule_step (&rule, &state, &view, 2000 * MS);
  g_assert_true (step.report && !step.again);
  g_assert_cmpint (step.began_ns, ==, 1900 * MS);

  rule_of ("preset=semaphore", &rule);
  jank_rule_state_init (&state, &rule, 0);
  step = jank_rule_step (&rule, &state, &view, 1900 * MS);
  g_assert_cmpint (step.look_again_ns, ==, 2150 * MS);
  step = jank_rule_step (&rule, &state, &view, 2900 * MS);
  g_assert_true (step.report && step.take_stack && !step.again);
  g_assert_cmpint (step.look_again_ns, ==, 3150 * MS);
}

/* A loop that waits costs no look, but for pings. */
TEST (waiting)
{
  for (guint preset = 0; jank_preset_get (preset) != NULL; preset++)
    {
      JankRule rule;
      JankRuleState state;
      JankLoopView view = { .since_ns = 500 * MS };
      JankRuleStep step;

      jank_rule_init_preset (&rule, preset);
      jank_rule_state_init (&state, &rule, 500 * MS);
      step = jank_rule_step (&rule, &state, &view, 500 * MS);
      g_assert_false (step.take_stack || step.report || step.ping);
      g_assert_cmpint (step.look_again_ns, ==, rule.kind == JANK_RULE_KIND_PING ? 500 * MS + rule.ping_interval_ns
                       : JANK_RULE_NEVER);
    }
}

TEST (ping)
{
  JankRule rule;
  JankRuleState state;
  JankLoopView view = { .busy = false };
  JankRuleStep step;

  rule_of ("observer=ping,ping-interval=200,ping-timeout=50", &rule);
  jank_rule_state_init (&state, &rule, 1000 * MS);
  g_assert_false (jank_rule_step (&rule, &state, &view, 1199 * MS).ping);
  step = jank_rule_step (&rule, &state, &view, 1210 * MS);
  g_assert_true (step.ping);
  view.ping_sent_ns = 1210 * MS;
  step = jank_rule_step (&rule, &state, &view, 1211 * MS);
  g_assert_false (step.ping || step.report);
  g_assert_cmpint (step.look_again_ns, ==, 1260 * MS);
  step = jank_rule_step (&rule, &state, &view, 1260 * MS);
  g_assert_true (step.report && step.take_stack && !step.again);
  g_assert_cmpint (step.began_ns, ==, 1210 * MS);
  g_assert_cmpint (step.look_again_ns, ==, JANK_RULE_NEVER);
  step = jank_rule_step (&rule, &state, &view, 9000 * MS);
  g_assert_false (step.ping || step.report);

  /* Answered: the next is due at once, and then not before its time. */
  view.ping_sent_ns = 0;
  step = jank_rule_step (&rule, &state, &view, 9001 * MS);
  g_assert_true (step.ping);
  step = jank_rule_step (&rule, &state, &view, 9002 * MS);
  g_assert_false (step.ping);
  g_assert_cmpint (step.look_again_ns, ==, 9201 * MS);
}

/* Whatever is asked, a rule never asks to be asked at once, for ever. */
TEST (random)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (88);

  for (guint round = 0; round < 2000; round++)
    {
      JankRule rule;
      JankRuleState state;
      JankLoopView view = { .busy = false };
      gint64 now_ns = 1000 * MS;

      jank_rule_init_preset (&rule, round % g_strv_length ((char **) jank_preset_get_nicks ()));
      jank_rule_state_init (&state, &rule, now_ns);
      view.since_ns = now_ns;
      for (guint i = 0; i < 200; i++)
        {
          JankRuleStep step = jank_rule_step (&rule, &state, &view, now_ns);

          g_assert_cmpint (step.look_again_ns, >, now_ns);
          g_assert_true (step.report || !step.again);
          g_assert_false (step.ping && view.ping_sent_ns != 0);
          if (step.report)
            {
              g_assert_cmpint (step.began_ns, <=, now_ns);
              g_assert_cmpint (step.began_ns, >, 0);
            }
          if (step.ping)
            view.ping_sent_ns = now_ns;
          else if (view.ping_sent_ns != 0 && g_rand_boolean (random))
            view.ping_sent_ns = 0;
          now_ns += g_rand_boolean (random) ? g_rand_int_range (random, 1, 300) * MS
              : MIN (step.look_again_ns - now_ns, 9000 * MS);
          if (g_rand_int_range (random, 0, 3) == 0)
            {
              view.busy = !view.busy;
              view.since_ns = now_ns;
            }
          if (g_rand_int_range (random, 0, 3) == 0)
            {
              view.n_frames++;
              view.frame_ns = now_ns;
              view.refresh_ns = g_rand_boolean (random) ? 0 : 8 * MS;
              view.frame_follows = g_rand_boolean (random);
            }
        }
    }
}

TESTS ("/rules/rule")
