/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The parts around the sections: blocks of facts above and below, a title line for each section. */

#include "text/jank-text-report-private.h"

#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "symbols/jank-function-name-private.h"
#include "text/jank-text-chain-private.h"
#include "verdict/jank-verdict-private.h"

/* Label and gap; long labels of a translation push their value on. */
#define LABEL_COLUMNS 13
#define INDENT 2
/* Excluded time below this is not worth a line. */
#define SHOWN_NS JANK_NS_PER_MS

/* value: (transfer full) (nullable): there is none, as "" */
static void
add_fact (GString *out, const JankTextStyle *style, const char *label, char *value)
{
  guint n_label = MAX (LABEL_COLUMNS, jank_text_width (label) + 1);
  g_autofree char *shown = value;

  if (*jank_text_or_empty (shown) == '\0')
    return;
  g_string_append (out, "  ");
  jank_text_append_left (out, style, label, n_label, JANK_TEXT_DIM);
  jank_text_append_wrapped (out, style, shown, INDENT + n_label, INDENT + LABEL_COLUMNS, NULL);
}

/* part: (transfer full) */
static void
append_part (GString *value, char *part)
{
  jank_text_append_item (value, part);
  g_free (part);
}

static void
add_program (GString *out, JankReport *report, const JankTextStyle *style)
{
  const char *best_name = report->app.name != NULL ? report->app.name : report->app.exe;
  const char *name = best_name != NULL ? best_name : _("without a name");
  const char *id = jank_text_or_empty (report->app.id);
  g_autoptr (GString) what = g_string_new (name);

  if (*id != '\0')
    g_string_append_printf (what, " (%s)", id);
  add_fact (out, style, _("Program"), g_strdup_printf (_("%s, process %d"), what->str, report->app.pid));
}

static void
add_toolkit (GString *out, JankReport *report, const JankTextStyle *style)
{
  const char *const parts[] = { report->toolkit.backend, report->toolkit.renderer };
  GString *value;

  if (report->toolkit.name == NULL)
    return;
  value = g_string_new (report->toolkit.name);
  if (report->toolkit.version != NULL)
    g_string_append_printf (value, " %s", report->toolkit.version);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (parts[i] != NULL)
      jank_text_append_item (value, parts[i]);

  add_fact (out, style, _("Toolkit"), g_string_free (value, FALSE));
}

static void
add_when (GString *out, JankReport *report, const JankTextStyle *style)
{
  g_autofree char *began = jank_text_time (report->stall.began_real_us);
  GString *value = g_string_new (began);

  if (report->kind != JANK_REPORT_DUMP)
    jank_text_append_item (value, jank_text_outcome (report->stall.outcome));
  add_fact (out, style, _("When"), g_string_free (value, FALSE));
  if (report->stall.cpu_ns >= 0 && !jank_report_is_idle (report))
    add_fact (out, style, _("CPU time"), jank_text_duration (report->stall.cpu_ns));
}

/* Returns: (transfer full): "Window.on_load (ledger.py:14)", without place for native code */
static char *
describe_callback (JankReport *report)
{
  const JankReportCall *call = g_ptr_array_index (report->calls, report->source.callback);
  g_autofree char *function = jank_text_function (report, (guint) report->source.callback);
  g_autofree char *file = call->language != NULL && call->file != NULL ? g_path_get_basename (call->file) : NULL;

  if (file != NULL && call->line > 0)
    return g_strdup_printf ("%s (%s:%u)", function, file, call->line);
  return file != NULL ? g_strdup_printf ("%s (%s)", function, file) : g_steal_pointer (&function);
}

static void
add_source (GString *out, JankReport *report, const JankTextStyle *style)
{
  const char *name = jank_text_or_empty (report->source.name);
  GString *value;

  if (report->kind == JANK_REPORT_STARTUP)
    add_fact (out, style, _("Source"),
              g_strdup (_("none: the program was starting, its main loop did not run yet")));
  if (report->source.name == NULL && report->source.callback == JANK_REPORT_NO_INDEX)
    return;

  value = g_string_new (NULL);
  g_string_printf (value, _("%s, priority %d"), *name != '\0' ? name : _("without a name"), report->source.priority);
  if (jank_report_has_callback (report, report->source.callback))
    {
      g_autofree char *callback = describe_callback (report);

      /* A binding's closure is in no file. */
      if (!g_str_has_prefix (callback, "0x"))
        append_part (value, g_strdup_printf (_("callback %s"), callback));
    }
  if (report->stall.loop_depth > 1)
    append_part (value, g_strdup_printf (_("in a nested main loop (depth %u)"), report->stall.loop_depth));
  add_fact (out, style, _("Source"), g_string_free (value, FALSE));
}

