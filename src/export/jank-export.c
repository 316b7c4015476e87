/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* From reports to what all formats share. */

#include "export/jank-export-private.h"

#include <glib/gi18n-lib.h>

#include "base/jank-hash-private.h"
#include "base/jank-text-clean-private.h"
#include "symbols/jank-function-name-private.h"
#include "text/jank-named-stacks-private.h"
#include "verdict/jank-merged-waits-private.h"

/* Files may name any time; sums of two such still fit. */
#define MAX_NS (G_MAXINT64 / 4)

const char *const jank_export_mark_nicks[JANK_EXPORT_N_MARKS] = { "stall", "late frame", "wait", "interaction",
                                                                  "turn" };

typedef struct
{
  JankExport *export;
  GHashTable *functions; /* "name\nmodule" → index + 1 */
  GHashTable *processes; /* "program\npid" → index + 1 */
  GHashTable *frames;    /* late ones that are there: "process\ntime"; interactions behind an "i", turns behind a "t" */
} Builder;

static void
process_free (gpointer data)
{
  JankExportProcess *process = data;

  g_ptr_array_unref (process->marks);
  g_free (process);
}

static void
report_free (gpointer data)
{
  JankExportReport *report = data;

  jank_report_unref (report->report);
  g_ptr_array_unref (report->stacks);
  g_array_unref (report->samples);
  g_ptr_array_unref (report->threads);
  g_free (report);
}

JankExportCheck *
jank_export_check_new (const char *name, JankExportResult result, const char *text)
{
  JankExportCheck *self = g_new (JankExportCheck, 1);

  *self = (JankExportCheck) { jank_text_clean (name), result, jank_text_clean (text) };
  return self;
}

void
jank_export_check_free (gpointer data)
{
  JankExportCheck *self = data;

  g_free (self->name);
  g_free (self->text);
  g_free (self);
}

void
jank_export_free (JankExport *self)
{
  g_clear_pointer (&self->checks, g_ptr_array_unref);
  g_free (self->root);
  g_ptr_array_unref (self->reports);
  g_ptr_array_unref (self->processes);
  g_ptr_array_unref (self->functions);
  g_string_chunk_free (self->texts);
  g_free (self);
}

/* text: (transfer full) (nullable). Returns: the same, or "", of the export */
static const char *
keep (JankExport *self, char *text)
{
  const char *kept = g_string_chunk_insert (self->texts, jank_text_or_empty (text));

  g_free (text);
  return kept;
}

/* Of all calls of one function; the first one's source file is kept. */
static guint
get_function (Builder *self, const JankNamedCall *call)
{
  const char *path = jank_text_or_empty (call->module != NULL ? call->module->path : NULL);
  const char *build_id = jank_text_or_empty (call->module != NULL ? call->module->build_id : NULL);
  char *key = g_strconcat (call->name, "\n", path, NULL);
  guint index = GPOINTER_TO_UINT (g_hash_table_lookup (self->functions, key));
  JankExportFunction *function;

  if (index > 0)
    {
      g_free (key);
      return index - 1;
    }
  function = g_new0 (JankExportFunction, 1);
  function->name = g_string_chunk_insert (self->export->texts, call->name);
  function->module = g_string_chunk_insert (self->export->texts, path);
  function->build_id = g_string_chunk_insert (self->export->texts, build_id);
  function->file = g_string_chunk_insert (self->export->texts, jank_text_or_empty (call->file));
  function->platform = call->platform;
  g_ptr_array_add (self->export->functions, function);
  g_hash_table_insert (self->functions, key, GUINT_TO_POINTER (self->export->functions->len));
  return self->export->functions->len - 1;
}

static void
add_stack (Builder *self, JankExportReport *made, JankNamedStacks *names, gint stack)
{
  const GArray *named = jank_named_stacks_get (names, stack);
  GArray *calls = g_array_sized_new (FALSE, FALSE, sizeof (JankExportCall), named->len);

  JANK_EACH_IN (const JankNamedCall, from, named)
    {
      JankExportCall call = { get_function (self, from), from->line };

      g_array_append_val (calls, call);
    }
  g_ptr_array_add (made->stacks, calls);
}

