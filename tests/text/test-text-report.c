/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What people read: sentences, widths, colours, and nothing that a terminal would obey. */

#include <stdlib.h>
#include <string.h>

#include "base/jank-clock-private.h"
#include "json/jank-json-private.h"
#include "live/jank-live-file-private.h"
#include "text/jank-text-report-private.h"
#include "report-fixture.h"
#include "test.h"
#include "verdict/jank-verdict-private.h"

#define ID "20261121-153012-4242-1"

/* Edits: the culprit called a function, which is on the path, too. */
#define INNER(frame) "heaviest.path.+={\"frame\":" frame ",\"share\":0.6,\"self_share\":0.5}"
#define CALLEE \
  INNER ("11") "; stacks.0=[11,10,9,8,7,6,5,4,3,2,1,0]; heaviest.path.10.self_share=0.1; frames.10.inlined=[]"
#define INTERPRETER CALLEE "; modules.1.path=/usr/bin/python3.11; frames.11.module=1"
#define FOLDED CALLEE "; frames.11.symbol=__syscall_cancel_arch"
/* More calls of GTK's below the signal's. */
#define LIBRARIES(calls) "stacks.0=[10,9,8,7," calls ",6,5,4,3,2,1,0]"

TEST (duration)
{
  static const struct { gint64 duration_us; const char *text; } cases[] = {
    { 0, "0 ms" }, { 850, "850 µs" }, { 2500, "2.5 ms" }, { 3000, "3 ms" }, { 85000, "85 ms" }, { 999999, "999 ms" },
    { 1240000, "1.24 s" }, { 12340000, "12.3 s" }, { 59900000, "1 min 0 s" }, { 123000000, "2 min 3 s" },
    { 12000000000, "3 h 20 min" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = jank_text_duration (cases[i].duration_us * JANK_NS_PER_US);

      g_assert_cmpstr (text, ==, cases[i].text);
    }
}

static void
assert_headline (JankReport *report, const char *expected)
{
  g_autofree char *headline = jank_text_headline (report);

  g_assert_cmpstr (headline, ==, expected);
}

static char *
export (JankReport *report, guint n_columns, gboolean color, gboolean ascii)
{
  const JankTextStyle style = { .n_columns = n_columns, .color = color, .ascii = ascii };

  return jank_text_report (report, &style);
}

TEST (sections)
{
  static const char *const expected[] = {
    "  Program      jankwatch-demo (org.jankwatch.Demo), process 4242\n",
    "  Toolkit      GTK 4.8.3, X11, GskGLRenderer\n",
    "  When         2026-11-21 15:30:12, recovered\n",
    "  Source       GDK X11 Event source (:99), priority 0, callback\n               on_button_clicked\n",
    "  Not counted  system suspended for 1 h 0 min, program stopped for 2.00 s\n",
    "  Report       " ID "\n",
    "Heaviest stack, innermost first (122 samples, confidence 94 %)\n",
    "  97 %  95 %  divides                          math.h:7\n",
    "  97 %       ▶compute_primes                   demo.c:123\n",
    " 100 %        libgtk-4.so.1.800.3+0x24cb10     libgtk-4.so.1.800.3\n",
    "Other calls that took at least a fifth of the time\n"
    "  20 %   248 ms  clock_nanosleep, called by on_button_clicked\n",
    "     0 ms   720 ms  ███████       computing                   compute_primes → …\n",
    "   720 ms    80 ms  ▊             computing                   is_prime\n",
    "   800 ms    20 ms  ▎             not read\n",
    "blocked in clock_nanosleep  on_button_clicked\n",
    "  Process      61.0 MiB of memory, 3.00 s of CPU time, 6 threads, 31 open\n",
    "  Pressure     in the last 10 s the machine was short of: memory 41 %, CPU 88 %\n",
    "  Repeated     3 times, 2.48 s in total, p95 1.24 s, longest 1.24 s, last",
    "  Not saved    7 more stalls, 3.00 s in total, got no report: a limit was\n",
    "  computing        1.22 s   98 %  ███████████████████████▌\n",
    "     24 ms    2 %  sleeping, 40 ms at a time\n",
    "  └─ 4245 “thumbnailer” is reading ‘/home/user/.cache/thumbs.db’ on nfs4\n",
    "     4245  thumbnailer       waiting        25 %\n"
    "             reading ‘/home/user/.cache/thumbs.db’ on nfs4\n",
    "        12     8.00 s     2.67 s  load thumbnails, on_button_clicked\n",
    "Watching cost 2.5 ms on its own thread (samples: 122, without CPU: 3, lost: 1,\nsignals: 120).\n",
    "  Frames       1234 frames in 20.6 s of animation, 59.8 FPS at 60 Hz; 12 late (9\n"
    "               by the program), 31 dropped, hitch ratio 4.1 ms/s; animation\n",
    "  Window       Primes\n",
    "  Focus        GtkButton\n",
    "  Last action  app.compute\n",
    "  Tag          primes: up to 100000\n",
    "\nLate frames\n"
    "      before   length     over dropped  because of busiest\n"
    "      10.9 s    50 ms     8 ms       2  program    6 × on_row 31 ms, layout 9 ms\n"
    "  this stall    33 ms                1  compositor between frames\n",
  };
  g_autoptr (JankReport) report = report_fixture_new (ID);
  g_autofree char *text = export (report, 80, FALSE, FALSE);

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    if (strstr (text, expected[i]) == NULL)
      g_error ("no “%s” in:\n%s", expected[i], text);
  g_assert_null (strchr (text, '\033'));
  g_assert_null (strstr (text, " \n"));
}

/* What is changed in the report, and what is then in its text and what is not, in order; separated by "|". */
typedef struct
{
  const char *name, *edits, *said, *not_said;
  gboolean    native;
} Row;

static const Row rows[] = {
  /* A stack that was not kept leaves the path; one that was cut off says so. */
  { "path-only", "heaviest.stack=", "  97 %       ▶compute_primes", "callers not read" },
  { "cut-off", "heaviest.stack=2", "(callers not read)\n", NULL },
  /* A function that recurs has its own share each time, and is to blame once. */
  { "recursion", INNER ("10") "; stacks.0=[10,10,9,8,7,6,5,4,3,2,1,0]",
    "compute_primes() (demo.c:123) was computing\nfor 60 % of it|  60 %       ▶compute_primes|"
    "  97 %        compute_primes",
    NULL },
  /* Of a long run of libraries' functions that called the program's, two calls on either side are shown. */
  { "short-run", LIBRARIES ("7,7"), NULL, "calls of libraries" },
  { "long-run", LIBRARIES ("7,7,7"),
    " 100 %        g_signal_emit|libgtk-4.so.1.800.3+0x24cb10     libgtk-4.so.1.800.3\n              … 4 more calls of "
    "libraries\n 100 %        g_main_context_iteration", NULL },
  { "run-without-culprit", LIBRARIES ("7,7,7") "; culprit.function=", NULL, "calls of libraries" },
  /* Where a script runs, its interpreter's calls are left out, and their time is the script's. */
  { "interpreter", INTERPRETER "; frames.10.language=", "  60 %  50 %  is_prime|  97 %  10 % ▶compute_primes", NULL },
  { "script", INTERPRETER, "  97 %  60 % ▶compute_primes|(and 2 calls of the interpreter: --native)\n",
    "  is_prime         |  python3.11+0x" },
  { "script-native", INTERPRETER, "  60 %  50 %  is_prime", "--native", TRUE },
  /* glibc 2.41's steps into the kernel are the call's that makes them, as is their time. */
  { "folded", FOLDED, "  97 %  60 % ▶compute_primes", "__syscall_cancel|of the interpreter" },
  { "folded-native", FOLDED, "  60 %  50 %  __syscall_cancel_arch", NULL, TRUE },
  /* A function of the path has the line that the sentence has, not that of the sample. */
  { "one-line", "stacks.0=[11,9,8,7,6,5,4,3,2,1,0]; frames.11.offset=15140; frames.11.symbol_offset=100; "
    "frames.11.symbol=compute_primes; frames.11.file=demo.c; frames.11.line=125",
    "▶compute_primes                   demo.c:123\n", "demo.c:125" },
  /* What is no function's name has no parentheses. */
  { "description", "frames.10.symbol=handler of GtkButton::clicked on “Count”; frames.10.name_from=caller; "
    "culprit.function=handler of GtkButton::clicked on “Count”; culprit.line=0",
    "Main loop stalled for 1.24 s (hang): handler of GtkButton::clicked on “Count” in\njankwatch-demo was "
    "computing for 97 % of it", NULL },
  { "no-late-frames", "frame_clock.late_frames=[]", "Frames", "Late frames" },
};

static void
check_row (gconstpointer data)
{
  const Row *row = data;
  g_autoptr (JankReport) report = report_fixture_new_edited (row->edits);
  const JankTextStyle style = { .n_columns = 80, .native = row->native };
  g_autofree char *text = jank_text_report (report, &style);
  g_auto (GStrv) said = g_strsplit (jank_text_or_empty (row->said), "|", -1);
  g_auto (GStrv) not_said = g_strsplit (jank_text_or_empty (row->not_said), "|", -1);
  const char *rest = text;

  for (guint k = 0; said[k] != NULL; k++)
    if ((rest = strstr (rest, said[k])) == NULL)
      g_error ("no “%s” in:\n%s", said[k], text);
  for (guint k = 0; not_said[k] != NULL; k++)
    if (strstr (text, not_said[k]) != NULL)
      g_error ("“%s” in:\n%s", not_said[k], text);
}

/* Where the offset has no room beside the file's name, that stands once. */
TEST (narrow_offset)
{
  g_autoptr (JankReport) report = report_fixture_new_edited (LIBRARIES ("7,7,7"));
  g_autofree char *text = export (report, 60, FALSE, FALSE);

  g_assert_nonnull (strstr (text, "        +0x24cb10 "));
}

TEST (where)
{
  g_autoptr (JankReport) report = report_fixture_new_edited (FOLDED);
  g_autoptr (JankNamedStacks) names = jank_named_stacks_new (report);
  g_autofree char *where = jank_text_where (names, 0, NULL);

  g_assert_cmpstr (where, ==, "compute_primes");
}

/* GLib's functions are of use where GLib's loop is the program's own. */
TEST (advice)
{
#define SLEPT "culprit.function=on_button_clicked; frames.10.symbol=sleep; frames.10.language=; frames.10.module=5"
  g_autoptr (JankReport) glib = report_fixture_new_edited (SLEPT);
  g_autoptr (JankReport) qt =
      report_fixture_new_edited (SLEPT "; modules.1.path=/usr/lib/x86_64-linux-gnu/libQt6Core.so.6");
  g_autofree char *of_glib = jank_verdict_get_advice (glib), *of_qt = jank_verdict_get_advice (qt);

  g_assert_cmpstr (of_glib, ==, "g_timeout_add() does not block the main loop");
  g_assert_null (of_qt);
}

/* What is changed, the culprit in the sentence, and in a live line and in lists where that is another. */
TEST (culprits)
{
#define COLLECTED "frames.10.symbol=Python's garbage collector; frames.10.name_from=collector; culprit.function="
#define BEGUN COLLECTED "Python's garbage collector; repeats.count="
#define PAUSE "Python's garbage collector (1.20 s)"
  static const struct { const char *edits, *sentence, *culprit; } cases[] = {
    /* A garbage collection is nobody's fault, or that of the function that asked for it. */
    { BEGUN "1", PAUSE ", begun in on_button_clicked()", PAUSE ", begun in on_button_clicked()" },
    { BEGUN "3", PAUSE ", begun in on_button_clicked(); 3 such pauses in the session",
      PAUSE ", begun in on_button_clicked()" },
    { COLLECTED "on_button_clicked", NULL, PAUSE ", asked for by on_button_clicked()" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (JankReport) report = report_fixture_new_edited (cases[i].edits), gist = jank_live_gist_new (report);
      g_autofree char *culprit = jank_text_culprit (gist);
      g_autofree char *headline = g_strconcat ("Main loop stalled for 1.24 s (hang): ", cases[i].sentence, NULL);

      g_assert_cmpstr (culprit, ==, cases[i].culprit);
      if (cases[i].sentence != NULL)
        assert_headline (report, headline);
    }
}

/* The same words in the sentence, in what goes to another process, and in lists. */
TEST (creation)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);
  g_autofree char *listed = NULL;
  JankReportCall *call = g_ptr_array_index (report->calls, 10);

  jank_set_text (&call->symbol, "EditorPage.init");
  call->name_from = JANK_NAME_FROM_TYPE_SYSTEM;
  g_free (report->culprit.function);
  report->culprit.function = jank_report_call_to_text (report, 10);
  report->culprit.line = 0;
  jank_set_text (&report->culprit.callee, "FcConfigAppFontAddFile");
  report->culprit.callee_share = 0.52;
  assert_headline (report, "Main loop stalled for 1.24 s (hang): creating EditorPage: FcConfigAppFontAddFile() 52 %, "
                           "computing");
  listed = jank_report_name_culprit (report->culprit.function, report->culprit.callee, report->culprit.callee_share);
  g_assert_cmpstr (listed, ==, "creating EditorPage: FcConfigAppFontAddFile() 52 %");

  g_clear_pointer (&report->culprit.callee, g_free);
  assert_headline (report, "Main loop stalled for 1.24 s (hang): EditorPage.init() in jankwatch-demo was computing for "
                           "97 % of it");
}

