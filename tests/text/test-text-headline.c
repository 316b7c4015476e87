/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sentence that a developer acts on: what is changed in the handmade report, and what is said then. Waits:
 * test-text-waits. */

#include <string.h>

#include "headline.h"

#define WALKS "the main loop goes through all of its sources in each turn"
#define INPUT "kind=input; stall.duration_ns=430ms; interaction.waited_ns=430ms"
#define CLICK "Your click on “Primes of alice” waited "
#define COMPUTING "was computing for 97 % of it"
#define NO_STACK "; its stacks could not be read"
/* The fixture's path ends in its culprit, compute_primes(), which is step 10; step 8 is g_signal_emit(). */
#define BRANCH(call, from, percent) \
  "heaviest.branches.+={\"frame\":" #call ",\"from\":" #from ",\"share\":0." #percent \
  ",\"time_ns\":" #percent "0000000}"
#define BRANCHES_FROM(from) \
  ALL ("computing") "; heaviest.branches=[]; " BRANCH (11, from, 41) "; " BRANCH (12, 10, 48) "; " \
  BRANCH (12, 11, 39)
#define KERNEL(longest) ALL ("computing") "; samples.1.kernel=" longest
#define REST_IN_KERNEL \
  "; samples.2.kernel=unknown; samples.3.kernel=unknown; samples.4.kernel=unknown; samples.5.kernel=unknown"
#define SPIN "kind=spin; stall.duration_ns=3200ms; stall.turns=154282; source.name=my idle"
#define TURNED "Main loop iterated 48213 times a second for 3.20 s without waiting: "
#define TURNING "Main loop has been iterating 48213 times a second for 3.20 s without waiting: "
#define CPU(second_ns) \
  "kind=cpu; stall.cpu_ns=2480ms; threads.*.stall_cpu_ns=; stall.watcher_late_ns=1240ms; " NO_STATES \
  "; threads.1.stall_cpu_ns=" #second_ns
#define USED "Program used 200 % of a CPU for 1.24 s"
#define FRAMES(fps, turns) "kind=frame; stall.fps=" #fps "; stall.turns=" #turns
#define MANY_ROWS(first) \
  FRAMES (0, 60) "; stall.duration_ns=700ms; contributors.0.total_ns=" first "; " \
  ROW ("0") "; " ROW ("1") "; " ROW ("2") "; " ROW ("3") "; " ROW ("4")
#define ROW(n) "contributors.+={\"name\":\"row " n "\",\"count\":12,\"total_ns\":80000000}"
#define NO_FRAME(turns) "No frame for 1.24 s while the main loop iterated " #turns " times, mostly for "

