/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "watched.h"

#include <string.h>

#include <glib/gi18n.h>

#include "base/jank-clock-private.h"
#include "base/jank-order-private.h"
#include "blame/jank-advice-private.h"
#include "cli/cli.h"
#include "text/jank-text-report-private.h"
#include "symbols/jank-function-name-private.h"

#define MAX_SOURCES      10
#define MAX_LATE         3
#define STARTUP_NS       (250 * JANK_NS_PER_MS)
#define NUMBER_COLUMNS   10
#define NAME_COLUMNS     24

/* Returns: (transfer full): "[script-fu 4711] " where several programs were watched */
static char *
describe_process (WatchedRun *run, const JankSessionStall *stall)
{
  for (guint i = 0; run->summary->processes->len > 1 && i < run->summary->processes->len; i++)
    {
      const JankSessionProcess *process = g_ptr_array_index (run->summary->processes, i);

      if (process->app.pid == stall->pid)
        return g_strdup_printf ("[%s %d] ", jank_text_or_empty (process->app.name), stall->pid);
    }
  return g_strdup ("");
}

static void
print_worst (WatchedRun *run, const JankSessionStall *worst)
{
  g_autofree char *process = describe_process (run, worst), *text = NULL;
  g_autofree char *length = jank_text_duration (worst->duration_ns);
  gboolean is_kept = jank_store_has (run->store, worst->id);
  g_autoptr (JankReport) report = is_kept ? watched_run_load (run, worst) : NULL;
  g_autofree char *cause = report != NULL ? jank_text_cause (report) : NULL;
  const char *severity = jank_text_severity (worst->severity);

  if (cause == NULL)
    cause = jank_function_name (worst->culprit);
  if (*cause != '\0' && worst->kind == JANK_REPORT_STARTUP)
    text = g_strdup_printf (_("The worst took %s (%s), at start-up: %s"), length, severity, cause);
  else if (*cause != '\0')
    text = g_strdup_printf (_("The worst took %s (%s): %s"), length, severity, cause);
  else
    text = g_strdup_printf (_("The worst took %s (%s)"), length, severity);
  cli_warn ("%s%s", process, text);
  if (is_kept)
    cli_warn (_("Details: jankwatch show %s"), worst->id);
  else
    cli_warn (_("No report was saved for it: the report limit is reached, or saving failed"));
}

static void
print_stalls (WatchedRun *run)
{
  const JankSessionStall *worst = jank_session_summary_worst (run->summary);
  g_autofree char *total = jank_text_duration (run->summary->total_ns);
  gulong n_stalls = (gulong) run->summary->n_stalls;

  if (n_stalls == 0)
    cli_warn (_("No stalls"));
  else
    cli_warn (g_dngettext (GETTEXT_PACKAGE, "%lu stall, %s in total", "%lu stalls, %s in total", n_stalls),
              n_stalls, total);
  if (worst != NULL)
    print_worst (run, worst);
}

/* Nobody waits for a program that is there at once. */
static void
print_startup (const JankSessionStartup *startup)
{
  gint64 rest_ns = startup->frame_ns - startup->loading_ns - startup->loop_ns;
  g_autofree char *frame = jank_text_duration (startup->frame_ns), *loading = jank_text_duration (startup->loading_ns);
  g_autofree char *loop = jank_text_duration (startup->loop_ns), *rest = jank_text_duration (MAX (rest_ns, 0));

  if (startup->frame_ns < STARTUP_NS)
    return;
  if (startup->loop_ns > 0)
    cli_warn (_("First frame after %s: %s of loading, %s before the main loop ran, %s after that"), frame, loading,
              loop, rest);
  else
    cli_warn (_("First frame after %s: %s of loading, %s after that"), frame, loading, rest);
}

