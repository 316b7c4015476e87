/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a report is made of: plain structures that own their strings, each made empty and freed by the array it
 * is in. Any thread. */

#include "config.h"

#include "report/jank-report-private.h"

void
jank_report_wait_free (JankReportWait *self)
{
  if (self == NULL)
    return;
  g_free (self->kind);
  g_free (self->syscall);
  g_free (self->target);
  g_free (self->filesystem);
  g_free (self->detail);
  g_free (self->lock.kind);
  g_free (self);
}

static void
sample_free (gpointer data)
{
  JankReportSample *self = data;

  jank_report_wait_free (self->wait);
  g_free (self);
}

static void
stack_free (gpointer data)
{
  JankReportStack *self = data;

  g_array_unref (self->calls);
  g_free (self);
}

static void
inlined_free (gpointer data)
{
  JankReportInlined *self = data;

  g_free (self->symbol);
  g_free (self->file);
  g_free (self);
}

static void
call_free (gpointer data)
{
  JankReportCall *self = data;

  g_free (self->symbol);
  g_free (self->file);
  g_clear_pointer (&self->inlined, g_ptr_array_unref);
  g_free (self);
}

static void
module_free (gpointer data)
{
  JankReportModule *self = data;

  g_free (self->path);
  g_free (self->build_id);
  g_free (self);
}

static void
tag_free (gpointer data)
{
  JankReportTag *self = data;

  g_free (self->name);
  g_free (self->value);
  g_free (self);
}

static void
thread_free (gpointer data)
{
  JankReportThread *self = data;

  g_free (self->name);
  g_free (self->policy);
  jank_report_wait_free (self->wait);
  g_free (self);
}

static void
source_free (gpointer data)
{
  JankReportSource *self = data;

  g_free (self->name);
  g_free (self);
}

JankReportWait *
jank_report_wait_new (void)
{
  JankReportWait *self = g_new0 (JankReportWait, 1);

  self->n_bytes = self->timeout_ns = -1;
  return self;
}

JankReportSample *
jank_report_sample_new (void)
{
  JankReportSample *self = g_new0 (JankReportSample, 1);

  self->stack = JANK_REPORT_NO_INDEX;
  return self;
}

JankReportStack *
jank_report_stack_new (void)
{
  JankReportStack *self = g_new0 (JankReportStack, 1);

  self->calls = g_array_new (FALSE, FALSE, sizeof (guint));
  return self;
}

JankReportCall *
jank_report_call_new (void)
{
  JankReportCall *self = g_new0 (JankReportCall, 1);

  self->module = JANK_REPORT_NO_INDEX;
  return self;
}

JankReportInlined *
jank_report_inlined_new (void)
{
  return g_new0 (JankReportInlined, 1);
}

/* inlined: (transfer full) */
void
jank_report_add_inlined (JankReportCall *self, JankReportInlined *inlined)
{
  if (self->inlined == NULL)
    self->inlined = g_ptr_array_new_with_free_func (inlined_free);
  g_ptr_array_add (self->inlined, inlined);
}

JankReportModule *
jank_report_module_new (void)
{
  return g_new0 (JankReportModule, 1);
}

JankReportThread *
jank_report_thread_new (void)
{
  JankReportThread *self = g_new0 (JankReportThread, 1);

  self->stack = JANK_REPORT_NO_INDEX;
  self->cpu_ns = self->stall_cpu_ns = -1;
  self->share = -1.0;
  return self;
}

JankReportSource *
jank_report_source_new (void)
{
  JankReportSource *self = g_new0 (JankReportSource, 1);

  self->callback = JANK_REPORT_NO_INDEX;
  return self;
}

void
jank_report_add_tag (JankReport *self, const char *name, const char *value)
{
  JankReportTag *tag = g_new0 (JankReportTag, 1);

  tag->name = g_strdup (name);
  tag->value = g_strdup (value);
  g_ptr_array_add (self->tags, tag);
}

GPtrArray *
jank_report_samples_new (void)
{
  return g_ptr_array_new_with_free_func (sample_free);
}

GPtrArray *
jank_report_stacks_new (void)
{
  return g_ptr_array_new_with_free_func (stack_free);
}

GPtrArray *
jank_report_calls_new (void)
{
  return g_ptr_array_new_with_free_func (call_free);
}

GPtrArray *
jank_report_modules_new (void)
{
  return g_ptr_array_new_with_free_func (module_free);
}

GPtrArray *
jank_report_tags_new (void)
{
  return g_ptr_array_new_with_free_func (tag_free);
}

GPtrArray *
jank_report_threads_new (void)
{
  return g_ptr_array_new_with_free_func (thread_free);
}

GPtrArray *
jank_report_sources_new (void)
{
  return g_ptr_array_new_with_free_func (source_free);
}