/* The last one stands for samples without a stack, and for stacks of nothing that is exported. */
static void
add_stacks (Builder *self, JankExportReport *made)
{
  JankReport *report = made->report;
  g_autoptr (JankNamedStacks) names = jank_named_stacks_new (report);
  g_autofree gboolean *used = g_new0 (gboolean, report->stacks->len + 1);

  if (self->export->native)
    jank_named_stacks_keep_native (names);
  for (guint i = 0; i < report->samples->len; i++)
    used[((JankReportSample *) g_ptr_array_index (report->samples, i))->stack + 1] = TRUE;
  for (guint i = 0; i < report->threads->len; i++)
    used[((JankReportThread *) g_ptr_array_index (report->threads, i))->stack + 1] = TRUE;
  for (guint i = 0; i < report->stacks->len; i++)
    add_stack (self, made, names, used[i + 1] ? (gint) i : JANK_REPORT_NO_INDEX);
  add_stack (self, made, names, JANK_REPORT_NO_INDEX);
}

/* text: (transfer full) */
static void
add_mark (JankExport *self, JankExportProcess *process, JankExportMarkKind kind, gint64 from_ns, gint64 to_ns,
          char *text)
{
  JankExportMark *mark = g_new (JankExportMark, 1);

  *mark = (JankExportMark) { kind, from_ns, to_ns, keep (self, text) };
  g_ptr_array_add (process->marks, mark);
}

/* Samples in a row with the same wait are one wait. */
static void
add_samples (JankExport *self, JankExportReport *made, JankExportProcess *process, gint64 began_ns)
{
  JankReport *report = made->report;
  g_autoptr (GArray) spans = jank_report_get_sample_spans (report);
  const JankReportWait *last = NULL;

  for (guint i = 0; i < report->samples->len; i++)
    {
      const JankReportSample *sample = g_ptr_array_index (report->samples, i);
      const JankReportSpan *span = &g_array_index (spans, JankReportSpan, i);
      gboolean waits = sample->wait != NULL && sample->state == JANK_STATE_BLOCKED;
      guint stack = sample->stack != JANK_REPORT_NO_INDEX ? (guint) sample->stack : report->stacks->len;
      JankExportSample taken = { MIN (span->from_ns, MAX_NS), MIN (span->to_ns, MAX_NS), stack,
                                 sample->state != JANK_STATE_UNKNOWN ? jank_text_state (sample->state) : "" };

      g_array_append_val (made->samples, taken);
      if (waits && last != NULL && jank_merged_waits_are_same (last, sample->wait))
        ((JankExportMark *) g_ptr_array_index (process->marks,
                                               process->marks->len - 1))->to_ns = began_ns + taken.to_ns;
      else if (waits)
        add_mark (self, process, JANK_EXPORT_WAIT, began_ns + taken.from_ns, began_ns + taken.to_ns,
                  jank_text_wait (report, sample->wait));
      last = waits ? sample->wait : NULL;
    }
}

static void
add_threads (JankExport *self, JankExportReport *made)
{
  JANK_EACH (const JankReportThread, thread, made->report->threads)
    {
      JankExportThread *added = g_new0 (JankExportThread, 1);

      added->name = keep (self, jank_text_thread (made->report, thread->tid));
      added->doing = keep (self, jank_text_thread_doing (made->report, thread));
      added->stack = thread->stack;
      g_ptr_array_add (made->threads, added);
    }
}

