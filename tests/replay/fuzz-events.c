/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fuzz target of recorded events: reads them and plays them to a rule. test-events feeds it mutations of good input.
 * For libFuzzer: compile this file, rules/ and base/ with clang's -fsanitize=fuzzer,address,undefined. */

#include "fuzz-events-private.h"

#include "base/jank-clock-private.h"
#include "rules/jank-rule-private.h"
#include "replay/jank-replay-private.h"

/* Longer runs take longer to play. */
#define MAX_SPAN_NS (60 * JANK_NS_PER_S)

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t n_bytes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JankEvents) events = jank_events_parse ((const char *) data, n_bytes, &error);
  gint64 after_ns = 0;

  g_assert_true ((events == NULL) == (error != NULL));
  if (events == NULL)
    return 0;

  g_assert_cmpint (events->began_ns, <=, events->ended_ns);
  for (guint i = 0; i < events->periods->len; i++)
    {
      const JankEventPeriod *period = &g_array_index (events->periods, JankEventPeriod, i);

      g_assert_cmpint (period->began_ns, >=, after_ns);
      g_assert_cmpint (period->ended_ns, >=, period->began_ns);
      after_ns = period->ended_ns;
    }
  for (guint i = 1; i <= events->names->len; i++)
    g_assert_true (g_utf8_validate (jank_events_get_name (events, i), -1, NULL));
  if (events->ended_ns - events->began_ns > MAX_SPAN_NS)
    return 0;

  for (guint preset = 0; jank_preset_get (preset) != NULL; preset++)
    {
      g_autoptr (JankReplay) replay = NULL;
      JankRule rule;

      jank_rule_init_preset (&rule, preset);
      replay = jank_replay (&rule, events, 100 * JANK_NS_PER_MS);
      g_assert_cmpuint (replay->n_found + replay->n_missed, ==, replay->truths->len);
      g_assert_cmpuint (replay->n_right, <=, replay->n_judged);
      g_assert_cmpuint (replay->n_judged, <=, replay->n_found);
      g_assert_cmpuint (replay->n_invented, <=, replay->verdicts->len);
    }
  return 0;
}
