/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a live line needs of a report, small enough for one write into a pipe. */

#include "text/jank-text-report-private.h"

#include "json/jank-json-private.h"

/* Of a name in a gist, in bytes: five of them and a few waits fit into the live file's page. */
#define MAX_GIST_TEXT 500

/* Also what the reader needs to ask the bus. */
static JankReportWait *
copy_wait (const JankReportWait *wait)
{
  JankReportWait *copy = jank_report_wait_new ();

  copy->kind = g_strdup (wait->kind);
  copy->syscall = g_strdup (wait->syscall);
  copy->target = wait->target != NULL ? jank_text_short_path (wait->target) : NULL;
  copy->filesystem = g_strdup (wait->filesystem);
  copy->mount = g_strdup (wait->mount);
  copy->n_calls = wait->n_calls;
  copy->timeout_ns = wait->timeout_ns;
  copy->peer_pid = wait->peer_pid;
  copy->peer = g_strdup (wait->peer);
  copy->dbus.name = g_strdup (wait->dbus.name);
  copy->dbus.owner = g_strdup (wait->dbus.owner);
  copy->dbus.path = g_strdup (wait->dbus.path);
  copy->dbus.interface = g_strdup (wait->dbus.interface);
  copy->dbus.method = g_strdup (wait->dbus.method);
  copy->dbus.property = g_strdup (wait->dbus.property);
  copy->dbus.bus = g_strdup (wait->dbus.bus);
  copy->lock.kind = g_strdup (wait->lock.kind);
  copy->lock.address = wait->lock.address;
  copy->lock.owner = wait->lock.owner;
  return copy;
}

static char *
cut_text (const char *text)
{
  g_autofree char *cut = text != NULL ? g_strndup (text, MAX_GIST_TEXT) : NULL;

  return cut != NULL ? g_utf8_make_valid (cut, -1) : NULL;
}

/* Samples that met the culprit at the same become one, with the time of the last. wait: (nullable): the sample's.
 * waits: those of gist's samples, which have copies with less. */
static void
add_to_gist (JankReport *gist, GPtrArray *waits, JankReport *report, const JankReportSample *sample,
             const JankReportWait *wait)
{
  const JankReportThread *owner = wait != NULL ? jank_text_find_thread (report, wait->lock.owner) : NULL;
  JankReportSample *kept;

  for (guint i = 0; i < gist->samples->len; i++)
    {
      kept = g_ptr_array_index (gist->samples, i);
      if (kept->state == sample->state && g_strcmp0 (kept->kernel, sample->kernel) == 0 &&
          (wait == NULL || waits->pdata[i] == NULL ? waits->pdata[i] == wait
                                                   : jank_text_same_wait (waits->pdata[i], wait)))
        {
          jank_json_sum (&kept->weight_ns, sample->weight_ns);
          kept->at_ns = sample->at_ns;
          return;
        }
    }
  kept = jank_report_sample_new ();
  kept->state = sample->state;
  kept->weight_ns = sample->weight_ns;
  kept->at_ns = sample->at_ns;
  kept->kernel = g_strdup (sample->kernel);
  kept->wait = wait != NULL ? copy_wait (wait) : NULL;
  g_ptr_array_add (gist->samples, kept);
  g_ptr_array_add (waits, (gpointer) wait);
  if (owner != NULL && jank_text_find_thread (gist, owner->tid) == NULL)
    {
      JankReportThread *thread = jank_report_thread_new ();

      thread->tid = owner->tid;
      thread->name = g_strdup (owner->name);
      if (jank_text_is_owner_read (report, wait))
        {
          thread->function = cut_text (owner->function);
          thread->file = cut_text (owner->file);
          thread->line = owner->line;
        }
      g_ptr_array_add (gist->threads, thread);
    }
}

JankReport *
jank_text_gist (JankReport *report)
{
  JankReport *gist = jank_report_new ();
  const JankReportStep *culprit = jank_report_get_step (report, jank_report_find_culprit_step (report));
  g_autoptr (JankTextWaits) waits = jank_text_waits_new (report);
  g_autoptr (GPtrArray) kept = g_ptr_array_new ();

  gist->id = g_strdup (report->id != NULL ? report->id : "-");
  gist->kind = report->kind;
  gist->app.exe = cut_text (report->app.exe);
  gist->app.pid = report->app.pid;
  gist->stall.began_real_us = report->stall.began_real_us;
  gist->stall.began_monotonic_ns = report->stall.began_monotonic_ns;
  gist->stall.duration_ns = report->stall.duration_ns;
  gist->stall.outcome = report->stall.outcome;
  gist->stall.fps = report->stall.fps;
  gist->source.name = cut_text (report->source.name);
  gist->culprit.function = cut_text (report->culprit.function);
  gist->culprit.module = cut_text (report->culprit.module);
  gist->culprit.callee = cut_text (report->culprit.callee);
  gist->culprit.callee_share = report->culprit.callee_share;
  jank_text_copy_collector (gist, report);
  for (guint i = 0; i < report->samples->len; i++)
    {
      const JankReportSample *sample = g_ptr_array_index (report->samples, i);

      if (sample->state != JANK_STATE_UNKNOWN &&
          (culprit == NULL || jank_text_has_culprit (report, sample, culprit)))
        add_to_gist (gist, kept, report, sample, jank_text_waits_get (waits, i));
    }
  return gist;
}
