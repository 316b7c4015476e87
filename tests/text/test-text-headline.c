/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sentence that a developer acts on. */

#include <string.h>

#include "headline.h"

TEST (computing)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);

  assert_headline (report, "Main loop stalled for 1.24 s (hang): compute_primes() (demo.c:123) was computing for "
                           "97 % of it");
  report->kind = JANK_REPORT_STARTUP;
  assert_headline (report, "Start-up kept the main loop for 1.24 s (hang): compute_primes() (demo.c:123) was "
                           "computing for 97 % of it");
}

/* A late answer, what was dispatched meanwhile, and what was before. */
TEST (late_answer)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);
  g_autofree char *before = jank_text_before (report);

  g_assert_true (g_str_has_prefix (before,
                                   "2.00 s earlier: a turn of 48 ms for on_button_clicked(); 900 ms earlier: "));
  report->kind = JANK_REPORT_INPUT;
  report->stall.duration_ns = 430 * JANK_NS_PER_MS;
  report->interaction.waited_ns = 430 * JANK_NS_PER_MS;
  assert_headline (report, "Your click on “Primes of alice” waited 430 ms: 6 × on_button_clicked() 310 ms");
  report->stall.duration_ns = JANK_NS_PER_S;
  assert_headline (report, "Your click on “Primes of alice” waited 430 ms: compute_primes() (demo.c:123) was "
                           "computing for 97 % of it");
}

/* Whoever waited, the machine kept the program from its CPU, if nobody is known to have done anything. */
static void
assert_nobody_seen (JankReport *report, const char *what)
{
  g_autofree char *with_machine = g_strconcat (what, ": the machine was overloaded: the program was ready to run but "
                                               "had no CPU for 30 % of the stall", NULL);

  report->stall.state_ns[JANK_STATE_PREEMPTED] = 69 * JANK_NS_PER_MS;
  assert_headline (report, with_machine);
  report->stall.state_ns[JANK_STATE_COMPUTING] = 70 * JANK_NS_PER_MS;
  assert_headline (report, what);
  report->stall.state_ns[JANK_STATE_COMPUTING] = 0;
  report->stall.state_ns[JANK_STATE_PREEMPTED] = 0;
  report->stall.watcher_late_ns = 69 * JANK_NS_PER_MS;
  assert_headline (report, with_machine);
  report->stall.watcher_late_ns = 57 * JANK_NS_PER_MS;
  assert_headline (report, what);
  report->stall.watcher_late_ns = 0;
}

TEST (nobody_seen)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);

  g_ptr_array_set_size (report->contributors, 0);
  g_ptr_array_set_size (report->samples, 0);
  g_array_set_size (report->heaviest.path, 0);
  g_clear_pointer (&report->culprit.function, g_free);
  report->self.samples = report->self.lost_samples = report->self.starved = 0;
  report->stall.duration_ns = report->interaction.waited_ns = 230 * JANK_NS_PER_MS;
  memset (report->stall.state_ns, 0, sizeof report->stall.state_ns);
  report->stall.watcher_late_ns = 0;
  report->kind = JANK_REPORT_INPUT;
  assert_nobody_seen (report, "Your click on “Primes of alice” waited 230 ms");
  report->kind = JANK_REPORT_FRAME;
  report->stall.n_turns = 0;
  report->stall.fps = 0.0;
  assert_nobody_seen (report, "No frame for 230 ms");
}

/* Of many small works that kept a frame none is the one to blame. */
TEST (starved_by_many)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);
  JankReportSource *first = g_ptr_array_index (report->contributors, 0);

  report->kind = JANK_REPORT_FRAME;
  report->stall.fps = 0.0;
  report->stall.n_turns = 60;
  report->stall.duration_ns = 700 * JANK_NS_PER_MS;
  g_ptr_array_set_size (report->contributors, 1);
  for (guint i = 0; i < 5; i++)
    {
      JankReportSource *source = jank_report_source_new ();

      source->name = g_strdup_printf ("row %u", i);
      source->count = 12;
      source->total_ns = 80 * JANK_NS_PER_MS;
      g_ptr_array_add (report->contributors, source);
    }
  first->total_ns = 90 * JANK_NS_PER_MS;
  assert_headline (report, "No frame for 700 ms while the main loop turned 60 times, above all for on_button_clicked "
                           "(priority 0): 6 × on_button_clicked() 90 ms, 12 × row 0 80 ms, 12 × row 1 80 ms, others "
                           "240 ms");
  first->total_ns = 400 * JANK_NS_PER_MS;
  assert_headline (report, "No frame for 700 ms while the main loop turned 60 times, above all for on_button_clicked "
                           "(priority 0): compute_primes() (demo.c:123) was computing for 97 % of it");
}