static const HeadlineRow rows[] = {
  { "computing", "", WHAT WHO COMPUTING },
  { "start-up", "kind=startup", "Start-up took 1.24 s before the main loop ran (hang): " WHO COMPUTING },
  /* A late answer, and what was dispatched meanwhile. */
  { "late-answer", INPUT, CLICK "430 ms: 6 × on_button_clicked() 310 ms" },
  { "late-answer-of-one", INPUT "; stall.duration_ns=1000ms", CLICK "430 ms: " WHO COMPUTING },
  /* Of many small works that kept a frame none is the one to blame. */
  { "starved-by-many", MANY_ROWS ("90ms"),
    "No frame for 700 ms while the main loop iterated 60 times, mostly for on_button_clicked (priority 0): 6 × "
    "on_button_clicked() 90 ms, 12 × row 0 80 ms, 12 × row 1 80 ms, others 240 ms" },
  { "starved-by-one", MANY_ROWS ("400ms"),
    "No frame for 700 ms while the main loop iterated 60 times, mostly for on_button_clicked (priority 0): "
    WHO COMPUTING },
  /* Of the samples, only the wait has this function on its stack and not compute_primes(). */
  { "blocked", "samples.0.stack=; samples.1.stack=; samples.2.stack=; samples.3.stack=; samples.4.stack=; "
    "culprit.function=on_button_clicked; culprit.line=0",
    WHAT "on_button_clicked() in jankwatch-demo was sleeping for 99 % of it" },
  /* The program's own, without a step of the path. */
  { "without-name", "culprit.function=jankwatch-demo+0x1234",
    WHAT "jankwatch-demo+0x1234 was computing for 95 % of it" },
  { "without-name-of-platform", "culprit.function=libgtk-4.so.1.800.3+0x24cb10; "
    "culprit.module=/usr/lib/x86_64-linux-gnu/libgtk-4.so.1.800.3",
    WHAT "libgtk-4.so.1.800.3+0x24cb10, from ‘GDK X11 Event source (:99)’, was computing for 98 % of it" },
  { "branches", BRANCHES_FROM (10), WHAT WHO COMPUTING "; clock_nanosleep() took 48 %, is_prime() 41 %" },
  { "page-faults", ALL ("page-fault"), WHAT WHO "was waiting for memory from disk for 97 % of it" },
  { "unknown-state", ALL (""), WHAT WHO "was running for 97 % of it" },
  /* Inside one system call, on a CPU. */
  { "kernel-named", KERNEL ("munmap") REST_IN_KERNEL "; samples.1.weight_ns=1200ms",
    WHAT WHO "was computing in the kernel (munmap) for 97 % of it" },
  { "starved", "stall.preempted_ns=806ms",
    WHAT "compute_primes() (demo.c:123), computing, in 97 % of the stacks; the machine was "
    "busy: no CPU for 65 % of it" },
  /* What GTK put off, and what ran before. */
  { "put-off", ALL ("computing") "; after=9; culprit.function=slot GtkLabel.measure; culprit.line=0"
    "; culprit.module=/usr/lib/libgtk-4.so.1",
    WHAT "GtkLabel.measure() in libgtk-4.so.1, from ‘GDK X11 Event source (:99)’, was computing for 97 % of it; "
    "probably caused by on_button_clicked(), which ran just before" },
  { "walk", ALL ("computing") "; culprit.function=g_main_context_check; culprit.line=0; culprit.module=libglib-2.so",
    WHAT "g_main_context_check() in libglib-2.so was computing for 97 % of it; " WALKS },
  { "walk-starved", "stall.preempted_ns=806ms; culprit.function=g_main_context_prepare; culprit.line=0",
    WHAT "g_main_context_prepare() in jankwatch-demo, computing, in 97 % of the stacks; " WALKS "; the machine was "
    "busy: no CPU for 65 % of it" },
  { "spin", SPIN, TURNED "it dispatched on_button_clicked(), from ‘my idle’ over and over" },
  { "spin-with-line", SPIN "; source.name=; culprit.function=on_button_clicked; culprit.line=17",
    TURNED "it dispatched on_button_clicked() (demo.c:17) over and over" },
  { "spin-turned", SPIN "; source.name=; culprit.function=on_button_clicked; culprit.line=17; source.callback=; "
    "stall.outcome=ongoing", TURNING "on_button_clicked() (demo.c:17) iterated the loop itself" },
  { "spin-of-nobody", SPIN "; culprit.function=; source.callback=; stall.outcome=ongoing",
    TURNING "it dispatched ‘my idle’ over and over" },
  { "cpu", "kind=cpu; stall.cpu_ns=2480ms; threads.*.stall_cpu_ns=", USED ": " WHO COMPUTING },
  /* That the watcher had no CPU does not take the blame off the program. */
  { "cpu-of-a-thread", CPU (1240000000), USED ", most of it in thread 4245 “thumbnailer”: " WHO COMPUTING },
  { "cpu-more-than-others", CPU (1239999999),
    USED ", more in thread 4245 “thumbnailer” than in any other: " WHO COMPUTING },
  { "cpu-of-all", CPU (619999999), USED ": " WHO COMPUTING },
  /* Frames that are missing are no stall of the loop. */
  { "few-frames", "kind=frame", "Only 43.5 frames per second in 1.24 s: " WHO COMPUTING },
  { "no-frame-in-turns", FRAMES (0, 631), NO_FRAME (631) "on_button_clicked (priority 0): " WHO COMPUTING },
  /* Code that an interpreter has made: its address tells nobody anything. */
  { "no-frame-of-code", FRAMES (0, 631) "; frames.9.symbol=; frames.9.module=",
    NO_FRAME (631) "GDK X11 Event source (:99) (priority 0): " WHO COMPUTING },
  { "no-frame", FRAMES (0, 0), "No frame for 1.24 s: " WHO COMPUTING },
  /* Names for people; what a compiler made of them is for the JSON. */
  { "encoded", "frames.10.symbol=_ZN6Canvas4drawERKN3Gdk9RectangleE; "
    "culprit.function=_ZN6Canvas4drawERKN3Gdk9RectangleE", WHAT "Canvas::draw() (demo.c:123) " COMPUTING },
  { "encoded-spin", "kind=spin; stall.turns=10000; frames.9.symbol=_ZZN3App3runEvENUlPvE_4_FUNES0_",
    "Main loop iterated 8064 times a second for 1.24 s without waiting: it dispatched "
    "App::run::{lambda}::_FUN(), from ‘GDK X11 Event source (:99)’ over and over" },
}, bare_rows[] = {
  { "recovered", "", "Main loop stalled for 1.24 s (hang)" NO_STACK },
  { "ongoing", "stall.outcome=ongoing", "Main loop has been stalled for 1.24 s so far (hang)" NO_STACK },
  { "exited", "stall.outcome=exited", "Main loop stalled for 1.24 s (hang) until the program ended itself" NO_STACK },
  { "killed", "stall.outcome=killed",
    "Main loop stalled for at least 1.24 s (hang) until the program was killed or crashed" NO_STACK },
  { "few-frames-of-nobody", FRAMES (51.25, 0) "; stall.duration_ns=1000ms", "Only 51.2 frames per second in 1.00 s" },
};