static void
print_turns (const JankTimeFigures *turns)
{
  g_autofree char *total = jank_text_duration (turns->total_ns), *longest = jank_text_duration (turns->longest_ns);
  g_autofree char *p50 = jank_text_duration (turns->p50_ns), *p95 = jank_text_duration (turns->p95_ns);
  g_autofree char *p99 = jank_text_duration (turns->p99_ns);

  if (turns->n > 0)
    /* xgettext:no-c-format */
    cli_warn (_("Main loop: %'lu iterations, busy for %s; median %s, p95 %s, p99 %s, longest %s"),
              (gulong) turns->n, total, p50, p95, p99, longest);
}

/* Of one kind. */
static gboolean
is_worse (const JankSessionStall *a, const JankSessionStall *b)
{
  return a->fps > 0.0 && b->fps > 0.0 ? a->fps < b->fps : a->duration_ns > b->duration_ns;
}

/* Returns: (nullable): of those that have a report */
static const JankSessionStall *
find_worst_kept (WatchedRun *run, JankReportKind kind)
{
  const JankSessionStall *longest = NULL;

  JANK_EACH (const JankSessionStall, stall, run->summary->stalls)
    if (stall->kind == kind && (longest == NULL || is_worse (stall, longest)) &&
        jank_store_has (run->store, stall->id))
      longest = stall;
  return longest;
}

static void
print_number (const char *words, guint64 n)
{
  g_autofree char *number = g_strdup_printf ("%" G_GUINT64_FORMAT, n);
  GString *text = g_string_new (_(words));

  g_string_replace (text, "%lu", number, 1);
  cli_warn ("%s", text->str);
  g_string_free (text, TRUE);
}

static void
print_longest (WatchedRun *run, const JankSessionStall *longest)
{
  g_autoptr (JankReport) report = watched_run_load (run, longest);
  g_autofree char *headline = report != NULL ? jank_text_headline (report) : NULL;
  g_autofree char *process = describe_process (run, longest);

  if (headline != NULL)
    cli_warn ("%s%s", process, headline);
  cli_warn (_("Details: jankwatch show %s"), longest->id);
}

/* Reports that are no stalls: the loop turned all the same, or nobody can know. */
static void
print_others (WatchedRun *run)
{
  for (JankReportKind kind = 0; kind < JANK_N_REPORT_KINDS; kind++)
    {
      const char *words = jank_text_kinds[kind].reports;
      const JankSessionStall *longest = words != NULL ? find_worst_kept (run, kind) : NULL;

      if (longest == NULL)
        continue;
      print_number (longest->fps > 0.0 ? N_("Reports of too few frames: %lu. The worst:") : words,
                    run->summary->n_reports[kind]);
      print_longest (run, longest);
    }
}

static void
print_hangs (const JankSessionHangs *hangs)
{
  g_autofree char *hung = jank_text_duration (hangs->hung_ns);
  g_autofree char *watched = jank_text_duration (hangs->watched_ns);

  if (hangs->n_hangs > 0 && hangs->watched_ns >= JANK_SESSION_RATE_NS)
    cli_warn (_("Hang rate: %.0f s per hour (%s of %s in stalls over 250 ms)"), jank_session_hang_rate (hangs), hung,
              watched);
}

/* A function, and how many of the last late frames it made late. */
typedef struct
{
  const char *culprit; /* of the late frame */
  guint       n;
} Culprit;

JANK_ORDER_FALLING (compare_n_cb, Culprit, ->n)

static void
count_culprit (GArray *culprits, const char *name)
{
  for (guint i = 0; i < culprits->len; i++)
    if (strcmp (g_array_index (culprits, Culprit, i).culprit, name) == 0)
      {
        g_array_index (culprits, Culprit, i).n++;
        return;
      }
  g_array_append_val (culprits, ((Culprit) { name, 1 }));
}

