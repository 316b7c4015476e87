/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The file of events: what is written is read, and what is not well formed does no harm. */

#include <string.h>

#include "base/jank-error.h"
#include "events-maker.h"
#include "fuzz-events-private.h"
#include "test.h"

#define N_FUZZ 3000

static char *
to_text (const JankEvents *events)
{
  GString *text = g_string_new (JANK_EVENTS_HEAD "\n");

  g_string_append_printf (text, "from %" G_GINT64_FORMAT "\n", events->began_ns);
  for (guint i = 0; i < events->names->len; i++)
    {
      g_autofree char *line = jank_events_name_to_line (i + 1, events->names->pdata[i]);

      g_string_append (text, line);
    }
  for (guint i = 0; i < events->samples->len; i++)
    {
      g_autofree char *line = jank_events_sample_to_line (&g_array_index (events->samples, JankEventSample, i));

      g_string_append (text, line);
    }
  for (guint i = 0; i < events->frames->len; i++)
    {
      g_autofree char *line = jank_events_frame_to_line (&g_array_index (events->frames, JankEventFrame, i));

      g_string_append (text, line);
    }
  for (guint i = 0; i < events->periods->len; i++)
    {
      g_autofree char *line = jank_events_period_to_line (&g_array_index (events->periods, JankEventPeriod, i));

      g_string_append (text, line);
    }
  g_string_append_printf (text, "to %" G_GINT64_FORMAT "\n", events->ended_ns);
  return g_string_free (text, FALSE);
}

static JankEvents *
make (void)
{
  JankEvents *events = events_new (4000);
  JankEventPeriod startup = { START, START + 90 * MS, TRUE, OTHER };

  g_array_append_val (events->periods, startup);
  events_add_busy (events, 500, 1100, HEAVY);
  events_add_busy (events, 2000, 2200, LIGHT);
  events_add_frames (events, 300, 2500);
  jank_events_settle (events);
  return events;
}

TEST (round_trip)
{
  g_autoptr (JankEvents) events = make ();
  g_autofree char *text = to_text (events), *again = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (JankEvents) back = jank_events_parse (text, strlen (text), &error);

  g_assert_no_error (error);
  again = to_text (back);
  g_assert_cmpstr (again, ==, text);
  g_assert_cmpuint (back->periods->len, ==, 3);
  g_assert_true (g_array_index (back->periods, JankEventPeriod, 0).startup);
  g_assert_cmpuint (back->samples->len, ==, 119 + 39);
  g_assert_cmpstr (jank_events_get_name (back, LIGHT), ==, "light");
  g_assert_null (jank_events_get_name (back, 0));
  g_assert_null (jank_events_get_name (back, 4));
}

/* The same events, the same answer. */
TEST (deterministic)
{
  g_autoptr (JankEvents) events = make ();
  g_autofree char *text = to_text (events);

  for (const char *const *preset = jank_preset_get_nicks (); *preset != NULL; preset++)
    {
      g_autoptr (JankEvents) back = jank_events_parse (text, strlen (text), NULL);
      g_autoptr (JankReplay) a = events_replay (events, *preset), b = events_replay (back, *preset);

      g_assert_cmpuint (a->verdicts->len, ==, b->verdicts->len);
      for (guint i = 0; i < a->verdicts->len; i++)
        {
          const JankVerdict *of_a = &g_array_index (a->verdicts, JankVerdict, i);
          const JankVerdict *of_b = &g_array_index (b->verdicts, JankVerdict, i);

          g_assert_cmpint (of_a->at_ns, ==, of_b->at_ns);
          g_assert_cmpint (of_a->began_ns, ==, of_b->began_ns);
          g_assert_cmpuint (of_a->culprit, ==, of_b->culprit);
          g_assert_cmpuint (of_a->n_stacks, ==, of_b->n_stacks);
        }
      g_assert_cmpuint (a->n_found, ==, b->n_found);
      g_assert_cmpuint (a->n_right, ==, b->n_right);
      g_assert_cmpint (a->median_delay_ns, ==, b->median_delay_ns);
    }
}

TEST (nonsense)
{
  static const char text[] = JANK_EVENTS_HEAD "\n"
    "busy 5000 4000 loop 0\n" "busy 1000 2000 loop 0\n" "busy 1500 2500 loop 0\n" "busy -3 5 loop 0\n"
    "busy 99999999999999999999 5 loop 0\n" "busy 3000\n" "frame 1 2 3\n" "sample 1 x 1 1\n" "sample 1600 7 0 0\n"
    "name 2 second\n" "name 1 a function\r of (two, words)\n" "name x\n" "what 1 2 3\n" "\n" "   \n" "to -1\n" "from\n";
  g_autoptr (JankEvents) events = jank_events_parse (text, sizeof text - 1, NULL);

  g_assert_cmpuint (events->periods->len, ==, 1);
  g_assert_cmpint (g_array_index (events->periods, JankEventPeriod, 0).began_ns, ==, 1000);
  g_assert_cmpuint (events->samples->len, ==, 1);
  g_assert_cmpuint (events->frames->len, ==, 0);
  g_assert_cmpuint (events->names->len, ==, 1);
  g_assert_cmpint (events->began_ns, ==, 1000);
  g_assert_cmpint (events->ended_ns, ==, 2000);
}

TEST (fuzz)
{
  static const char interesting[] = "0123456789 \n-x\xff" "busy frame sample";
  g_autoptr (JankEvents) events = make ();
  g_autofree char *seed = to_text (events);
  gsize n_seed = strlen (seed);
  g_autoptr (GRand) random = g_rand_new_with_seed (20261121);

  for (guint round = 0; round < N_FUZZ; round++)
    {
      gsize n_bytes = n_seed;
      g_autofree guint8 *data = g_memdup2 (seed, n_bytes);

      for (gint i = g_rand_int_range (random, 0, 30); i > 0; i--)
        data[g_rand_int_range (random, 0, (gint32) n_bytes)] =
          (guint8) interesting[g_rand_int_range (random, 0, sizeof interesting - 1)];
      if (g_rand_int_range (random, 0, 4) == 0)
        n_bytes = (gsize) g_rand_int_range (random, 0, (gint32) n_bytes);
      LLVMFuzzerTestOneInput (data, n_bytes);
    }
}

TESTS ("/replay/events")
