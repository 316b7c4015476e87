/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define JANK_ROW_FIELDS
#include "index/jank-row-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

/* Returns: (nullable): of a wait its kind, such as “file”, of all else the verdict's */
static const char *
find_reason (JankReport *report)
{
  const JankReportVerdict *verdict = report->verdict;
  const JankReportWait *wait = verdict != NULL ? jank_report_verdict_get_wait (verdict, verdict->wait) : NULL;

  if (verdict == NULL || verdict->kind == JANK_VERDICT_UNKNOWN)
    return NULL;
  if (wait != NULL && wait->kind != NULL &&
      (verdict->kind == JANK_VERDICT_WAITING || verdict->kind == JANK_VERDICT_LOCK))
    return wait->kind;
  return jank_verdict_nicks[verdict->kind];
}

/* Returns: (transfer full) (nullable) */
static char *
join_tags (JankReport *report)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < report->tags->len; i++)
    {
      const JankReportTag *tag = g_ptr_array_index (report->tags, i);
      gsize begin = text->len + (i > 0);

      g_string_append_printf (text, "%s%s=%s", i > 0 ? "\n" : "", tag->name, tag->value);
      g_strdelimit (text->str + begin, "\n", ' ');
    }
  return text->len > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}

/* Returns: (nullable) */
static const char *
find_build (JankReport *report)
{
  JANK_EACH (const JankReportModule, module, report->modules)
    if (module->path != NULL && g_strcmp0 (module->path, report->app.exe) == 0)
      return module->build_id;
  return NULL;
}

/* The culprit's module, if only debug information could name the culprit. Returns: (nullable) */
static const char *
find_nameless (JankReport *report)
{
  gint step = jank_report_find_own_step (report);
  const JankReportCall *call;
  const JankReportModule *module;

  if (step == JANK_REPORT_NO_INDEX)
    return NULL;
  call = jank_report_get_step_call (report, step);
  module = call->symbol == NULL ? jank_report_get_module (report, call) : NULL;
  return module != NULL ? module->build_id : NULL;
}

/* Which extension of GNOME Shell has that file. path: (nullable). Returns: (transfer full) (nullable): its UUID */
static char *
dup_extension (const char *path)
{
  static const char folder[] = "/gnome-shell/extensions/";
  const char *extensions = path != NULL ? g_strrstr (path, folder) : NULL;
  const char *uuid = extensions != NULL ? extensions + strlen (folder) : NULL;
  const char *end = uuid != NULL ? strchr (uuid, '/') : NULL;

  return end != NULL && end > uuid ? g_strndup (uuid, (gsize) (end - uuid)) : NULL;
}

/* The innermost one on the heaviest path: what it calls of the Shell's own is its fault. Returns: (transfer full)
 * (nullable) */
static char *
find_extension (JankReport *report)
{
  char *extension = dup_extension (report->culprit.module);

  for (guint i = report->heaviest.path->len; extension == NULL && i > 0; i--)
    {
      const JankReportModule *module = jank_report_get_module (report,
                                                               jank_report_get_step_call (report, (gint) i - 1));

      extension = module != NULL ? dup_extension (module->path) : NULL;
    }
  return extension;
}

static void
set_counts (JankRow *self, JankReport *report)
{
  self->count = MAX (report->repeats.count, 1);
  self->total_ns = report->repeats.count > 0 ? report->repeats.total_ns : self->duration_ns;
  self->longest_ns = MAX (report->repeats.longest_ns, self->duration_ns);
  self->p95_ns = report->repeats.p95_ns > 0 ? report->repeats.p95_ns : self->longest_ns;
  self->first_us = report->repeats.first_real_us > 0 ? report->repeats.first_real_us : self->began_us;
  if (report->repeats.lengths->len > 0)
    g_array_append_vals (self->lengths, report->repeats.lengths->data, report->repeats.lengths->len);
  self->last_us = MAX (report->repeats.last_real_us, self->first_us);
}

gboolean
jank_row_needs_calls (JankReport *report)
{
  return report->kind == JANK_REPORT_SPIN || report->verdict == NULL ||
         (report->app.exe != NULL && g_str_has_suffix (report->app.exe, "/gnome-shell")) ||
         (report->culprit.function != NULL && strstr (report->culprit.function, "+0x") != NULL) ||
         g_strcmp0 (report->culprit.reason, JANK_CULPRIT_STANDS) == 0;
}

JankRow *
jank_row_from_report (JankReport *report)
{
  JankRow *self = jank_row_new ();

  self->id = g_strdup (report->id);
  self->kind = report->kind;
  self->session = g_strdup (report->session);
  self->app = g_strdup (report->app.name);
  self->app_id = g_strdup (report->app.id);
  self->exe = g_strdup (report->app.exe);
  self->version = g_strdup (report->app.version);
  self->build = g_strdup (find_build (report));
  self->pid = report->app.pid;
  self->began_us = report->stall.began_real_us;
  self->duration_ns = report->stall.duration_ns;
  self->threshold_ns = report->stall.threshold_ns;
  self->severity = report->stall.severity;
  self->outcome = report->stall.outcome;
  self->deadlock = report->locks.deadlock || (report->chain != NULL && jank_report_chain_is_deadlock (report->chain));
  self->culprit = g_strdup (report->culprit.function);
  self->callee = g_strdup (report->culprit.callee);
  self->callee_percent = (gint) (report->culprit.callee_share * 100 + 0.5);
  self->module = g_strdup (report->culprit.module);
  self->file = g_strdup (report->culprit.file);
  self->line = report->culprit.line;
  self->nameless_in = g_strdup (find_nameless (report));
  self->extension = find_extension (report);
  self->source = g_strdup (report->source.name);
  if (report->kind == JANK_REPORT_SPIN && report->source.callback != JANK_REPORT_NO_INDEX)
    self->callback = jank_report_call_to_text (report, (guint) report->source.callback);
  self->reason = g_strdup (find_reason (report));
  self->tags = join_tags (report);
  self->fingerprint = g_strdup (report->fingerprint != NULL ? report->fingerprint : report->id);
  set_counts (self, report);
  return self;
}

char *
jank_row_dup_culprit (const JankRow *self)
{
  const char *function = self->callback != NULL ? self->callback : self->culprit;
  g_autofree char *name = jank_report_name_culprit (function != NULL ? function : C_("culprit", "unknown"),
                                                    self->callee, self->callee_percent / 100.0);
  g_autofree char *from = g_strjoin (" ← ", name, self->caller, NULL);

  if (self->kind == JANK_REPORT_STARTUP)
    return g_strdup_printf (_("%s (start-up)"), from);
  return self->extension != NULL ? g_strdup_printf ("%s (%s)", from, self->extension) : g_steal_pointer (&from);
}