/* Several reports of a program have the same late frames. */
static void
add_late_frames (Builder *self, JankExportReport *made, JankExportProcess *process, gint64 began_ns)
{
  const JankReport *report = made->report;
  const GArray *frames = report->frame_clock != NULL ? report->frame_clock->late_frames : NULL;

  JANK_EACH_IN (const JankReportLateFrame, frame, frames)
    {
      const JankFrameVerdict *late = &frame->verdict;
      gint64 ended_ns = late->ended_ns - report->stall.began_monotonic_ns + began_ns;
      gint64 length_ns = CLAMP (late->ended_ns - late->began_ns, 0, ended_ns);
      g_autofree char *length = jank_text_duration (length_ns);
      g_autofree char *over = jank_text_frame_over (late->over_ns, late->busiest_ns, late->busiest);
      char *key = g_strdup_printf ("%u\n%" G_GINT64_FORMAT, made->process, late->ended_ns);

      if (!g_hash_table_add (self->frames, key) || ended_ns < 0)
        continue;
      add_mark (self->export, process, JANK_EXPORT_LATE_FRAME, ended_ns - length_ns, ended_ns,
                g_strdup_printf ("%s%s%s%s%s", length, frame->culprit[0] != '\0' ? ": " : "", frame->culprit,
                                 over != NULL ? _("; ") : "", over != NULL ? over : ""));
    }
}

/* Several reports of a program have the same. */
static void
add_interaction (Builder *self, JankExportReport *made, JankExportProcess *process,
                 const JankReportInteraction *interaction)
{
  char *key = g_strdup_printf ("i%u\n%" G_GINT64_FORMAT, made->process, interaction->stamp_ns);
  gint64 began_ns = interaction->stamp_ns - made->report->stall.began_monotonic_ns + made->began_ns;
  char *text = jank_text_waited (interaction, NULL);

  if (g_hash_table_add (self->frames, key) && text != NULL && began_ns >= 0 && interaction->waited_ns <= MAX_NS)
    add_mark (self->export, process, JANK_EXPORT_INTERACTION, began_ns, began_ns + interaction->waited_ns, text);
  else
    g_free (text);
}

static void
add_turns (Builder *self, JankExportReport *made, JankExportProcess *process)
{
  JankReport *report = made->report;

  JANK_EACH_IN (const JankReportTurn, turn, report->before)
    {
      char *key = g_strdup_printf ("t%u\n%" G_GINT64_FORMAT, made->process, turn->began_ns);
      gint64 began_ns = turn->began_ns - report->stall.began_monotonic_ns + made->began_ns;

      if (g_hash_table_add (self->frames, key) && began_ns >= 0 && turn->duration_ns <= MAX_NS)
        add_mark (self->export, process, JANK_EXPORT_TURN, began_ns, began_ns + turn->duration_ns,
                  jank_text_turn (report, turn));
    }
}

static guint
get_process (Builder *self, const JankReport *report, const char *program)
{
  char *key = g_strdup_printf ("%s\n%d\n%s", program, report->app.pid, report->session != NULL ? report->session : "");
  guint index = GPOINTER_TO_UINT (g_hash_table_lookup (self->processes, key));
  JankExportProcess *process;

  if (index > 0)
    {
      g_free (key);
      return index - 1;
    }
  process = g_new0 (JankExportProcess, 1);
  process->program = program;
  process->pid = report->app.pid;
  process->marks = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (self->export->processes, process);
  g_hash_table_insert (self->processes, key, GUINT_TO_POINTER (self->export->processes->len));
  return self->export->processes->len - 1;
}

/* began_ns: since the Unix epoch, as are the marks until all reports are there. */
static void
add_report (Builder *self, JankReport *report)
{
  JankExportReport *made = g_new0 (JankExportReport, 1);
  const char *program = report->app.name != NULL ? report->app.name : report->app.exe;
  JankExportProcess *process;

  made->report = jank_report_ref (report);
  made->title = keep (self->export, jank_text_headline (report));
  made->program = g_string_chunk_insert (self->export->texts, program != NULL ? program : "program");
  made->culprit = keep (self->export, jank_function_name (report->culprit.function));
  made->process = get_process (self, report, made->program);
  made->began_ns = MIN (report->stall.began_real_us, MAX_NS / JANK_NS_PER_US) * JANK_NS_PER_US;
  made->length_ns = MIN (jank_report_get_length_ns (report), MAX_NS);
  made->fps = report->frame_clock != NULL ? report->frame_clock->numbers.fps : -1.0;
  made->stacks = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  made->samples = g_array_new (FALSE, FALSE, sizeof (JankExportSample));
  made->threads = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (self->export->reports, made);

  process = g_ptr_array_index (self->export->processes, made->process);
  add_mark (self->export, process, JANK_EXPORT_STALL, made->began_ns, made->began_ns + made->length_ns,
            g_strdup (made->title));
  add_stacks (self, made);
  add_samples (self->export, made, process, made->began_ns);
  add_threads (self->export, made);
  add_late_frames (self, made, process, made->began_ns);
  add_interaction (self, made, process, &made->report->interaction);
  for (guint i = 0; i < made->report->interactions->len; i++)
    add_interaction (self, made, process, g_ptr_array_index (made->report->interactions, i));
  add_turns (self, made, process);
}

