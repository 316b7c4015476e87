/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One step of a rule, and the rule that settings make. */

#include "config.h"

#include "base/jank-clock-private.h"
#include "rules/jank-preset-list-private.h"

#define MS JANK_NS_PER_MS

static void
spec_of (const char *text, JankRuleSpec *ret_spec)
{
  g_autoptr (JankSettings) settings = jank_settings_new ();
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);

  jank_settings_apply_text (settings, text, warnings);
  g_assert_cmpuint (warnings->len, ==, 0);
  jank_rule_spec_init (ret_spec, settings);
}

static void
test_specs (void)
{
  static const struct { const char *text; JankRuleKind kind; gint64 threshold_ms; guint n_waits, n_refreshes, n_stacks; JankRulePick pick; }
  cases[] = {
    { "preset=default", JANK_RULE_KIND_BUSY, 100, 0, 0, 0, JANK_RULE_PICK_PATH },
    { "preset=qilag", JANK_RULE_KIND_WAITS, 88, 1, 0, 1, JANK_RULE_PICK_PATH },
    { "preset=semaphore", JANK_RULE_KIND_WAITS, 250, 5, 0, 1, JANK_RULE_PICK_PATH },
    { "preset=kartun", JANK_RULE_KIND_WAITS, 2000, 2, 0, 1, JANK_RULE_PICK_PATH },
    { "preset=anreye", JANK_RULE_KIND_PING, 400, 0, 0, 1, JANK_RULE_PICK_PATH },
    { "preset=mainwatch", JANK_RULE_KIND_PING, 16, 0, 0, 1, JANK_RULE_PICK_PATH },
    { "preset=rabbit", JANK_RULE_KIND_GAP, 166, 0, 10, 0, JANK_RULE_PICK_SAME },
    { "preset=matrix", JANK_RULE_KIND_BUSY, 2000, 0, 0, 20, JANK_RULE_PICK_TOP },
    { "preset=displaylink", JANK_RULE_KIND_FPS, 100, 0, 0, 0, JANK_RULE_PICK_NONE },
    /* Single settings on top of a preset, and without any. */
    { "threshold=120,preset=semaphore", JANK_RULE_KIND_WAITS, 150, 3, 0, 1, JANK_RULE_PICK_PATH },
    { "preset=semaphore,check-interval=0", JANK_RULE_KIND_BUSY, 250, 0, 0, 0, JANK_RULE_PICK_PATH },
    { "preset=rabbit,threshold=50", JANK_RULE_KIND_GAP, 50, 0, 3, 0, JANK_RULE_PICK_SAME },
    { "observer=ping", JANK_RULE_KIND_PING, 100, 0, 0, 1, JANK_RULE_PICK_PATH },
    { "observer=frames", JANK_RULE_KIND_GAP, 100, 0, 6, 0, JANK_RULE_PICK_SAME },
    { "preset=anreye,observer=loop", JANK_RULE_KIND_BUSY, 400, 0, 0, 0, JANK_RULE_PICK_PATH },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      JankRuleSpec spec;

      spec_of (cases[i].text, &spec);
      g_assert_cmpint (spec.kind, ==, cases[i].kind);
      g_assert_cmpint (spec.threshold_ns / MS, ==, cases[i].threshold_ms);
      g_assert_cmpuint (spec.n_waits, ==, cases[i].n_waits);
      g_assert_cmpuint (spec.n_refreshes, ==, cases[i].n_refreshes);
      g_assert_cmpuint (spec.n_stacks, ==, cases[i].n_stacks);
      g_assert_cmpint (spec.pick, ==, cases[i].pick);
    }
}

/* Every preset has words for people, and a rule of its own. */
static void
test_texts (void)
{
  for (guint preset = 0; preset < JANK_N_PRESETS; preset++)
    {
      const JankPresetText *text = jank_preset_get_text (preset);
      JankRuleSpec spec;

      g_assert_nonnull (text->system);
      g_assert_true (g_str_has_suffix (text->rule, "."));
      jank_preset_get_spec (preset, &spec);
      g_assert_cmpint (spec.threshold_ns, >, 0);
      for (guint other = 0; other < JANK_N_PRESETS; other++)
        {
          JankRuleSpec of_other;

          jank_preset_get_spec (other, &of_other);
          g_assert_cmpint (jank_rule_spec_equal (&spec, &of_other), ==, other == preset);
        }
    }
}