TEST (bare)
{
  g_autoptr (JankReport) report = report_fixture_new_bare (ID);
  g_autofree char *text = export (report, 80, FALSE, FALSE);

  g_assert_nonnull (strstr (text, "without a name, process 4242\n"));
  g_assert_null (strstr (text, "Heaviest"));
  g_assert_null (strstr (text, "Timeline"));
  g_assert_null (strstr (text, "Frames"));
  g_assert_null (strstr (text, "Tag"));
}

static void
assert_frames (const JankReportFrameClock *frame_clock, const char *expected)
{
  g_autofree char *text = jank_text_frames (frame_clock);

  g_assert_cmpstr (text, ==, expected);
}

TEST (frames)
{
  g_autoptr (JankReportFrameClock) frame_clock = report_fixture_new_frame_clock ();
  JankFrameNumbers *numbers = &frame_clock->numbers;

  assert_frames (frame_clock, "1234 frames in 20.6 s of animation, 59.8 FPS at 60 Hz; 12 late (9 by the program), "
                              "31 dropped, hitch ratio 4.1 ms/s; animation error 1.2 ms; "
                              "2 frames discarded by the compositor");
  numbers->counts.animated = numbers->counts.unseen = 0;
  numbers->counts.active_ns = 61 * JANK_NS_PER_S;
  assert_frames (frame_clock, "1234 frames in 1 min 1 s of animation, 59.8 FPS at 60 Hz; 12 late (9 by the program), "
                              "31 dropped, hitch ratio 4.1 ms/s (good)");
  numbers->counts.active_ns = 20600 * JANK_NS_PER_MS;
  frame_clock->has_presentation = FALSE;
  numbers->refresh_assumed = TRUE;
  numbers->counts.late = 0;
  numbers->refresh_ns = 16683350;
  assert_frames (frame_clock, "1234 frames in 20.6 s of animation, 59.8 FPS at 59.9 Hz; none late; "
                              "refresh rate assumed; no presentation data");
  frame_clock->has_presentation = TRUE;
  numbers->refresh_assumed = FALSE;
  numbers->counts.active_ns = 400 * JANK_NS_PER_MS;
  numbers->fps = JANK_FRAME_NO_FPS;
  assert_frames (frame_clock, "1234 frames in 400 ms of animation; none late");
  numbers->counts.active_ns = 0;
  numbers->counts.frames = 1;
  assert_frames (frame_clock, "1 frame, at start-up");
  numbers->counts.frames = 4;
  assert_frames (frame_clock, "4 frames, no animation");
}

