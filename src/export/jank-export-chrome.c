/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Trace events as Chrome writes them: https://ui.perfetto.dev opens them. Each report is a flame chart: a call lasts
 * for as long as it is in all samples. Numbers of processes and threads are ours, as the system reuses its own. */

#include "export/jank-export-format-private.h"

#include <glib/gi18n-lib.h>

#include "export/jank-export-variant-private.h"
#include "text/jank-text-private.h"

typedef struct
{
  const JankExport *export;
  GString          *events; /* JSON, as it is made: there are many */
  GPtrArray        *functions; /* as describe() gives them, or NULL */
  guint             pid, tid, n_threads, n_marks;
} Trace;

static double
to_us (gint64 ns)
{
  return (double) ns / JANK_NS_PER_US;
}

/* value: (transfer floating) */
static void
add_variant (Trace *self, GVariant *value)
{
  g_autoptr (GBytes) json = jank_export_to_json (value);

  if (self->events->len > 0)
    g_string_append (self->events, ",\n");
  g_string_append_len (self->events, g_bytes_get_data (json, NULL), (gssize) g_bytes_get_size (json));
}

#define add_event(self, ...) add_variant (self, g_variant_new_parsed (__VA_ARGS__))

/* What each call of a function says: there are many. Returns: (transfer full): ends the object */
static char *
describe (const JankExportFunction *function)
{
  g_autofree char *base = jank_text_file_name (function->module);
  g_autofree char *category = g_strconcat ("call", base[0] != '\0' ? "," : NULL, base, NULL);
  g_autoptr (GBytes) json = jank_export_to_json (g_variant_new_parsed ("{'cat': <%s>, 'name': <%s>}", category,
                                                                       function->name));
  const char *text = g_bytes_get_data (json, NULL);

  return g_strndup (text + 1, g_bytes_get_size (json) - 1);
}

/* Some readers match an end with its beginning by name and arguments. */
static void
add_call (Trace *self, const char *phase, gint64 at_ns, const JankExportCall *call)
{
  char **text = (char **) &self->functions->pdata[call->function];
  char us[G_ASCII_DTOSTR_BUF_SIZE];

  if (*text == NULL)
    *text = describe (jank_export_get_function (self->export, call));
  g_string_append_printf (self->events, "%s{\"ph\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":%s,", self->events->len > 0
                          ? ",\n" : "", phase, self->pid, self->tid, g_ascii_dtostr (us, sizeof us, to_us (at_ns)));
  g_string_append (self->events, *text);
}

static void
add_stall (Trace *self, const char *phase, gint64 at_ns, const JankExportReport *report)
{
  add_event (self,
             "{'ph': <%s>, 'pid': <%u>, 'tid': <%u>, 'ts': <%d>, 'cat': <%s>, 'name': <%s>,"
             " 'args': <{'report': %s}>}", phase, self->pid, self->tid, to_us (at_ns),
             jank_export_mark_nicks[JANK_EXPORT_STALL], report->title, report->report->id);
}

static void
name_track (Trace *self, const char *what, const char *name)
{
  add_event (self,
             "{'ph': <'M'>, 'pid': <%u>, 'tid': <%u>, 'ts': <0>, 'name': <%s>, 'args': <{'name': %s}>}",
             self->pid, self->tid, what, name);
}

/* How many of the outermost calls go on. */
static guint
count_same (const GArray *a, const GArray *b)
{
  guint n = 0;

  while (n < a->len && n < b->len &&
         g_array_index (a, JankExportCall, n).function == g_array_index (b, JankExportCall, n).function)
    n++;
  return n;
}

