/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fills the folder argv[1] with argv[2] reports of about 10 KB: 100 problems, or argv[3], in 5 programs, over 30
 * days. */

#include <stdio.h>
#include <stdlib.h>

#include "base/jank-clock-private.h"
#include "report-fixture.h"
#include "json/jank-json-private.h"
#include "report/jank-report-json-private.h"

#define N_PROBLEMS 100 /* without argv[3] */
#define N_PROGRAMS 5
#define N_DAYS     30
#define ID_PLACE   "20000101-000000-1-1"
#define TIME_PLACE 1 /* µs since the Unix epoch */
#define N_BYTES    10240

/* Every time in it is TIME_PLACE. */
static char *
make_problem (guint i)
{
  g_autoptr (JankReport) report = report_fixture_new (ID_PLACE);
  g_autofree char *json = NULL;
  GString *text;

  g_free (report->app.name);
  report->app.name = g_strdup_printf ("program-%u", i % N_PROGRAMS);
  g_free (report->culprit.function);
  report->culprit.function = g_strdup_printf ("problem_%02u", i);
  g_free (report->fingerprint);
  report->fingerprint = g_strdup_printf ("%016x", 0xabc000 + i);
  report->stall.began_real_us = report->repeats.first_real_us = report->repeats.last_real_us = TIME_PLACE;
  report->stall.duration_ns = (120 + 10 * i) * JANK_NS_PER_MS;
  report->repeats.count = 1;
  report->repeats.total_ns = report->repeats.longest_ns = report->repeats.p95_ns = report->stall.duration_ns;
  g_array_set_size (report->repeats.lengths, 0);
  json = jank_report_generate_json (report, FALSE);
  text = g_string_new (json);
  while (text->len < N_BYTES)
    g_string_append_c (text, '\n');
  return g_string_free (text, FALSE);
}

int
main (int argc, char **argv)
{
  g_autofree char *time_place = jank_json_time_to_text (TIME_PLACE);
  gint64 first_us = 1766000000 * (gint64) G_USEC_PER_SEC;
  guint n = (guint) atoi (argv[2]);
  guint n_problems = argc > 3 ? (guint) atoi (argv[3]) : N_PROBLEMS;
  g_autofree char **problems = g_new0 (char *, n_problems);

  g_assert_cmpint (argc, >=, 3);
  g_assert_no_errno (g_mkdir_with_parents (argv[1], 0700));
  for (guint i = 0; i < n_problems; i++)
    problems[i] = make_problem (i);
  for (guint i = 0; i < n; i++)
    {
      gint64 real_us = first_us + (gint64) (i * (guint64) (N_DAYS * 86400) / n) * G_USEC_PER_SEC;
      g_autoptr (GDateTime) time = g_date_time_new_from_unix_utc (real_us / G_USEC_PER_SEC);
      g_autofree char *when = g_date_time_format (time, "%Y%m%d-%H%M%S");
      g_autofree char *id = g_strdup_printf ("%s-%u-%u", when, 1000 + i % 7, i + 1);
      g_autofree char *path = g_strdup_printf ("%s/%s.json", argv[1], id);
      g_autofree char *time_text = jank_json_time_to_text (real_us);
      g_autoptr (GString) text = g_string_new (problems[i % n_problems]);
      FILE *file = fopen (path, "w");

      g_string_replace (text, ID_PLACE, id, 0);
      g_string_replace (text, time_place, time_text, 0);
      g_assert_nonnull (file);
      fwrite (text->str, 1, text->len, file);
      g_assert_cmpint (fclose (file), ==, 0);
    }
  for (guint i = 0; i < n_problems; i++)
    g_free (problems[i]);
  return 0;
}