/* Whose parts are known. */
static void
print_worst_frame (const JankReportFrameClock *frame_clock)
{
  g_autofree char *parts = NULL, *by = NULL, *over = NULL;
  gint64 longest_ns = 0;

  JANK_EACH_IN (const JankReportLateFrame, late, frame_clock->late_frames)
    {
      char *text = late->verdict.judged_ns > longest_ns ? jank_text_frame_parts (frame_clock, late) : NULL;

      if (text == NULL)
        continue;
      g_free (parts);
      g_free (over);
      parts = text;
      over = jank_text_frame_over (late->verdict.over_ns, late->verdict.busiest_ns, late->verdict.busiest);
      longest_ns = late->verdict.judged_ns;
    }
  by = jank_text_duration (MAX (longest_ns - frame_clock->numbers.refresh_ns, 0));
  if (parts != NULL)
    /* Translators: a time; “6 × on_row 31 ms, layout 9 ms”. */
    cli_warn (_("Worst late frame: late by %s: "
                "%s%s%s"), by, parts, over != NULL ? _("; ") : "", over != NULL ? over : "");
}

static void
print_late (const JankReportFrameClock *frame_clock)
{
  g_autoptr (GArray) culprits = g_array_new (FALSE, FALSE, sizeof (Culprit));
  g_autoptr (GString) list = g_string_new (NULL);

  JANK_EACH_IN (const JankReportLateFrame, late, frame_clock->late_frames)
    if (late->culprit[0] != '\0')
      count_culprit (culprits, late->culprit);
  g_array_sort (culprits, compare_n_cb);
  for (guint i = 0; i < MIN (culprits->len, MAX_LATE); i++)
    {
      const Culprit *culprit = &g_array_index (culprits, Culprit, i);
      g_autofree char *name = jank_function_name (culprit->culprit);
      g_autofree char *item = NULL;

      /* Translators: a function, and how many frames it made late. */
      item = g_strdup_printf (C_("late frames", "%s (%u)"), name, culprit->n);
      jank_text_append_item (list, item);
    }
  if (culprits->len > 0)
    cli_warn (_("Causes of late frames: %s"), list->str);
}

static void
add_source (GString *out, const JankTextStyle *style, const JankSessionSource *source)
{
  const char *name = source->name;
  g_autofree char *function = jank_function_name (source->function);
  g_autofree char *count = g_strdup_printf ("%'lu", (gulong) source->count);
  g_autofree char *total = jank_text_duration (source->total_ns);
  g_autofree char *p95 = jank_text_duration (source->p95_ns);
  g_autofree char *longest = jank_text_duration (source->longest_ns);

  jank_text_append_right (out, style, count, NUMBER_COLUMNS, NULL);
  jank_text_append_right (out, style, total, NUMBER_COLUMNS, NULL);
  jank_text_append_right (out, style, p95, NUMBER_COLUMNS, NULL);
  jank_text_append_right (out, style, longest, NUMBER_COLUMNS, NULL);
  g_string_append (out, "  ");
  jank_text_append_left (out, style, *name != '\0' ? name : _("(no name)"), NAME_COLUMNS, NULL);
  g_string_append (out, "  ");
  jank_text_append (out, style, function, NULL);
  jank_text_end_line (out);
}

static void
print_sources (const GPtrArray *sources)
{
  JankTextStyle style = cli_text_style (stderr, 80);
  g_autoptr (GString) out = g_string_new (NULL);

  if (sources->len == 0)
    return;
  jank_text_append_right (out, &style, C_("column", "count"), NUMBER_COLUMNS, JANK_TEXT_DIM);
  jank_text_append_right (out, &style, C_("column", "total"), NUMBER_COLUMNS, JANK_TEXT_DIM);
  /* Translators: the time that 95 of 100 dispatches did not exceed. */
  jank_text_append_right (out, &style, C_("column", "95 %"), NUMBER_COLUMNS, JANK_TEXT_DIM);
  jank_text_append_right (out, &style, C_("column", "longest"), NUMBER_COLUMNS, JANK_TEXT_DIM);
  g_string_append (out, "  ");
  jank_text_append_left (out, &style, C_("column", "source"), NAME_COLUMNS, JANK_TEXT_DIM);
  g_string_append (out, "  ");
  jank_text_append (out, &style, C_("column", "function"), JANK_TEXT_DIM);
  jank_text_end_line (out);
  for (guint i = 0; i < MIN (sources->len, MAX_SOURCES); i++)
    add_source (out, &style, g_ptr_array_index (sources, i));
  cli_warn (_("Time in sources of the main loop:"));
  g_printerr ("%s", out->str);
}