static void
add_excluded (GString *out, JankReport *report, const JankTextStyle *style)
{
  g_autofree char *suspended = jank_text_duration (report->stall.suspended_ns);
  g_autofree char *stopped = jank_text_duration (report->stall.stopped_ns);
  g_autofree char *traced = jank_text_duration (report->stall.traced_ns);
  g_autofree char *own = jank_text_duration (report->stall.own_ns);
  GString *value = g_string_new (NULL);

  if (report->stall.suspended_ns >= SHOWN_NS)
    append_part (value, g_strdup_printf (_("system suspended for %s"), suspended));
  if (report->stall.stopped_ns >= SHOWN_NS)
    append_part (value, g_strdup_printf (_("program stopped for %s"), stopped));
  if (report->stall.traced_ns >= SHOWN_NS)
    append_part (value, g_strdup_printf (_("held by a debugger for %s"), traced));
  if (report->stall.own_ns >= SHOWN_NS)
    append_part (value, g_strdup_printf (_("jankwatch and GTK's inspector worked for %s"), own));
  add_fact (out, style, _("Not counted"), g_string_free (value, FALSE));
}

static void
add_culprit (GString *out, JankReport *report, const JankTextStyle *style)
{
  g_autofree char *function = jank_function_name (report->culprit.function);
  g_autofree char *file = jank_text_short_path (report->culprit.file);
  g_autoptr (GString) where = g_string_new (function);

  if (*function == '\0')
    return;
  if (*file != '\0')
    append_part (where, g_strdup_printf ("%s:%u", file, report->culprit.line));
  if (*jank_text_or_empty (report->culprit.reason) == '\0')
    add_fact (out, style, _("Culprit"), g_strdup (where->str));
  else
    /* Translators: a function, and why it is blamed. */
    add_fact (out, style, _("Culprit"),
              g_strdup_printf (C_("culprit", "%s (%s)"), where->str, _(report->culprit.reason)));
}

const char *
jank_text_tag (const JankReportTag *tag)
{
  static const struct { const char *name, *label; } known[] = {
    { "window", N_("Window") }, { "focus", N_("Focus") }, { "action", N_("Last action") },
  };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_equal (tag->name, known[i].name))
      return _(known[i].label);
  return NULL;
}

static void
add_tag (GString *out, const JankReportTag *tag, const JankTextStyle *style)
{
  if (jank_text_tag (tag) != NULL)
    add_fact (out, style, jank_text_tag (tag), g_strdup (tag->value));
  else
    add_fact (out, style, _("Tag"), g_strdup_printf (_("%s: %s"), tag->name, tag->value));
}

static void
add_process (GString *out, JankReport *report, const JankTextStyle *style)
{
  guint n_threads = (guint) MAX (report->process.n_threads, 0);
  gulong n_descriptors = (gulong) MAX (report->process.n_descriptors, 0);
  g_autofree char *cpu = jank_text_duration (report->process.cpu_ns);
  g_autofree char *memory = jank_text_bytes (report->process.rss_bytes);
  g_autofree char *input = jank_text_bytes (report->process.read_bytes);
  g_autofree char *output = jank_text_bytes (report->process.written_bytes);
  GString *value = g_string_new (NULL);

  if (report->process.rss_bytes > 0)
    append_part (value, g_strdup_printf (_("%s of memory"), memory));
  if (report->process.cpu_ns > 0)
    append_part (value, g_strdup_printf (_("%s of CPU time"), cpu));
  if (n_threads > 0)
    append_part (value, g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u thread", "%u threads", n_threads),
                                         n_threads));
  if (n_descriptors > 0)
    append_part (value, g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%lu open descriptor", "%lu open descriptors",
                                                      n_descriptors), n_descriptors));
  if (report->process.read_bytes > 0)
    append_part (value, g_strdup_printf (_("%s read"), input));
  if (report->process.written_bytes > 0)
    append_part (value, g_strdup_printf (_("%s written"), output));
  add_fact (out, style, _("Process"), g_string_free (value, FALSE));
}

/* Less is everyday life. */
#define TOLD_PRESSURE 0.1

/* Returns: (transfer full): “memory 41 %, disk 12 %” */
static char *
describe_pressure (const JankPressure *pressure)
{
  const struct { const char *name; double share; } parts[] = {
    { _("memory"), pressure->memory }, { _("disk"), pressure->io }, { _("CPU"), pressure->cpu },
  };
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autofree char *share = jank_text_share (parts[i].share);

      if (parts[i].share >= TOLD_PRESSURE)
        append_part (text, g_strdup_printf ("%s %s", parts[i].name, share));
    }
  return g_string_free (text, FALSE);
}

static void
add_pressure (GString *out, JankReport *report, const JankTextStyle *style)
{
  g_autofree char *machine = describe_pressure (&report->process.machine);
  g_autofree char *group = describe_pressure (&report->process.group);

  if (*machine != '\0')
    /* Translators: “memory 41 %, CPU 88 %” */
    add_fact (out, style, _("Pressure"), g_strdup_printf (_("in the last 10 s the machine was short of: %s"), machine));
  else if (*group != '\0')
    add_fact (out, style, _("Pressure"),
              g_strdup_printf (_("in the last 10 s the program's control group was short of: %s"), group));
}