TEST (before)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);
  g_autofree char *before = jank_text_before (report);

  g_assert_true (g_str_has_prefix (before,
                                   "2.00 s earlier: a turn of 48 ms for on_button_clicked(); 900 ms earlier: "));
}

/* A long path keeps its end. */
TEST (paths)
{
  static const struct { const char *path, *shown; } cases[] = {
    { "/home/somebody/.local/share/a-rather-long-folder/thumbnails/large/thumbs.db", "…/thumbnails/large/thumbs.db" },
    { "/a-file-name-that-is-longer-than-any-line-would-have-room-for.db",
      "…/a-file-name-that-is-longer-than-any-line-would-have-room-for.db" },
    { "/home/somebody/thumbs.db", "/home/somebody/thumbs.db" },
    { "../../somebody/src/a-rather-long-folder/cli/demo/stall.c", "…/src/a-rather-long-folder/cli/demo/stall.c" },
    { "org.example.Application.Printers.ListAllOfThemAtOnce", "org.example.Application.Printers.ListAllOfThemA…" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *shown = jank_text_short_path (cases[i].path);

      g_assert_cmpstr (shown, ==, cases[i].shown);
    }
}

/* Whoever is to blame, and whether or not it has a name. */
TEST (interaction)
{
#define DEED(kind, widget, label) \
  "interaction.waited_ns=430ms; interaction.kind=" kind "; interaction.widget=" widget "; interaction.label=" label
  static const struct { const char *edits, *expected; } cases[] = {
    { DEED ("", "GtkButton", "Open"), NULL },
    { DEED ("press", "GtkButton", "Open"), "Your click on “Open” waited 430 ms for compute_primes()" },
    { DEED ("release", "GtkButton", ""), "Your click on GtkButton waited 430 ms for compute_primes()" },
    { DEED ("press", "", ""), "Your click waited 430 ms for compute_primes()" },
    { DEED ("key", "GtkTextView", ""), "Your key press in GtkTextView waited 430 ms for compute_primes()" },
    { DEED ("key", "", ""), "Your key press waited 430 ms for compute_primes()" },
    { DEED ("scroll", "", ""), "Your scrolling waited 430 ms for compute_primes()" },
    { DEED ("touch", "GtkButton", "Open"), "Your touch on “Open” waited 430 ms for compute_primes()" },
    /* It waited for the machine, or nobody knows. */
    { DEED ("touch", "GtkButton", "Open") "; stall.preempted_ns=1240ms", "Your touch on “Open” waited 430 ms" },
    { DEED ("touch", "GtkButton", "Open") "; culprit.function=", "Your touch on “Open” waited 430 ms" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (JankReport) report = report_fixture_new_edited (cases[i].edits);
      g_autofree char *sentence = jank_text_interaction (report);

      g_assert_cmpstr (sentence, ==, cases[i].expected);
    }
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

static void
add (void)
{
  tests_add_each ("/text/headline", rows, G_N_ELEMENTS (rows), sizeof *rows, headline_check);
  tests_add_each ("/text/headline", bare_rows, G_N_ELEMENTS (bare_rows), sizeof *bare_rows, headline_check_bare);
}

TESTS_AND ("/text/headline", add, FALSE)
