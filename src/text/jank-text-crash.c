/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* All threads whole, in the text form of Apple's and PLCrashReporter's crash reports: tools that read those find
 * threads, calls and images. For tools, so never translated. */

#include "base/jank-memory-private.h"
#include "text/jank-text-report-private.h"

static void
add_field (GString *out, const char *name, const char *value)
{
  const char *clean = jank_text_or_empty (value);

  g_string_append_printf (out, "%-22s %s\n", name, *clean != '\0' ? clean : "???");
}

static void
add_head (GString *out, JankReport *report, guint observed)
{
  g_autoptr (GDateTime) began = g_date_time_new_from_unix_utc (report->stall.began_real_us / G_USEC_PER_SEC);
  g_autofree char *date = began != NULL ? g_date_time_format (began, "%Y-%m-%d %H:%M:%S +0000") : NULL;
  g_autofree char *process = g_strdup_printf ("%s [%d]", report->app.name != NULL ? report->app.name : "???",
                                              report->app.pid);
  g_autofree char *type = g_strdup_printf ("%s of %" G_GINT64_FORMAT " ms", jank_report_kind_to_nick (report->kind),
                                           report->stall.duration_ns / JANK_NS_PER_MS);
  g_autofree char *thread = g_strdup_printf ("%u", observed);

  add_field (out, "Incident Identifier:", report->id);
  add_field (out, "Process:", process);
  add_field (out, "Path:", report->app.exe);
  add_field (out, "Identifier:", report->app.id);
  add_field (out, "Date/Time:", date);
  add_field (out, "Exception Type:", type);
  add_field (out, "Triggered by Thread:", thread);
}

/* Where call stood in memory. */
static guint64
get_address (JankReport *report, const JankReportCall *call)
{
  const JankReportModule *module = jank_report_get_module (report, call);

  return (module != NULL ? module->base : 0) + call->offset;
}

/* inlined: (nullable): the call's own function */
static void
add_call (GString *out, JankReport *report, guint number, const JankReportCall *call, const JankReportInlined *inlined)
{
  const JankReportModule *module = jank_report_get_module (report, call);
  g_autofree char *image = module != NULL ? jank_text_file_name (module->path) : g_strdup ("???");
  g_autofree char *file = jank_text_file_name (inlined != NULL ? inlined->file : call->file);
  guint line = inlined != NULL ? inlined->line : call->line;

  g_string_append_printf (out, "%-3u %-35s 0x%016" G_GINT64_MODIFIER "x ", number, image, get_address (report, call));
  if (inlined != NULL)
    g_string_append_printf (out, "%s [inlined]", inlined->symbol);
  else if (call->symbol != NULL)
    g_string_append_printf (out, "%s + %" G_GUINT64_FORMAT, call->symbol, call->symbol_offset);
  else
    g_string_append_printf (out, "0x%" G_GINT64_MODIFIER "x + %" G_GUINT64_FORMAT, module != NULL ? module->base : 0,
                            call->offset);
  if (*file != '\0' && line > 0)
    g_string_append_printf (out, " (%s:%u)", file, line);
  g_string_append_c (out, '\n');
}

static void
add_stack (GString *out, JankReport *report, guint number, gint stack)
{
  const JankReportStack *calls = jank_report_get_stack (report, stack);

  g_string_append_printf (out, "Thread %u:\n", number);
  for (guint i = 0; calls != NULL && i < calls->calls->len; i++)
    {
      const JankReportCall *call = jank_report_get_call (report, g_array_index (calls->calls, gint, i));

      for (guint k = 0; k < call->inlined->len; k++)
        if (((JankReportInlined *) g_ptr_array_index (call->inlined, k))->symbol != NULL)
          add_call (out, report, i, call, g_ptr_array_index (call->inlined, k));
      add_call (out, report, i, call, NULL);
    }
}

static void
add_thread (GString *out, JankReport *report, guint number, const JankReportThread *thread)
{
  const char *waits = thread->wait != NULL ? thread->wait->detail : NULL;
  const char *name = jank_text_or_empty (thread->name);
  const char *detail = jank_text_or_empty (waits);
  gint stack = thread->stack;

  if (stack == JANK_REPORT_NO_INDEX && thread->observed)
    stack = report->heaviest.stack;
  g_string_append_printf (out, "\nThread %u name:  %s, tid %d%s%s\n", number, *name != '\0' ? name : "???", thread->tid,
                          *detail != '\0' ? ", " : "", detail);
  add_stack (out, report, number, stack);
}

/* A report knows where a file begins in memory, not where it ends: the image reaches as far as a call was seen.
 * Returns: (transfer full): by module */
static guint64 *
find_ends (JankReport *report)
{
  guint64 *ends = g_new (guint64, report->modules->len + 1);

  for (guint i = 0; i < report->modules->len; i++)
    ends[i] = ((const JankReportModule *) g_ptr_array_index (report->modules, i))->base;
  for (guint i = 0; i < report->calls->len; i++)
    {
      const JankReportCall *call = jank_report_get_call (report, (gint) i);

      if (call->module != JANK_REPORT_NO_INDEX)
        ends[call->module] = MAX (ends[call->module], get_address (report, call));
    }
  return ends;
}

static void
add_images (GString *out, JankReport *report)
{
  g_autofree guint64 *ends = find_ends (report);

  g_string_append (out, "\nBinary Images:\n");
  for (guint i = 0; i < report->modules->len; i++)
    {
      const JankReportModule *module = g_ptr_array_index (report->modules, i);
      g_autofree char *name = jank_text_file_name (module->path);
      const char *path = jank_text_or_empty (module->path);
      const char *build_id = jank_text_or_empty (module->build_id);

      g_string_append_printf (out, "0x%016" G_GINT64_MODIFIER "x - 0x%016" G_GINT64_MODIFIER "x %s %s  <%s> %s\n",
                              module->base, ends[i], name, JANK_PROCESSOR_NAME, build_id, path);
    }
}

char *
jank_text_crash (JankReport *report)
{
  GString *out = g_string_new (NULL);
  guint observed = 0;

  for (guint i = 0; i < report->threads->len; i++)
    if (((const JankReportThread *) g_ptr_array_index (report->threads, i))->observed)
      observed = i;
  add_head (out, report, observed);
  for (guint i = 0; i < report->threads->len; i++)
    add_thread (out, report, i, g_ptr_array_index (report->threads, i));
  if (report->threads->len == 0)
    {
      g_string_append_c (out, '\n');
      add_stack (out, report, 0, report->heaviest.stack);
    }
  add_images (out, report);
  return g_string_free (out, FALSE);
}