TEST (blocked)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);

  /* Of the samples, only the wait has this function on its stack and not compute_primes(). */
  for (guint i = 0; i < 5; i++)
    ((JankReportSample *) report->samples->pdata[i])->stack = JANK_REPORT_NO_INDEX;
  jank_set_text (&report->culprit.function, "on_button_clicked");
  report->culprit.line = 0;
  assert_headline (report, "Main loop stalled for 1.24 s (hang): on_button_clicked() in jankwatch-demo was sleeping "
                           "for 99 % of it");
}

TEST (without_name)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);

  /* The program's own, without a step of the path. */
  jank_set_text (&report->culprit.function, "jankwatch-demo+0x1234");
  assert_headline (report, "Main loop stalled for 1.24 s (hang): jankwatch-demo+0x1234 was computing for 95 % of it");
  jank_set_text (&report->culprit.function, "libgtk-4.so.1.800.3+0x24cb10");
  jank_set_text (&report->culprit.module, "/usr/lib/x86_64-linux-gnu/libgtk-4.so.1.800.3");
  assert_headline (report, "Main loop stalled for 1.24 s (hang): libgtk-4.so.1.800.3+0x24cb10, from GDK X11 Event "
                           "source (:99), was computing for 98 % of it");
}

TEST (outcomes)
{
  g_autoptr (JankReport) report = report_fixture_new_bare (ID);

  assert_headline (report, "Main loop stalled for 1.24 s (hang); no stack could be read");
  report->stall.outcome = JANK_OUTCOME_ONGOING;
  assert_headline (report, "Main loop has been stalled for 1.24 s so far (hang); no stack could be read");
  report->stall.outcome = JANK_OUTCOME_EXITED;
  assert_headline (report, "Main loop stalled for 1.24 s (hang) until the program ended itself; "
                           "no stack could be read");
  report->stall.outcome = JANK_OUTCOME_KILLED;
  assert_headline (report, "Main loop stalled for at least 1.24 s (hang) until the program was killed or crashed; "
                           "no stack could be read");
}

static void
add_branch (JankReport *report, gint call, gint from, double share)
{
  const JankReportBranch branch = { { call, share, 0 }, from, (gint64) (share * 1000) * JANK_NS_PER_MS };

  g_array_append_val (report->heaviest.branches, branch);
}

/* The fixture's path ends in its culprit, compute_primes(), and 8 is g_signal_emit(). */
TEST (branches)
{
  g_autoptr (JankReport) report = new_report (JANK_STATE_COMPUTING, NULL);
  const gint last = (gint) report->heaviest.path->len - 1;
  JankReportBranch *first;

  g_array_set_size (report->heaviest.branches, 0);
  add_branch (report, 11, last, 0.41);
  assert_headline (report, WHAT WHO "was computing for 97 % of it");
  add_branch (report, 12, last, 0.48);
  add_branch (report, 12, last + 1, 0.39);
  assert_headline (report, WHAT WHO "was computing for 97 % of it; clock_nanosleep() took 48 %, is_prime() 41 %");
  first = &g_array_index (report->heaviest.branches, JankReportBranch, 0);
  first->from = 8;
  assert_headline (report, WHAT WHO "was computing for 97 % of it");
}

TEST (states)
{
  g_autoptr (JankReport) faults = new_report (JANK_STATE_PAGE_FAULT, NULL);
  g_autoptr (JankReport) preempted = new_report (JANK_STATE_PREEMPTED, NULL);
  g_autoptr (JankReport) unknown = new_report (JANK_STATE_UNKNOWN, NULL);

  assert_headline (faults, WHAT WHO "was waiting for memory from disk for 97 % of it");
  assert_headline (preempted, WHAT WHO "had no CPU for 97 % of it");
  assert_headline (unknown, WHAT WHO "was running for 97 % of it");
}