/* What `jankwatch run --strict` says of calls that may block. */

/* The debug information names the innermost function, which may be inlined. */
static void
find_place (WatchedRun *run, JankSessionCall *call)
{
  const JankSourcePlace *place = call->build_id != NULL && call->language == NULL
                                 ? jank_source_lines_find (run->lines, call->module, call->build_id,
                                                           (guint64) call->offset, FALSE)
                                 : NULL;
  const JankSourcePoint *point = place != NULL && place->points->len > 0
                                 ? &g_array_index (place->points, JankSourcePoint, 0)
                                                                         : NULL;

  if (point == NULL || point->file == NULL)
    return;
  jank_set_text (&call->file, point->file);
  call->line = point->line;
  if (point->function != NULL)
    jank_set_text (&call->function, point->function);
}

void
run_calls_resolve (WatchedRun *run)
{
  JANK_EACH (JankSessionCall, call, run->summary->calls)
    {
      find_place (run, call);
      if (call->advised != NULL)
        call->advice = jank_advice_find (call->advised, call->advised_file, call->language != NULL);
    }
}

/* Returns: (transfer full): “read_status() (a.py:12)” */
static char *
describe_place (const JankSessionCall *call)
{
  g_autofree char *name = jank_function_name (call->function);
  g_autofree char *named = strpbrk (name, "+(") == NULL ? g_strconcat (name, "()", NULL) : g_strdup (name);
  g_autofree char *file = call->file != NULL ? g_path_get_basename (call->file) : NULL;

  return file != NULL && call->line > 0 ? g_strdup_printf ("%s (%s:%u)", named, file, call->line)
                                        : g_steal_pointer (&named);
}

/* Returns: (transfer full) */
static char *
describe_call (const JankSessionCall *call)
{
  g_autofree char *place = describe_place (call);

  switch (call->kind)
    {
    /* Translators: %s is a function of the program, “read_status() (a.py:12)”. */
    case JANK_STRICT_DBUS:    return g_strdup_printf (_("%s calls D-Bus synchronously"), place);
    /* Translators: the second %s is a function of C, “fsync”. */
    case JANK_STRICT_SYNC:    return g_strdup_printf (_("%s waits for the disk, by %s()"), place, call->call);
    case JANK_STRICT_LOCK:    return g_strdup_printf (_("%s waits for the lock of a file, by %s()"), place, call->call);
    case JANK_STRICT_CONNECT: return g_strdup_printf (_("%s connects a socket"), place);
    case JANK_STRICT_DNS:     return g_strdup_printf (_("%s looks up a host, by %s()"), place, call->call);
    default:                  return g_strdup_printf (_("%s waits for a child process, by %s()"), place, call->call);
    }
}

static void
print_blocking_call (const JankSessionCall *call)
{
  g_autofree char *what = describe_call (call), *longest = jank_text_duration (call->longest_ns), *all = NULL;
  const char *target = call->target != NULL && *call->target != '\0' ? call->target : NULL;
  gulong n = (gulong) call->count;

  /* Translators: a sentence, and whom or what for: “read_status() calls D-Bus synchronously: org.example.Foo.Get”. */
  all = target != NULL ? g_strdup_printf (_("%s: %s"), what, target) : g_strdup (what);
  cli_warn (g_dngettext (GETTEXT_PACKAGE, "  %s, %lu time, %s", "  %s, %lu times, longest %s", n), all, n, longest);
  if (call->advice != NULL)
    cli_warn (_("    Use instead: %s"), call->advice);
}