/* A watcher that oversleeps reports late, once, and goes on from there. */
static void
test_late (void)
{
  JankRuleSpec spec;
  JankRuleState state;
  JankLoopView view = { .busy = true, .since_ns = 1000 * MS };
  JankRuleStep step;

  spec_of ("preset=default", &spec);
  jank_rule_state_init (&state, &spec, 0);
  step = jank_rule_step (&spec, &state, &view, 1000 * MS);
  g_assert_false (step.take_stack || step.report || step.ping);
  g_assert_cmpint (step.look_again_ns, ==, 1016 * MS);
  step = jank_rule_step (&spec, &state, &view, 1750 * MS);
  g_assert_true (step.take_stack && step.report && !step.again);
  g_assert_cmpint (step.began_ns, ==, 1000 * MS);
  g_assert_cmpint (step.look_again_ns, ==, 1760 * MS);
  step = jank_rule_step (&spec, &state, &view, 1755 * MS);
  g_assert_false (step.take_stack || step.report);
  step = jank_rule_step (&spec, &state, &view, 1850 * MS);
  g_assert_true (step.report && step.again);

  /* The next period is a new one, also when nobody saw the loop wait in between. */
  view.since_ns = 1900 * MS;
  step = jank_rule_step (&spec, &state, &view, 2000 * MS);
  g_assert_true (step.report && !step.again);
  g_assert_cmpint (step.began_ns, ==, 1900 * MS);

  spec_of ("preset=semaphore", &spec);
  jank_rule_state_init (&state, &spec, 0);
  step = jank_rule_step (&spec, &state, &view, 1900 * MS);
  g_assert_cmpint (step.look_again_ns, ==, 2150 * MS);
  step = jank_rule_step (&spec, &state, &view, 2900 * MS);
  g_assert_true (step.report && step.take_stack && !step.again);
  g_assert_cmpint (step.look_again_ns, ==, 3150 * MS);
}

/* A loop that waits costs no look, but for pings. */
static void
test_waiting (void)
{
  for (guint preset = 0; preset < JANK_N_PRESETS; preset++)
    {
      JankRuleSpec spec;
      JankRuleState state;
      JankLoopView view = { .since_ns = 500 * MS };
      JankRuleStep step;

      jank_preset_get_spec (preset, &spec);
      jank_rule_state_init (&state, &spec, 500 * MS);
      step = jank_rule_step (&spec, &state, &view, 500 * MS);
      g_assert_false (step.take_stack || step.report || step.ping);
      g_assert_cmpint (step.look_again_ns, ==, spec.kind == JANK_RULE_KIND_PING ? 500 * MS + spec.ping_interval_ns : JANK_RULE_NEVER);
    }
}

static void
test_ping (void)
{
  JankRuleSpec spec;
  JankRuleState state;
  JankLoopView view = { .busy = false };
  JankRuleStep step;

  spec_of ("observer=ping,ping-interval=200,ping-timeout=50", &spec);
  jank_rule_state_init (&state, &spec, 1000 * MS);
  g_assert_false (jank_rule_step (&spec, &state, &view, 1199 * MS).ping);
  step = jank_rule_step (&spec, &state, &view, 1210 * MS);
  g_assert_true (step.ping);
  view.ping_sent_ns = 1210 * MS;
  step = jank_rule_step (&spec, &state, &view, 1211 * MS);
  g_assert_false (step.ping || step.report);
  g_assert_cmpint (step.look_again_ns, ==, 1260 * MS);
  step = jank_rule_step (&spec, &state, &view, 1260 * MS);
  g_assert_true (step.report && step.take_stack && !step.again);
  g_assert_cmpint (step.began_ns, ==, 1210 * MS);
  g_assert_cmpint (step.look_again_ns, ==, JANK_RULE_NEVER);
  step = jank_rule_step (&spec, &state, &view, 9000 * MS);
  g_assert_false (step.ping || step.report);

  /* Answered: the next is due at once, and then not before its time. */
  view.ping_sent_ns = 0;
  step = jank_rule_step (&spec, &state, &view, 9001 * MS);
  g_assert_true (step.ping);
  step = jank_rule_step (&spec, &state, &view, 9002 * MS);
  g_assert_false (step.ping);
  g_assert_cmpint (step.look_again_ns, ==, 9201 * MS);
}

/* Whatever is asked, a rule never asks to be asked at once, for ever. */
static void
test_random (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (88);

  for (guint round = 0; round < 2000; round++)
    {
      JankRuleSpec spec;
      JankRuleState state;
      JankLoopView view = { .busy = false };
      gint64 now_ns = 1000 * MS;

      jank_preset_get_spec (round % JANK_N_PRESETS, &spec);
      jank_rule_state_init (&state, &spec, now_ns);
      view.since_ns = now_ns;
      for (guint i = 0; i < 200; i++)
        {
          JankRuleStep step = jank_rule_step (&spec, &state, &view, now_ns);

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
          now_ns += g_rand_boolean (random) ? g_rand_int_range (random, 1, 300) * MS : MIN (step.look_again_ns - now_ns, 9000 * MS);
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rules/rule/specs", test_specs);
  g_test_add_func ("/rules/rule/texts", test_texts);
  g_test_add_func ("/rules/rule/late", test_late);
  g_test_add_func ("/rules/rule/waiting", test_waiting);
  g_test_add_func ("/rules/rule/ping", test_ping);
  g_test_add_func ("/rules/rule/random", test_random);
  return g_test_run ();
}