/* Inside one system call, on a CPU. */
TEST (kernel)
{
  g_autoptr (JankReport) report = new_report (JANK_STATE_COMPUTING, NULL);
  JankReportSample *longest = report->samples->pdata[1];

  longest->kernel = g_strdup ("munmap");
  assert_headline (report, WHAT WHO "was computing for 97 % of it");
  for (guint i = 2; i < report->samples->len; i++)
    ((JankReportSample *) report->samples->pdata[i])->kernel = g_strdup ("unknown");
  assert_headline (report, WHAT WHO "was computing in the kernel for 97 % of it");
  longest->weight_ns *= 3;
  assert_headline (report, WHAT WHO "was computing in the kernel (munmap) for 97 % of it");
  jank_set_text (&longest->kernel, "unknown");
  assert_headline (report, WHAT WHO "was computing in the kernel for 97 % of it");
}

TEST (starved)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);

  report->stall.state_ns[JANK_STATE_COMPUTING] = 400 * JANK_NS_PER_MS;
  report->stall.state_ns[JANK_STATE_PREEMPTED] = 806 * JANK_NS_PER_MS;
  assert_headline (report, WHAT "the machine was overloaded: the program was ready to run but had no CPU for 65 % of "
                                "the stall; 97 % of its stacks are in compute_primes() (demo.c:123)");

  /* The watcher was late, and nobody knows what the thread did. */
  memset (report->stall.state_ns, 0, sizeof report->stall.state_ns);
  report->stall.watcher_late_ns = 1116 * JANK_NS_PER_MS;
  assert_headline (report, WHAT "the machine was overloaded: the program was ready to run but had no CPU for 90 % of "
                                "the stall; 97 % of its stacks are in compute_primes() (demo.c:123)");

  /* It was late, but the thread did compute. */
  report->stall.state_ns[JANK_STATE_COMPUTING] = 1210 * JANK_NS_PER_MS;
  assert_headline (report, WHAT WHO "was computing for 97 % of it");
}

TEST (spin)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);

  report->kind = JANK_REPORT_SPIN;
  report->stall.duration_ns = 3200 * JANK_NS_PER_MS;
  report->stall.n_turns = 154282;
  jank_set_text (&report->source.name, "my idle");
  assert_headline (report, "Main loop turned 48213 times a second for 3.20 s without waiting: it kept dispatching "
                           "on_button_clicked(), from ‘my idle’");
  report->source.name[0] = '\0';
  assert_headline (report, "Main loop turned 48213 times a second for 3.20 s without waiting: it kept dispatching "
                           "on_button_clicked()");
  jank_set_text (&report->culprit.function, "on_button_clicked");
  report->culprit.line = 17;
  assert_headline (report, "Main loop turned 48213 times a second for 3.20 s without waiting: it kept dispatching "
                           "on_button_clicked() (demo.c:17)");
  report->source.callback = JANK_REPORT_NO_INDEX;
  report->stall.outcome = JANK_OUTCOME_ONGOING;
  assert_headline (report, "Main loop has been turning 48213 times a second for 3.20 s without waiting: "
                           "on_button_clicked() (demo.c:17) turned it itself");
  report->source.name[0] = 'm';
  g_clear_pointer (&report->culprit.function, g_free);
  assert_headline (report, "Main loop has been turning 48213 times a second for 3.20 s without waiting: it kept "
                           "dispatching ‘my idle’");
}

TEST (cpu)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);
  g_autofree char *expected = NULL, *many = NULL;
  JankReportThread *thread;

  report->kind = JANK_REPORT_CPU;
  report->stall.cpu_ns = 2 * report->stall.duration_ns;
  for (guint i = 0; i < report->threads->len; i++)
    ((JankReportThread *) report->threads->pdata[i])->stall_cpu_ns = -1;
  assert_headline (report, "Program used 200 % of a CPU for 1.24 s: " WHO "was computing for 97 % of it");

  /* That the watcher had no CPU does not take the blame off the program. */
  report->stall.watcher_late_ns = report->stall.duration_ns;
  memset (report->stall.state_ns, 0, sizeof report->stall.state_ns);
  thread = report->threads->pdata[1];
  thread->stall_cpu_ns = report->stall.duration_ns;
  expected = g_strdup_printf ("Program used 200 %% of a CPU for 1.24 s, most of it in thread %d “%s”: " WHO
                              "was computing for 97 %% of it", thread->tid, thread->name);
  assert_headline (report, expected);

  thread->stall_cpu_ns -= 1;
  many = g_strdup_printf ("Program used 200 %% of a CPU for 1.24 s, more in thread %d “%s” than in any other: " WHO
                          "was computing for 97 %% of it", thread->tid, thread->name);
  assert_headline (report, many);

  /* None stands out. */
  thread->stall_cpu_ns = report->stall.cpu_ns / 4 - 1;
  assert_headline (report, "Program used 200 % of a CPU for 1.24 s: " WHO "was computing for 97 % of it");
}