TEST (frame_over)
{
  static const struct { gint64 over_ms, busiest_ms; JankFramePhase busiest; const char *text; } cases[] = {
    { 8, 9, JANK_FRAME_LAYOUT, "on time with 8 ms less in layout" },
    { 8, 8, JANK_FRAME_BETWEEN, "on time with 8 ms less between frames" },
    { 12, 9, JANK_FRAME_LAYOUT, "on time with 12 ms less work" },
    { 0, 9, JANK_FRAME_LAYOUT, NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = jank_text_frame_over (cases[i].over_ms * JANK_NS_PER_MS,
                                                    cases[i].busiest_ms * JANK_NS_PER_MS,
                                                    cases[i].busiest);

      g_assert_cmpstr (text, ==, cases[i].text);
    }
}

TEST (ascii)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);
  g_autofree char *text = export (report, 80, FALSE, TRUE);

  g_assert_true (g_str_is_ascii (text));
  g_assert_nonnull (strstr (text, " >compute_primes"));
  g_assert_nonnull (strstr (text, "#######"));
}

static char *
strip_colors (const char *text)
{
  g_autoptr (GRegex) regex = g_regex_new ("\033\\[[0-9]+m", 0, 0, NULL);

  return g_regex_replace_literal (regex, text, -1, 0, "", 0, NULL);
}