static gint
compare_marks (gconstpointer a, gconstpointer b)
{
  const JankExportMark *first = *(JankExportMark *const *) a, *second = *(JankExportMark *const *) b;

  return first->from_ns != second->from_ns ? (first->from_ns > second->from_ns) - (first->from_ns < second->from_ns)
                                           : (second->to_ns > first->to_ns) - (second->to_ns < first->to_ns);
}

/* From here on all times count from the earliest. */
static void
set_beginning (JankExport *self)
{
  gint64 began_ns = G_MAXINT64, ended_ns = 0;

  for (guint i = 0; i < self->processes->len; i++)
    {
      GPtrArray *marks = ((JankExportProcess *) g_ptr_array_index (self->processes, i))->marks;

      g_ptr_array_sort (marks, compare_marks);
      began_ns = MIN (began_ns, ((JankExportMark *) g_ptr_array_index (marks, 0))->from_ns);
      for (guint j = 0; j < marks->len; j++)
        ended_ns = MAX (ended_ns, ((JankExportMark *) g_ptr_array_index (marks, j))->to_ns);
    }
  if (self->processes->len == 0)
    return;
  self->began_real_ns = began_ns;
  self->length_ns = ended_ns - began_ns;
  for (guint i = 0; i < self->reports->len; i++)
    ((JankExportReport *) g_ptr_array_index (self->reports, i))->began_ns -= began_ns;
  for (guint i = 0; i < self->processes->len; i++)
    {
      GPtrArray *marks = ((JankExportProcess *) g_ptr_array_index (self->processes, i))->marks;

      JANK_EACH (JankExportMark, mark, marks)
        {
          mark->from_ns -= began_ns;
          mark->to_ns -= began_ns;
        }
    }
}

static gint
compare_reports (gconstpointer a, gconstpointer b)
{
  const JankReport *first = *(JankReport *const *) a, *second = *(JankReport *const *) b;
  gint64 difference = first->stall.began_real_us - second->stall.began_real_us;

  return difference != 0 ? (difference > 0) - (difference < 0) : g_strcmp0 (first->id, second->id);
}

JankExport *
jank_export_new (GPtrArray *reports, gboolean redact, gboolean native)
{
  JankExport *self = g_new0 (JankExport, 1);
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();
  g_autoptr (GHashTable) functions = g_hash_table_new_full (jank_hash_text, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) processes = g_hash_table_new_full (jank_hash_text, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) frames = g_hash_table_new_full (jank_hash_text, g_str_equal, g_free, NULL);
  Builder builder = { self, functions, processes, frames };

  self->redacted = redact;
  self->root = redact ? NULL : jank_export_source_root ();
  self->native = native;
  self->texts = g_string_chunk_new (4096);
  self->reports = g_ptr_array_new_with_free_func (report_free);
  self->processes = g_ptr_array_new_with_free_func (process_free);
  self->functions = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_extend (sorted, reports, NULL, NULL);
  g_ptr_array_sort (sorted, compare_reports);
  JANK_EACH (JankReport, report, sorted)
    {
      if (redact)
        jank_report_redact (report);
      add_report (&builder, report);
    }
  set_beginning (self);
  return self;
}