/* Frames that are missing are no stall of the loop. */
TEST (frame)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);
  JankReportCall *callback;
  g_autoptr (JankReport) bare = report_fixture_new_bare (ID);

  report->kind = JANK_REPORT_FRAME;
  bare->kind = JANK_REPORT_FRAME;
  bare->stall.duration_ns = JANK_NS_PER_S;
  assert_headline (report, "Only 43.5 frames a second in 1.24 s: " WHO "was computing for 97 % of it");
  report->stall.fps = 0;
  report->stall.n_turns = 631;
  assert_headline (report, "No frame for 1.24 s while the main loop turned 631 times, above all for on_button_clicked "
                           "(priority 0): " WHO "was computing for 97 % of it");
  /* Code that an interpreter has made: its address tells nobody anything. */
  callback = g_ptr_array_index (report->calls, report->source.callback);
  g_clear_pointer (&callback->symbol, g_free);
  callback->module = JANK_REPORT_NO_INDEX;
  assert_headline (report, "No frame for 1.24 s while the main loop turned 631 times, above all for GDK X11 Event "
                           "source (:99) (priority 0): " WHO "was computing for 97 % of it");
  report->stall.n_turns = 0;
  assert_headline (report, "No frame for 1.24 s: " WHO "was computing for 97 % of it");
  bare->stall.fps = 51.25;
  assert_headline (bare, "Only 51.2 frames a second in 1.00 s");
}

/* Names for people; what a compiler made of them is for the JSON. */
TEST (encoded_names)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);
  g_autoptr (JankReport) spin = report_fixture_new (ID);
  guint step = (guint) jank_report_find_culprit_step (report);
  JankReportCall *culprit = report->calls->pdata[g_array_index (report->heaviest.path, JankReportStep, step).call];
  JankReportCall *callback = spin->calls->pdata[spin->source.callback];

  jank_set_text (&culprit->symbol, "_ZN6Canvas4drawERKN3Gdk9RectangleE");
  jank_set_text (&report->culprit.function, culprit->symbol);
  assert_headline (report, WHAT "Canvas::draw() (demo.c:123) was computing for 97 % of it");

  spin->kind = JANK_REPORT_SPIN;
  spin->stall.n_turns = 10000;
  jank_set_text (&callback->symbol, "_ZZN3App3runEvENUlPvE_4_FUNES0_");
  assert_headline (spin, "Main loop turned 8064 times a second for 1.24 s without waiting: it kept dispatching "
                         "App::run::{lambda}::_FUN(), from ‘GDK X11 Event source (:99)’");
}

/* A long path keeps its end. */
TEST (paths)
{
  g_autofree char *cut = jank_text_short_path ("/home/somebody/.local/share/a-rather-long-folder/"
                                                   "thumbnails/large/thumbs.db");
  g_autofree char *one = jank_text_short_path ("/a-file-name-that-is-longer-than-any-line-would-have-room-for.db");
  g_autofree char *whole = jank_text_short_path ("/home/somebody/thumbs.db");
  g_autofree char *relative = jank_text_short_path ("../../somebody/src/a-rather-long-folder/cli/demo/stall.c");
  g_autofree char *method = jank_text_short_path ("org.example.Application.Printers.ListAllOfThemAtOnce");

  g_assert_cmpstr (cut, ==, "…/thumbnails/large/thumbs.db");
  g_assert_cmpstr (one, ==, "…/a-file-name-that-is-longer-than-any-line-would-have-room-for.db");
  g_assert_cmpstr (whole, ==, "/home/somebody/thumbs.db");
  g_assert_cmpstr (relative, ==, "…/src/a-rather-long-folder/cli/demo/stall.c");
  g_assert_cmpstr (method, ==, "org.example.Application.Printers.ListAllOfThemA…");
}