/* Stalls beyond a limit have no report, but are counted here. */
static void
add_limit (GString *out, JankReport *report, const JankTextStyle *style)
{
  guint n = report->limit.count;
  g_autofree char *total = jank_text_duration (report->limit.total_ns);

  if (report->limit.reached == NULL)
    return;
  add_fact (out, style, _("Not saved"),
            g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u more stall of %s got no report: a limit was reached",
                                          "%u more stalls, %s in total, got no report: a limit was reached", n), n,
                             total));
}

static void
add_repeats (GString *out, JankReport *report, const JankTextStyle *style)
{
  g_autofree char *total = jank_text_duration (report->repeats.total_ns);
  g_autofree char *longest = jank_text_duration (report->repeats.longest_ns);
  g_autofree char *p95 = jank_text_duration (report->repeats.p95_ns);
  g_autofree char *last = jank_text_time (report->repeats.last_real_us);

  if (report->repeats.count < 2)
    return;
  add_fact (out, style, _("Repeated"),
            g_strdup_printf (g_dngettext (GETTEXT_PACKAGE,
                                          "%u time, %s in total, p95 %s, longest %s, last %s",
                                          "%u times, %s in total, p95 %s, longest %s, last %s",
                                          report->repeats.count), report->repeats.count, total, p95, longest, last));
}

/* Returns: (transfer full) */
static char *
describe_stops (JankReport *report)
{
  if (report->self.n_stopped == 0)
    return g_strdup (_("Read from outside; no thread was stopped."));
  return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE,
                                       "Read from outside: %u running thread was stopped, for %.2f ms; no other was "
                                       "touched.",
                                       "Read from outside: %u running threads were stopped, for at most %.2f ms; no "
                                       "other was touched.",
                                       report->self.n_stopped), (guint) report->self.n_stopped,
                          (double) report->self.stopped_ns / JANK_NS_PER_MS);
}

static void
add_cost (GString *out, JankReport *report, const JankTextStyle *style)
{
  g_autofree char *cost = jank_text_duration (report->self.cost_ns);
  g_autofree char *value = jank_report_is_from_outside (report) ? describe_stops (report) : g_strdup_printf (
    _("Watching cost %s on its own thread (samples: %lu, without CPU: %lu, lost: %lu, signals: %lu)."),
    cost, (gulong) report->self.samples, (gulong) report->self.starved, (gulong) report->self.lost_samples,
    (gulong) report->self.signals_sent);

  g_string_append_c (out, '\n');
  jank_text_append_wrapped (out, style, value, 0, 0, JANK_TEXT_DIM);
}

char *
jank_text_report (JankReport *report, const JankTextStyle *style)
{
  GString *out = g_string_new (NULL);
  g_autofree char *headline = jank_text_headline (report);
  gboolean has_times = !jank_report_is_idle (report) && !jank_report_is_from_outside (report);

  jank_text_append_wrapped (out, style, headline, 0, 0, JANK_TEXT_BOLD);
  g_string_append_c (out, '\n');
  add_program (out, report, style);
  add_toolkit (out, report, style);
  add_when (out, report, style);
  add_source (out, report, style);
  add_excluded (out, report, style);
  add_fact (out, style, _("Interaction"), jank_text_interaction (report));
  add_fact (out, style, _("Before"), jank_text_before (report));
  add_fact (out, style, _("Meanwhile"), jank_text_contributors (report, FALSE));
  add_culprit (out, report, style);
  add_fact (out, style, C_("advice", "Use instead"), jank_verdict_get_advice (report));
  add_fact (out, style, _("Chain"), jank_text_chain_fact (report, report->chain));
  for (guint i = 0; i < report->tags->len; i++)
    add_tag (out, g_ptr_array_index (report->tags, i), style);
  if (report->frame_clock != NULL)
    add_fact (out, style, _("Frames"), jank_text_frames (report->frame_clock));
  add_process (out, report, style);
  add_pressure (out, report, style);
  add_repeats (out, report, style);
  add_limit (out, report, style);
  add_fact (out, style, _("Report"), g_strdup (report->id));

  jank_text_add_times (out, report, style);
  if (has_times)
    jank_text_add_waits (out, report, style);
  jank_text_add_locks (out, report, style);
  jank_text_add_stack (out, report, style);
  jank_text_add_branches (out, report, style);
  if (has_times)
    jank_text_add_timeline (out, report, style);
  jank_text_add_threads (out, report, style);
  jank_text_add_sources (out, report, style);
  jank_text_add_late_frames (out, report, style);
  add_cost (out, report, style);
  if (style->ascii)
    jank_text_make_ascii (out);
  return g_string_free (out, FALSE);
}
