/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A thread that waits is read without touching it, and again where it went on meanwhile; one that runs is stopped while
 * its stack is copied. All else is done by the stages that do it inside of a watched program. */

#include "outside/jank-outside-dump-private.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "dbus/jank-dbus-parts-private.h"
#include "elf/jank-loaded-private.h"
#include "proc/jank-proc-private.h"
#include "report/jank-report-build-private.h"
#include "sample/jank-thread-snapshot-private.h"
#include "verdict/jank-verdict-private.h"

#define YAMA "/proc/sys/kernel/yama/ptrace_scope"

/* Strings of a context. */
typedef struct
{
  char name[64];
  char exe[PATH_MAX];
} OutsideProgram;

static void
jank_outside_dump_describe (pid_t pid, OutsideProgram *program, JankReportContext *context)
{
  char path[48];

  jank_proc_get_name (pid, program->name, sizeof program->name);
  jank_proc_path (path, sizeof path, pid, "exe");
  if (jank_proc_read_link (path, program->exe, sizeof program->exe))
    {
      const char *file = strrchr (program->exe, '/') + 1;

      /* The kernel keeps the beginning of the name. */
      if (strlen (file) < sizeof program->name && g_str_has_prefix (file, program->name))
        g_strlcpy (program->name, file, sizeof program->name);
      context->app.exe = program->exe;
    }
  context->app.name = program->name;
  context->app.pid = pid;
  context->now_ns = jank_clock_now_ns ();
  context->now_real_us = g_get_real_time ();
}

/* The process's first thread stands for its main loop's. */
static void
jank_outside_dump_add_sample (JankStall *stall)
{
  const JankSnapshotThread *first = &g_array_index (stall->threads->threads, JankSnapshotThread, 0);
  JankSample sample = first->sample;

  if (sample.stack == NULL)
    return;
  sample.at_ns = stall->began_ns;
  sample.weight_ns = 1;
  jank_sample_ring_add (stall->ring, &sample);
  jank_call_tree_add (stall->tree, sample.stack, sample.weight_ns, 1);
  stall->n_samples = 1;
}

static void
jank_outside_dump_add_stops (const JankThreadSnapshot *threads, JankReport *report)
{
  for (guint i = 0; i < threads->threads->len; i++)
    {
      gint64 stopped_ns = g_array_index (threads->threads, JankSnapshotThread, i).sample.handler_ns;

      report->self.n_stopped += stopped_ns != 0;
      report->self.stopped_ns = MAX (report->self.stopped_ns, stopped_ns);
    }
}

static JankReport *
jank_outside_dump_build (pid_t pid, const char *id, JankSampler *sampler, JankThreadSnapshot *threads)
{
  g_autoptr (JankSampleRing) ring = jank_sample_ring_new ();
  g_autoptr (JankCallTree) tree = jank_call_tree_new ();
  g_autofree OutsideProgram *program = g_new0 (OutsideProgram, 1);
  JankReportContext context = { .id = id, .from_outside = TRUE };
  JankStall stall = { .kind = JANK_STALL_DUMP, .cpu_ns = -1, .ring = ring, .tree = tree, .threads = threads,
                      .began_ns = threads->at_ns, .period_ns = threads->at_ns, .ended_ns = threads->at_ns };
  JankReport *report;

  jank_outside_dump_describe (pid, program, &context);
  jank_outside_dump_add_sample (&stall);
  report = jank_report_build (&stall, jank_sampler_get_map (sampler), JANK_PICK_PATH, &context);
  jank_outside_dump_add_stops (threads, report);
  jank_verdict_update (report);
  return report;
}

/* The kernel says no more than no. */
static char *
jank_outside_dump_explain (pid_t pid)
{
  g_autofree char *user = jank_proc_read_field (pid, "Uid:", "status");
  char text[16] = "";

  if (user != NULL && strtoul (user, NULL, 10) != geteuid ())
    return g_strdup_printf (_("No stacks are shown: process %d belongs to user %lu"), (int) pid,
                            strtoul (user, NULL, 10));
  if (jank_proc_read (YAMA, text, sizeof text) && text[0] != '0')
    return g_strdup_printf (_("No stacks are shown: kernel.yama.ptrace_scope is %s, so only root may trace process %d"),
                            g_strchomp (text), (int) pid);
  return g_strdup_printf (_("No stacks are shown: process %d may not be traced"), (int) pid);
}

/* Whether the process has ended and its parent has not asked how. Others may go on without their first thread. */
static gboolean
jank_outside_dump_has_ended (pid_t pid, guint n_threads)
{
  g_autofree char *state = jank_proc_read_field (pid, "State:", "status");

  return n_threads == 0 || (n_threads == 1 && state != NULL && strchr ("ZX", state[0]) != NULL);
}

/* What is learned of this process itself comes first. */
static gboolean
jank_outside_dump_open (pid_t pid)
{
  jank_dbus_message_prepare ();
  return jank_loaded_open (pid);
}

/* copy: of a thread that runs; n_threads: at most, beginning with tid. Returns: (nullable) */
static JankReport *
jank_outside_dump_read (pid_t pid, pid_t tid, const char *id, JankSamplerCopyFunc copy, guint n_threads)
{
  JankThreadInfo info = { .tid = tid };
  g_autoptr (JankThreadSnapshot) threads = NULL;
  g_autoptr (JankSampler) sampler = NULL;
  char folder[48];

  jank_proc_path (folder, sizeof folder, pid, "task");
  sampler = jank_sampler_new_of_other (copy);
  jank_sampler_set_thread (sampler, &info, folder, NULL);
  threads = jank_snapshot_take (sampler, folder, 0, n_threads);
  return jank_outside_dump_has_ended (pid, threads->threads->len) ? NULL
                                                                 : jank_outside_dump_build (pid, id, sampler, threads);
}

JankReport *
jank_outside_dump (pid_t pid, const char *id, char **ret_lack)
{
  gboolean may_read = jank_outside_dump_open (pid);
  JankReport *report = jank_outside_dump_read (pid, pid, id, jank_stopped_thread_copy, JANK_SNAPSHOT_MAX_THREADS);

  if (report != NULL)
    *ret_lack = may_read ? NULL : jank_outside_dump_explain (pid);
  jank_loaded_open (0);
  return report;
}

static gboolean
jank_outside_dump_copy_nothing (pid_t tid, const JankStackRanges *ranges, const JankPythonRequest *python,
                                JankStackCopy *ret_copy, JankPythonCalls *ret_calls, gint64 *ret_stopped_ns)
{
  return FALSE;
}

JankReport *
jank_outside_dump_thread (pid_t pid, pid_t tid)
{
  gboolean may_read = jank_outside_dump_open (pid);
  JankReport *report = may_read ? jank_outside_dump_read (pid, tid, "", jank_outside_dump_copy_nothing, 1) : NULL;

  jank_loaded_open (0);
  return report;
}