/* Whoever is to blame, and whether or not it has a name. */
TEST (interaction)
{
  static const struct { JankInteractionKind kind; const char *widget, *label, *expected; } interactions[] = {
    { JANK_INTERACTION_NONE, "GtkButton", "Open", NULL },
    { JANK_INTERACTION_PRESS, "GtkButton", "Open", "Your click on “Open” waited 430 ms for compute_primes()" },
    { JANK_INTERACTION_RELEASE, "GtkButton", NULL, "Your click on GtkButton waited 430 ms for compute_primes()" },
    { JANK_INTERACTION_PRESS, NULL, NULL, "Your click waited 430 ms for compute_primes()" },
    { JANK_INTERACTION_KEY, "GtkTextView", NULL, "Your key press in GtkTextView waited 430 ms for compute_primes()" },
    { JANK_INTERACTION_KEY, NULL, NULL, "Your key press waited 430 ms for compute_primes()" },
    { JANK_INTERACTION_SCROLL, NULL, NULL, "Your scrolling waited 430 ms for compute_primes()" },
    { JANK_INTERACTION_TOUCH, "GtkButton", "Open", "Your touch on “Open” waited 430 ms for compute_primes()" },
  };
  g_autoptr (JankReport) report = report_fixture_new (ID);
  g_autofree char *overloaded = NULL, *nobody = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (interactions); i++)
    {
      g_autofree char *sentence = NULL;

      g_free (report->interaction.widget);
      g_free (report->interaction.label);
      report->interaction.kind = interactions[i].kind;
      report->interaction.waited_ns = 430 * JANK_NS_PER_MS;
      report->interaction.widget = g_strdup (interactions[i].widget);
      report->interaction.label = g_strdup (interactions[i].label);
      sentence = jank_text_interaction (report);
      g_assert_cmpstr (sentence, ==, interactions[i].expected);
    }
  /* It waited for the machine. */
  report->stall.state_ns[JANK_STATE_PREEMPTED] = report->stall.duration_ns;
  overloaded = jank_text_interaction (report);
  g_assert_cmpstr (overloaded, ==, "Your touch on “Open” waited 430 ms");
  report->stall.state_ns[JANK_STATE_PREEMPTED] = 0;
  g_clear_pointer (&report->culprit.function, g_free);
  nobody = jank_text_interaction (report);
  g_assert_cmpstr (nobody, ==, "Your touch on “Open” waited 430 ms");
}

static void
assert_inputs (const JankReportInputs *inputs, const char *expected)
{
  g_autofree char *text = jank_text_inputs (inputs);

  g_assert_cmpstr (text, ==, expected);
}

/* A click is a press and a release. */
TEST (inputs)
{
  g_auto (JankReportInputs) inputs = {
    .answered = { .n = 83, .p98_ns = 501 * JANK_NS_PER_MS, .longest_ns = 612 * JANK_NS_PER_MS },
    .n_of = { [JANK_INTERACTION_PRESS] = 12, [JANK_INTERACTION_RELEASE] = 11, [JANK_INTERACTION_KEY] = 29 },
    .band = jank_input_band (501 * JANK_NS_PER_MS),
    .longest = { .kind = JANK_INTERACTION_RELEASE, .widget = g_strdup ("GtkButton"), .label = g_strdup ("Open") },
  };

  assert_inputs (&inputs, "41 clicks and keys: p98 501 ms (poor), worst 612 ms on “Open”");
  g_clear_pointer (&inputs.longest.label, g_free);
  inputs.n_of[JANK_INTERACTION_SCROLL] = 30;
  inputs.band = jank_input_band (500 * JANK_NS_PER_MS);
  assert_inputs (&inputs, "41 clicks and keys, 30 steps of scrolling: p98 501 ms (fair), worst 612 ms on GtkButton");
  g_clear_pointer (&inputs.longest.widget, g_free);
  memset (inputs.n_of, 0, sizeof inputs.n_of);
  inputs.n_of[JANK_INTERACTION_TOUCH] = 1;
  inputs.band = jank_input_band (200 * JANK_NS_PER_MS);
  inputs.answered.n = 19;
  assert_inputs (&inputs, "1 click or key: worst 612 ms (good)");
}

TESTS ("/text/headline")