TEST (color)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);
  g_autofree char *plain = export (report, 80, FALSE, FALSE);
  g_autofree char *colored = export (report, 80, TRUE, FALSE);
  g_autofree char *stripped = strip_colors (colored);

  g_assert_nonnull (strstr (colored, "\033[1mcompute_primes\033[0m"));
  g_assert_cmpstr (stripped, ==, plain);
}

TEST (columns)
{
  const JankTextStyle style = { .n_columns = 80 };
  g_autoptr (GString) out = g_string_new (NULL);

  jank_text_append_left (out, &style, "卡顿监控", 6, NULL);
  g_string_append_c (out, '|');
  jank_text_append_right (out, &style, "ab", 4, NULL);
  g_string_append_c (out, '|');
  jank_text_append_bar (out, &style, 0.0001, 3, NULL);
  g_string_append_c (out, '|');
  g_assert_cmpstr (out->str, ==, "卡顿… |  ab|▏  |");
}

/* Chinese has no spaces; a line must not begin with what closes a sentence. */
TEST (wrapped)
{
  const JankTextStyle style = { .n_columns = 24 };
  g_autoptr (GString) out = g_string_new (NULL);
  g_auto (GStrv) lines = NULL;

  jank_text_append_wrapped (out, &style, "主循环忙碌超过一百毫秒时，每隔十毫秒读取一次 main() 的调用栈。", 4, 2, NULL);
  lines = g_strsplit (out->str, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 4);
  for (guint i = 0; i < 3; i++)
    {
      g_assert_cmpuint (jank_text_width (lines[i]) + (i == 0 ? 4 : 0), <=, 24);
      g_assert_cmpuint (jank_text_width (lines[i]) + (i == 0 ? 4 : 0), >=, i < 2 ? 18 : 1);
      g_assert_true (i == 0 || g_str_has_prefix (lines[i], "  "));
      g_assert_false (i > 0 && (g_str_has_prefix (lines[i] + 2, "，") || g_str_has_prefix (lines[i] + 2, "。")));
    }
}

