/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Two threads share only the list of reports, under a mutex that is held for a few assignments, never while memory is
 * allocated or freed or a file is written. The watcher wakes the loop only while a page is open. */

#include "monitor/jank-inspector-host-private.h"

#include <stdatomic.h>

#include "guest/jank-errands-private.h"
#include "settings/jank-settings-private.h"
#include "report/jank-brief-stacks-private.h"
#include "sinks/jank-sinks-private.h"
#include "store/jank-chains-private.h"

struct _JankInspectorHostState
{
  /* set at construction */
  JankInspectorOwner owner;
  JankInspectorHost  host;

  /* shared, atomic: (A) its store releases, the watcher's load acquires */
  const JankInspectorListener *_Atomic listener; /* (nullable): no page is shown */

  /* any thread, under mutex */
  GMutex             mutex;
  JankReport        *reports[JANK_INSPECTOR_MAX_REPORTS]; /* (owned): number n at n % MAX */
  guint64            n_reports;                           /* ever */
  gboolean           is_woken;
};

static guint64
jank_inspector_host_get_reports (gpointer data, guint64 from, GPtrArray *reports)
{
  JankInspectorHostState *self = data;
  JankReport *copies[JANK_INSPECTOR_MAX_REPORTS];
  guint64 next, first;

  g_mutex_lock (&self->mutex);
  next = self->n_reports;
  first = MAX (from, next > JANK_INSPECTOR_MAX_REPORTS ? next - JANK_INSPECTOR_MAX_REPORTS : 0);
  for (guint64 i = first; i < next; i++)
    copies[i - first] = jank_report_ref (self->reports[i % JANK_INSPECTOR_MAX_REPORTS]);
  g_mutex_unlock (&self->mutex);
  for (guint64 i = first; i < next; i++)
    g_ptr_array_add (reports, copies[i - first]);
  return next;
}

static void
jank_inspector_host_set_listener (gpointer data, const JankInspectorListener *listener)
{
  JankInspectorHostState *self = data;

  atomic_store_explicit (&self->listener, listener, memory_order_release); /* (A) */
}

static const JankInspectorListener *
jank_inspector_host_get_listener (JankInspectorHostState *self)
{
  return atomic_load_explicit (&self->listener, memory_order_acquire); /* (A) */
}

static gboolean
jank_inspector_host_wake_cb (gpointer data)
{
  JankInspectorHostState *self = data;
  const JankInspectorListener *listener = jank_inspector_host_get_listener (self);

  g_mutex_lock (&self->mutex);
  self->is_woken = FALSE;
  g_mutex_unlock (&self->mutex);
  if (listener != NULL)
    listener->changed ();
  return G_SOURCE_REMOVE;
}

static gboolean
jank_inspector_host_get_paused (gpointer data)
{
  JankInspectorHostState *self = data;

  return self->owner.get_paused (self->owner.monitor);
}

static void
jank_inspector_host_set_paused (gpointer data, gboolean paused)
{
  JankInspectorHostState *self = data;

  self->owner.set_paused (self->owner.monitor, paused);
}

static char *
jank_inspector_host_get_setting (gpointer data, const char *key)
{
  JankInspectorHostState *self = data;

  return jank_settings_get (*self->owner.settings, key);
}

static JankReportChain *
jank_inspector_host_load_chain (gpointer data, const char *id)
{
  JankInspectorHostState *self = data;

  return jank_chains_load ((*self->owner.settings)->store, id);
}

JankInspectorHostState *
jank_inspector_host_new (const JankInspectorOwner *owner)
{
  JankInspectorHostState *self = g_new0 (JankInspectorHostState, 1);

  self->owner = *owner;
  self->host = (JankInspectorHost) {
    .get_reports = jank_inspector_host_get_reports,
    .set_listener = jank_inspector_host_set_listener,
    .get_paused = jank_inspector_host_get_paused,
    .set_paused = jank_inspector_host_set_paused,
    .get_setting = jank_inspector_host_get_setting,
    .load_chain = jank_inspector_host_load_chain,
    .data = self,
  };
  g_mutex_init (&self->mutex);
  return self;
}

void
jank_inspector_host_free (JankInspectorHostState *self)
{
  while (g_source_remove_by_user_data (self))
    ;
  for (guint i = 0; i < JANK_INSPECTOR_MAX_REPORTS; i++)
    g_clear_pointer (&self->reports[i], jank_report_unref);
  g_mutex_clear (&self->mutex);
  g_free (self);
}

const JankInspectorHost *
jank_inspector_host_get (JankInspectorHostState *self)
{
  return &self->host;
}

/* Only while the page is open: names cost more than the stack did. */
static void
jank_inspector_host_brief (gpointer data, JankRecord *record, const JankStall *stall)
{
  JankInspectorHostState *self = data;
  const JankInspectorListener *page = jank_inspector_host_get_listener (self);
  JankStack *stack = page != NULL ? jank_brief_stacks_find (record->briefs, stall->began_ns, stall->ended_ns) : NULL;
  g_autofree char *culprit = NULL, *innermost = NULL;

  if (stack == NULL)
    return;
  culprit = jank_brief_stacks_blame (record->map, stack, &innermost);
  page->brief (stall->began_ns, stall->ended_ns, culprit, innermost);
}

static void
jank_inspector_host_wake (JankInspectorHostState *self)
{
  GSource *source = g_idle_source_new ();

  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_static_name (source, "jankwatch: inspector");
  g_source_set_callback (source, jank_inspector_host_wake_cb, self, NULL);
  jank_errands_attach (source, NULL);
}

static void
jank_inspector_host_ended (gpointer data, JankRecord *record, const JankStall *stall, JankReport *report)
{
  JankInspectorHostState *self = data;
  JankReport *old, *mine = jank_report_ref (report);
  gboolean needs_wake;

  g_mutex_lock (&self->mutex);
  old = self->reports[self->n_reports % JANK_INSPECTOR_MAX_REPORTS];
  self->reports[self->n_reports++ % JANK_INSPECTOR_MAX_REPORTS] = mine;
  needs_wake = !self->is_woken && jank_inspector_host_get_listener (self) != NULL;
  self->is_woken |= needs_wake;
  g_mutex_unlock (&self->mutex);
  if (old != NULL)
    jank_report_unref (old);
  if (needs_wake)
    jank_inspector_host_wake (self);
}

const JankSinkFuncs jank_inspector_host_sink = {
  .brief = jank_inspector_host_brief,
  .ended = jank_inspector_host_ended,
};