static void
print_calls (WatchedRun *run)
{
  const GPtrArray *calls = run->summary->calls;
  gulong n = calls->len;

  if (!run->is_strict)
    return;
  if (!run->summary->is_strict)
    {
      cli_warn (_("Blocking calls are unknown: the library that records them could not be preloaded"));
      return;
    }
  if (n == 0)
    {
      cli_warn (_("The program made no potentially blocking calls on its main thread"));
      return;
    }
  cli_warn (g_dngettext (GETTEXT_PACKAGE, "%lu call on the main thread that may block:",
                         "%lu calls on the main thread that may block:", n), n);
  for (guint i = 0; i < calls->len; i++)
    print_blocking_call (g_ptr_array_index (calls, i));
}

const JankSessionStall *
run_summary_worst (WatchedRun *run)
{
  const JankSessionStall *worst = jank_session_summary_worst (run->summary);

  for (JankReportKind kind = 0; worst == NULL && kind < JANK_N_REPORT_KINDS; kind++)
    worst = jank_session_summary_longest (run->summary, kind);
  return worst;
}

char *
run_summary_explain_empty (const WatchedRun *run)
{
  const JankSessionSummary *summary = run->summary;
  g_autofree char *seen = NULL;

  if (summary->processes->len == 0 && run->can_store)
    seen = onlooker_explain (run->onlooker, jank_store_get_folder (run->store), run->why_not_all);
  if (!jank_session_summary_is_empty (summary))
    return NULL;
  if (summary->processes->len == 0)
    return g_strdup_printf (_("Nothing was watched: %s"),
                            seen != NULL ? seen : _("the command exited before it ran a GTK or GLib main loop"));
  if (summary->reach == JANK_SESSION_STARTED)
    return g_strdup (_("No main loop ran"));
  if (g_getenv ("DISPLAY") == NULL && g_getenv ("WAYLAND_DISPLAY") == NULL)
    return g_strdup (_("No frame was drawn, although the program uses GTK: jankwatch was started without DISPLAY and "
                       "WAYLAND_DISPLAY; xvfb-run(1) provides a display"));
  if (run->exit_status != CLI_FINE)
    return g_strdup_printf (_("No frame was drawn, although the program uses GTK: the command ended with status %d"),
                            run->exit_status);
  return g_strdup (_("No frame was drawn, although the program uses GTK. If another instance was already running, this "
                     "one passed its command line on and exited: close that instance first"));
}

void
run_summary_print (WatchedRun *run)
{
  const JankSessionFigures *figures = &run->summary->figures;
  g_autofree char *frames = NULL, *inputs = NULL, *empty = run_summary_explain_empty (run);

  if (empty != NULL && run->can_store)
    cli_warn ("%s", empty);
  if (run->summary->processes->len == 0)
    return;
  print_startup (&run->summary->startup);
  if (empty == NULL || run->summary->n_stalls > 0)
    print_stalls (run);
  print_others (run);
  if (figures->n_figures > 0)
    cli_warn (_("Frames per second: lowest %.1f, last %.1f (%lu measurements)"), figures->least_fps,
              figures->newest_fps, (gulong) figures->n_figures);
  print_turns (&run->summary->turns);
  print_hangs (&run->summary->hangs);
  inputs = run->summary->inputs.answered.n > 0 ? jank_text_inputs (&run->summary->inputs) : NULL;
  if (inputs != NULL)
    cli_warn ("%s", inputs);
  if (run->summary->frame_clock != NULL)
    {
      frames = jank_text_frames (run->summary->frame_clock);
      cli_warn ("%s", frames);
      print_worst_frame (run->summary->frame_clock);
      print_late (run->summary->frame_clock);
    }
  print_sources (run->summary->sources);
  print_calls (run);
}
