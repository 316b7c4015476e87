/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sinks/jank-sinks-private.h"

#include <string.h>

#include "report/jank-report-build-private.h"
#include "verdict/jank-verdict-private.h"

struct _JankCallList
{
  GPtrArray       *calls; /* (owned) (element-type JankSessionCall) */
  JankKnownNames  *known; /* (owned) */

  /* (nullable): whose call the site is. Several may be one line of the program, which was called in several ways. */
  JankSessionCall *by_site[JANK_STRICT_MAX_SITES];
};

JankCallList *
jank_call_list_new (void)
{
  JankCallList *self = g_new0 (JankCallList, 1);

  self->calls = g_ptr_array_new_with_free_func (jank_session_call_table.free);
  self->known = jank_known_names_new ();
  return self;
}

void
jank_call_list_free (JankCallList *self)
{
  g_ptr_array_unref (self->calls);
  jank_known_names_free (self->known);
  g_free (self);
}

static void
jank_call_list_fill (JankSessionCall *self, JankReport *report, gint culprit)
{
  const JankReportCall *call = jank_report_get_step_call (report, culprit), *advised = NULL;
  const JankReportModule *module = jank_report_get_module (report, call);
  g_autofree char *advice = NULL;
  gint step = jank_verdict_find_advised (report, &advice);

  self->function = g_strdup (report->culprit.function);
  self->language = g_strdup (call->language);
  self->offset = (gint64) call->offset;
  self->file = g_strdup (call->file);
  self->line = call->line;
  if (module != NULL)
    {
      self->module = g_strdup (module->path);
      self->build_id = g_strdup (module->build_id);
    }
  /* The function that the call is by is ours and not on the stack. */
  if (step == JANK_REPORT_NO_INDEX && culprit + 2 >= (gint) report->heaviest.path->len)
    self->advised = g_strdup (self->call);
  if (step == JANK_REPORT_NO_INDEX)
    return;
  advised = jank_report_get_step_call (report, step);
  module = jank_report_get_module (report, advised);
  self->advised = g_strdup (advised->symbol);
  self->advised_file = g_strdup (advised->language != NULL ? advised->file : module != NULL ? module->path : NULL);
}

/* The place that the call is at, as a person sees it. */
static char *
jank_call_list_identify (const JankSessionCall *call)
{
  return g_strdup_printf ("%d %s %s %s %" G_GINT64_FORMAT, (int) call->kind, call->call, call->function,
                          call->file != NULL ? call->file : call->module, call->line > 0 ? call->line : call->offset);
}

/* call: (transfer full). Returns: (nullable): the list is full */
static JankSessionCall *
jank_call_list_take (JankCallList *self, JankSessionCall *call)
{
  g_autofree char *identity = jank_call_list_identify (call);
  JankSessionCall *found = NULL;

  for (guint i = 0; i < self->calls->len && found == NULL; i++)
    {
      g_autofree char *other = jank_call_list_identify (g_ptr_array_index (self->calls, i));

      if (strcmp (identity, other) == 0)
        found = g_ptr_array_index (self->calls, i);
    }
  if (found != NULL || self->calls->len >= JANK_SESSION_MAX_CALLS)
    {
      jank_session_call_free (call);
      return found;
    }
  g_ptr_array_add (self->calls, call);
  return call;
}

gboolean
jank_call_list_add (JankCallList *self, JankCodeMap *map, const JankStall *stall, const JankBlockingCall *call)
{
  const JankReportContext context = { .known = self->known, .now_ns = stall->ended_ns,
                                      .now_real_us = g_get_real_time () };
  g_autoptr (JankReport) report = jank_report_build (stall, map, JANK_PICK_PATH, &context);
  gint culprit = jank_report_find_culprit_step (report);
  JankSessionCall *listed;

  if (!jank_report_is_asked (report))
    return FALSE;
  listed = jank_session_call_new ();
  listed->kind = call->kind;
  listed->call = g_strdup (call->function);
  listed->target = g_strdup (call->target);
  jank_call_list_fill (listed, report, culprit);
  jank_table_clean (&jank_session_call_table, listed);
  self->by_site[call->site] = jank_call_list_take (self, listed);
  return self->by_site[call->site] != NULL;
}

GPtrArray *
jank_call_list_get (JankCallList *self)
{
  gint64 longest_ns;

  for (guint i = 0; i < self->calls->len; i++)
    ((JankSessionCall *) g_ptr_array_index (self->calls, i))->count = 0;
  for (guint32 site = 0; site < JANK_STRICT_MAX_SITES; site++)
    if (self->by_site[site] != NULL)
      {
        self->by_site[site]->count += (gint64) jank_strict_slot_count (site, &longest_ns);
        self->by_site[site]->longest_ns = MAX (self->by_site[site]->longest_ns, longest_ns);
      }
  return self->calls;
}
