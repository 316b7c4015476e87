/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sinks/jank-sinks-private.h"

#include <string.h>

#include "report/jank-report-build-private.h"
#include "text/jank-text-report-private.h"

/* Several sites may be one line of the program, which was called in several ways. */
typedef struct
{
  JankSessionCall *call;     /* the list's */
  char            *identity; /* (owned) */
  GArray          *sites;    /* (owned) (element-type guint32) */
} Item;

struct _JankCallList
{
  GPtrArray      *calls; /* (owned) (element-type JankSessionCall) */
  GPtrArray      *items; /* (owned) (element-type Item): of the same */
  JankKnownNames *known; /* (owned) */
};

static void
jank_call_list_free_item_cb (gpointer data)
{
  Item *item = data;

  g_free (item->identity);
  g_array_unref (item->sites);
  g_free (item);
}

JankCallList *
jank_call_list_new (void)
{
  JankCallList *self = g_new0 (JankCallList, 1);

  self->calls = jank_table_new_array (&jank_session_call_table);
  self->items = g_ptr_array_new_with_free_func (jank_call_list_free_item_cb);
  self->known = jank_known_names_new ();
  return self;
}

void
jank_call_list_free (JankCallList *self)
{
  g_ptr_array_unref (self->items);
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
  gint step = jank_text_find_advised (report, &advice);

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

/* call: (transfer full). Returns: (nullable): the list is full */
static Item *
jank_call_list_get_item (JankCallList *self, JankSessionCall *call)
{
  /* The place that the call is at, as a person sees it. */
  g_autofree char *identity = g_strdup_printf (
    "%d %s %s %s %" G_GINT64_FORMAT, (int) call->kind, call->call, call->function,
    call->file != NULL ? call->file : call->module, call->line > 0 ? call->line : call->offset);
  Item *item = NULL;

  for (guint i = 0; i < self->items->len && item == NULL; i++)
    if (strcmp (((Item *) g_ptr_array_index (self->items, i))->identity, identity) == 0)
      item = g_ptr_array_index (self->items, i);

  if (item != NULL || self->calls->len >= JANK_SESSION_MAX_CALLS)
    {
      jank_session_call_free (call);
      return item;
    }
  item = g_new0 (Item, 1);
  item->call = call;
  item->identity = g_steal_pointer (&identity);
  item->sites = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_ptr_array_add (self->calls, call);
  g_ptr_array_add (self->items, item);
  return item;
}

gboolean
jank_call_list_add (JankCallList *self, JankCodeMap *map, const JankStall *stall, const JankBlockingCall *call)
{
  const JankReportContext context = { .known = self->known, .now_ns = stall->ended_ns,
                                      .now_real_us = g_get_real_time () };
  g_autoptr (JankReport) report = jank_report_build (stall, map, JANK_PICK_PATH, &context);
  gint culprit = jank_report_find_culprit_step (report);
  JankSessionCall *listed;
  Item *item;

  if (!jank_report_is_asked (report))
    return FALSE;
  listed = jank_session_call_new ();
  listed->kind = call->kind;
  listed->call = g_strdup (call->function);
  listed->target = g_strdup (call->target);
  jank_call_list_fill (listed, report, culprit);
  jank_table_clean (&jank_session_call_table, listed);
  item = jank_call_list_get_item (self, listed);
  if (item != NULL)
    g_array_append_val (item->sites, call->site);
  return item != NULL;
}

static void
jank_call_list_count (const Item *item)
{
  item->call->count = item->call->longest_ns = 0;
  for (guint i = 0; i < item->sites->len; i++)
    {
      gint64 longest_ns;

      item->call->count += (gint64) jank_strict_slot_count (g_array_index (item->sites, guint32, i), &longest_ns);
      item->call->longest_ns = MAX (item->call->longest_ns, longest_ns);
    }
  /* The program jumped out of the only one. */
  item->call->count = MAX (item->call->count, 1);
}

GPtrArray *
jank_call_list_get (JankCallList *self)
{
  for (guint i = 0; i < self->items->len; i++)
    jank_call_list_count (g_ptr_array_index (self->items, i));
  return self->calls;
}
