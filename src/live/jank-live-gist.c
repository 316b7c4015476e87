/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "live/jank-live-file-private.h"

#include "base/jank-text-clean-private.h"

/* Of a text, in bytes: two waits with their names fit into the live file's page. */
#define MAX_TEXT 300

static void
jank_live_gist_cut_cb (const JankField *field, gpointer place, gconstpointer owner, gpointer data)
{
  char *text = jank_field_get_text (field, place);
  g_autofree char *cut = text != NULL ? jank_text_cut (text, MAX_TEXT) : NULL;

  if (cut != NULL)
    jank_field_set_text (field, place, cut);
}

/* The thread that holds the lock, with its function if it was read while the lock was waited for. */
static void
jank_live_gist_add_owner (JankReport *gist, JankReport *report, const JankReportWait *wait)
{
  const JankReportThread *owner = wait != NULL ? jank_report_find_thread (report, wait->lock.owner) : NULL;
  JankReportThread *thread;

  if (owner == NULL || jank_report_find_thread (gist, owner->tid) != NULL)
    return;
  thread = jank_report_thread_new ();
  thread->tid = owner->tid;
  thread->name = g_strdup (owner->name);
  if (jank_report_is_owner_read (report, wait) && !owner->observed)
    {
      thread->function = g_strdup (owner->function);
      thread->file = g_strdup (owner->file);
      thread->line = owner->line;
    }
  g_ptr_array_add (gist->threads, thread);
}

/* Of the verdict's waits those that its kind is about. */
static void
jank_live_gist_copy_verdict (JankReport *gist, JankReport *report)
{
  JankReportVerdict *verdict = gist->verdict = jank_report_verdict_new ();
  gint *indices[] = { &verdict->wait, &verdict->second };
  guint n = 0;

  jank_table_copy (&jank_report_verdict_table, verdict, report->verdict);
  for (guint i = 0; i < G_N_ELEMENTS (indices); i++)
    if (*indices[i] >= (gint) n)
      {
        gpointer *waits = verdict->waits->pdata, first = waits[n];

        waits[n] = waits[*indices[i]];
        waits[*indices[i]] = first;
        *indices[i] = (gint) n++;
      }
  g_ptr_array_set_size (verdict->waits, (gint) n);
  g_ptr_array_set_size (verdict->parts, 0);
  for (guint i = 0; i < n; i++)
    jank_live_gist_add_owner (gist, report, jank_report_verdict_get_wait (verdict, (gint) i));
}

/* What it did last, for who asks what it waits for now. */
static void
jank_live_gist_copy_last (JankReport *gist, JankReport *report)
{
  JankReportSample *sample;
  guint last = report->samples->len;

  while (last > 0 && jank_report_get_sample (report, (gint) last - 1)->state == JANK_STATE_UNKNOWN)
    last--;
  if (last == 0)
    return;
  sample = jank_report_sample_new ();
  jank_table_copy (&jank_report_sample_table, sample, jank_report_get_sample (report, (gint) last - 1));
  sample->stack = JANK_REPORT_NO_INDEX;
  g_ptr_array_add (gist->samples, sample);
  jank_live_gist_add_owner (gist, report, sample->wait);
}

JankReport *
jank_live_gist_new (JankReport *report)
{
  JankReport *gist = jank_report_new ();

  gist->id = g_strdup (report->id != NULL ? report->id : "-");
  gist->kind = report->kind;
  gist->app.exe = g_strdup (report->app.exe);
  gist->app.pid = report->app.pid;
  gist->stall.began_real_us = report->stall.began_real_us;
  gist->stall.began_monotonic_ns = report->stall.began_monotonic_ns;
  gist->stall.duration_ns = report->stall.duration_ns;
  gist->stall.outcome = report->stall.outcome;
  gist->stall.fps = report->stall.fps;
  gist->source.name = g_strdup (report->source.name);
  gist->culprit.function = g_strdup (report->culprit.function);
  gist->culprit.module = g_strdup (report->culprit.module);
  gist->culprit.callee = g_strdup (report->culprit.callee);
  gist->culprit.callee_share = report->culprit.callee_share;
  if (report->verdict != NULL)
    jank_live_gist_copy_verdict (gist, report);
  jank_live_gist_copy_last (gist, report);
  jank_table_each_text (&jank_report_table, gist, jank_live_gist_cut_cb, NULL);
  return gist;
}