static void
add_samples (Trace *self, const JankExportReport *report)
{
  g_autoptr (GArray) nothing = g_array_new (FALSE, FALSE, sizeof (JankExportCall));
  const GArray *open = nothing;
  gint64 at_ns = 0;

  for (guint i = 0; i <= report->samples->len; i++)
    {
      const JankExportSample *sample = i < report->samples->len
                                       ? &g_array_index (report->samples, JankExportSample, i) : NULL;
      const GArray *stack = sample != NULL ? g_ptr_array_index (report->stacks, sample->stack) : nothing;
      guint n_same = sample != NULL && sample->from_ns == at_ns ? count_same (open, stack) : 0;

      if (sample != NULL && sample->to_ns == sample->from_ns)
        continue;
      for (guint j = open->len; j > n_same; j--)
        add_call (self, "E", report->began_ns + at_ns, &g_array_index (open, JankExportCall, j - 1));
      for (guint j = n_same; j < stack->len; j++)
        add_call (self, "B", report->began_ns + sample->from_ns, &g_array_index (stack, JankExportCall, j));
      open = stack;
      at_ns = sample != NULL ? sample->to_ns : at_ns;
    }
}

/* Reports that overlap, as a spin and a stall in it, have tracks of their own: calls of one track must nest. */
static void
add_reports (Trace *self, guint process)
{
  g_autoptr (GArray) ends = g_array_new (FALSE, FALSE, sizeof (gint64));
  guint first = self->n_threads + 1;

  for (guint i = 0; i < self->export->reports->len; i++)
    {
      const JankExportReport *report = g_ptr_array_index (self->export->reports, i);
      gint64 end_ns = report->began_ns + report->length_ns;
      guint track = 0;

      if (report->process != process)
        continue;
      while (track < ends->len && g_array_index (ends, gint64, track) > report->began_ns)
        track++;
      self->tid = first + track;
      if (track == ends->len)
        {
          g_array_append_val (ends, end_ns);
          self->n_threads++;
          name_track (self, "thread_name", "main loop");
        }
      g_array_index (ends, gint64, track) = end_ns;
      add_stall (self, "B", report->began_ns, report);
      add_samples (self, report);
      add_stall (self, "E", end_ns, report);
    }
}

/* What may overlap anything is asynchronous. */
static void
add_mark (Trace *self, const JankExportMark *mark)
{
  const char *category = jank_export_mark_nicks[mark->kind];

  self->n_marks++;
  add_event (self,
             "{'ph': <'b'>, 'pid': <%u>, 'tid': <%u>, 'ts': <%d>, 'cat': <%s>, 'id': <%u>, 'name': <%s>}",
             self->pid, self->tid, to_us (mark->from_ns), category, self->n_marks, mark->text);
  add_event (self,
             "{'ph': <'e'>, 'pid': <%u>, 'tid': <%u>, 'ts': <%d>, 'cat': <%s>, 'id': <%u>, 'name': <%s>}",
             self->pid, self->tid, to_us (mark->to_ns), category, self->n_marks, mark->text);
}

static GBytes *
jank_export_chrome_make (const JankExport *self, GError **error)
{
  g_autoptr (GPtrArray) functions = g_ptr_array_new_with_free_func (g_free);
  Trace trace = { .export = self, .events = g_string_new (NULL), .functions = functions };

  g_ptr_array_set_size (functions, (gint) self->functions->len);
  for (guint i = 0; i < self->processes->len; i++)
    {
      const JankExportProcess *process = g_ptr_array_index (self->processes, i);
      g_autofree char *name = g_strdup_printf ("%s (%d)", process->program, process->pid);

      trace.pid = i + 1;
      trace.tid = trace.n_threads + 1;
      name_track (&trace, "process_name", name);
      add_reports (&trace, i);
      for (guint j = 0; j < process->marks->len; j++)
        {
          const JankExportMark *mark = g_ptr_array_index (process->marks, j);

          if (mark->kind != JANK_EXPORT_STALL)
            add_mark (&trace, mark);
        }
    }
  g_string_prepend (trace.events, "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"exporter\":\"jankwatch " JANK_VERSION
                      "\"},\"traceEvents\":[\n");
  g_string_append (trace.events, "]}\n");
  return g_string_free_to_bytes (trace.events);
}

const JankExportFormat jank_export_chrome = {
  "chrome", N_("Trace events, for Perfetto and chrome://tracing"), 0, jank_export_chrome_make,
};
