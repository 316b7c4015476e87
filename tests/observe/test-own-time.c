/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <glib.h>

#include "base/jank-clock-private.h"
#include "observe/jank-beat-private.h"
#include "observe/jank-own-time-private.h"
#include "test.h"

#define WORK_US 2000
#define WORK_NS (WORK_US * JANK_NS_PER_US)

static gint64
work (void)
{
  g_usleep (WORK_US);
  return jank_clock_now_ns ();
}

static void
test_nested (void)
{
  JankOwnTime own = { 0 };
  gint64 from_ns = jank_clock_now_ns (), inside_ns, to_ns;

  g_assert_cmpint (jank_spans_get (&own.spans, 0, G_MAXINT64), ==, 0);
  jank_spans_end (&own.spans);
  jank_spans_begin (&own.spans);
  jank_spans_begin (&own.spans);
  inside_ns = work ();
  jank_spans_end (&own.spans);
  work ();
  g_assert_cmpint (jank_spans_get (&own.spans, inside_ns, inside_ns + 1), ==, 1);
  jank_spans_end (&own.spans);
  to_ns = work ();

  g_assert_cmpuint (own.spans.n, ==, 1);
  g_assert_cmpint (own.spans.total_ns, >=, 2 * WORK_NS);
  g_assert_cmpint (jank_spans_get (&own.spans, from_ns, to_ns), ==, own.spans.total_ns);
  g_assert_cmpint (jank_spans_get (&own.spans, inside_ns, inside_ns + 1000), ==, 1000);
  g_assert_cmpint (jank_spans_get (&own.spans, to_ns - WORK_NS / 2, to_ns), ==, 0);
}

/* The rest of a busy period ends with it, and is nobody's if it was only assumed. */
static void
test_rest (gconstpointer data)
{
  gboolean is_sure = GPOINTER_TO_INT (data);
  JankBeat beat;
  gint64 from_ns, to_ns;

  jank_beat_init (&beat, JANK_NS_PER_S, 0);
  jank_beat_begin (&beat);
  from_ns = jank_clock_now_ns ();
  jank_own_time_begin_rest (&beat.own, FALSE);
  to_ns = work ();
  if (is_sure)
    jank_own_time_begin_rest (&beat.own, TRUE);
  g_assert_cmpint (jank_spans_get (&beat.own.spans, from_ns, to_ns), >=, WORK_NS);
  jank_beat_end (&beat);
  if (is_sure)
    g_assert_cmpint (jank_spans_get (&beat.own.spans, from_ns, to_ns), >=, WORK_NS);
  else
    g_assert_cmpint (jank_spans_get (&beat.own.spans, from_ns, to_ns), ==, 0);

  jank_beat_begin (&beat);
  from_ns = jank_clock_now_ns ();
  to_ns = work ();
  g_assert_cmpint (jank_spans_get (&beat.own.spans, from_ns, to_ns), ==, 0);
}

static void
add (void)
{
  g_test_add_func ("/observe/own-time/nested", test_nested);
  g_test_add_data_func ("/observe/own-time/rest", GINT_TO_POINTER (TRUE), test_rest);
  g_test_add_data_func ("/observe/own-time/assumed", GINT_TO_POINTER (FALSE), test_rest);
}

TESTS_AND ("/observe/own-time", add, FALSE)
