/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* For test-schema.py, one JSON text per line: a full and a bare report, a session file and a summary.
 * argv[1] is a folder to work in. */

#include <stdio.h>

#include "report-fixture.h"
#include "store/jank-session-private.h"

#define SESSION "20261121-153000-4200"

static void
print_report (JankReport *report)
{
  g_autofree char *text = jank_report_to_json (report);

  puts (text);
}

/* No report has all of these at once. */
static void
fill_verdict (JankReportVerdict *verdict)
{
  static const char *const functions[] = { "parse_line", "load_words" };

  verdict->kind = JANK_VERDICT_TWO_WAITS;
  verdict->wait = verdict->second = 0;
  verdict->after = 9;
  verdict->second_share = verdict->stack_share = 0.25;
  verdict->kernel = g_strdup ("munmap");
  verdict->driver = g_strdup ("swrast_dri.so");
  verdict->callee = g_strdup ("secret_password_lookup_sync");
  verdict->collector = g_strdup ("Python's garbage collector");
  verdict->waker.tid = 4245;
  verdict->waker.function = g_strdup ("save_database");
  verdict->waker.file = g_strdup ("/src/store.c");
  verdict->waker.line = 12;
  verdict->walks = verdict->waker.alone = verdict->waker.direct = TRUE;
  verdict->begun.function = g_strdup ("append_rows");
  verdict->begun.file = g_strdup ("/src/ledger.py");
  verdict->begun.line = 7;
  verdict->begun.asked = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      JankReportVerdictPart *part = jank_report_verdict_part_new ();

      part->function = g_strdup (functions[i]);
      part->share = 0.4;
      g_ptr_array_add (verdict->parts, part);
    }
}

static void
print_session (const char *folder, JankReport *report)
{
  char *command[] = { (char *) "program", (char *) "--option", NULL };
  JankSessionApp app = { .name = (char *) "program", .exe = (char *) "/usr/bin/program", .version = (char *) "1.2",
                         .pid = 4242 };
  JankSessionSelf self = { .samples = 1 };
  g_autoptr (JankSession) session = jank_session_new (folder, SESSION, &app, TRUE);
  g_autoptr (JankSessionSummary) summary = NULL;
  g_autofree char *path = g_strdup_printf ("%s/sessions/%s-%d.json", folder, SESSION, app.pid);
  g_autofree char *file = NULL, *text = NULL;

  jank_session_get_file (session)->self = self;
  jank_session_add (session, report);
  jank_session_set_frames (session, jank_report_frame_clock_copy (report->frame_clock));
  g_assert_true (jank_session_save (session, NULL));
  g_assert_true (g_file_get_contents (path, &file, NULL, NULL));
  puts (file);

  summary = jank_session_load (folder, SESSION, NULL);
  jank_session_summary_set_command (summary, command, 0);
  text = jank_session_summary_to_json (summary, FALSE);
  puts (text);
}

int
main (int argc, char **argv)
{
  g_autoptr (JankReport) full = report_fixture_new ("20261121-153012-4242-1");
  g_autoptr (JankReport) bare = report_fixture_new_bare ("20261121-153012-4242-2");

  g_assert_cmpint (argc, ==, 2);
  ((JankReportSample *) full->samples->pdata[0])->kernel = g_strdup ("munmap");
  full->culprit.inlined_into = g_strdup ("on_button_clicked");
  full->chain = report_fixture_new_chain ();
  full->after = 9;
  fill_verdict (full->verdict);
  print_report (full);
  print_report (bare);
  print_session (argv[1], full);
  return 0;
}