/* As GDateTime has it, also beside changes of the clock and where no calendar goes. */
TEST (times)
{
  static const gint64 moments_s[] = {
    0, 1, -1, 951782399, 951782400, 1772953199, 1772953200, 1793509199, 1793509200, 4107542400, 13574563200,
    -62135596801, -62135596800, -62135583000, -2208988800, 253402300799, 253402288200, 253402300800, 9000000000000,
  };

  for (guint i = 0; i < G_N_ELEMENTS (moments_s); i++)
    {
      g_autoptr (GDateTime) utc = g_date_time_new_from_unix_utc (moments_s[i]);
      g_autoptr (GDateTime) local = utc != NULL ? g_date_time_to_timezone (utc, jank_json_time_zone ()) : NULL;
      g_autofree char *expected = local != NULL ? g_date_time_format (local, "%Y-%m-%d %H:%M:%S") : g_strdup ("?");
      g_autofree char *text = jank_text_time (moments_s[i] * G_USEC_PER_SEC + (moments_s[i] > 0 ? 999999 : 0));

      /* Whether a year has four digits is the C library's affair. */
      g_assert_cmpint (strlen (text), ==, *expected == '?' ? 1 : strlen ("2026-11-21 15:30:12"));
      g_assert_cmpint (atoi (text), ==, atoi (expected));
      g_assert_cmpstr (strchr (text, '-'), ==, strchr (expected, '-'));
    }
}

static char *
left (const char *text, guint n_columns)
{
  GString *out = g_string_new (NULL);

  jank_text_append_left (out, &(JankTextStyle) { .n_columns = 80 }, text, n_columns, NULL);
  return g_string_free (out, FALSE);
}

/* Of programs' names the end tells. */
TEST (cut_names)
{
  const struct { const char *text; guint n_columns; const char *shown; } cases[] = {
    { "org.gnome.TextEditor", 20, "org.gnome.TextEditor" }, { "org.gnome.TextEditor", 17, "…gnome.TextEditor" },
    { "org.gnome.TextEditor", 16, "…TextEditor     " },     { "org.gnome.TextEditor", 8, "TextEdi…" },
    { "org.gnome.TextEditor", 1, "…" },                     { "gnome-text-editor", 8, "gnome-t…" },
    { "libc.so.6+0x1234", 8, "libc.so…" },                   { "org.gnome is waiting", 8, "org.gno…" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *shown = left (cases[i].text, cases[i].n_columns);

      g_assert_cmpstr (shown, ==, cases[i].shown);
    }
}

TESTS_AND_ROWS ("/text/report", rows, check_row)
