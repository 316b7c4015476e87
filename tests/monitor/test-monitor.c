/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <glib/gstdio.h>

#include "base/jank-clock-private.h"
#include "jankwatch.h"

/* Under a thread sanitizer the sleep's function is the sanitizer's, in this very program. */
#if defined (__has_feature)
#if __has_feature (thread_sanitizer)
#define CULPRIT_OF_SLEEP "usleep"
#endif
#endif
#ifndef CULPRIT_OF_SLEEP
#define CULPRIT_OF_SLEEP "monitor_sleep"
#endif

#define MS JANK_NS_PER_MS

/* A busy machine may come between the truth and the measure; once in so many tries it does not. */
#define N_TRIES  5
#define AWAIT_NS (30 * JANK_NS_PER_S)

/* What is on disk after a stall is so after this long. */
#define ON_DISK_NS (20 * MS)

typedef struct
{
  GMainContext *context; /* (owned) */
  char         *store;   /* (owned) */
  JankMonitor  *monitor; /* (owned) (nullable) */
  GPtrArray    *reports; /* (owned): as they came */
  GThread      *thread;  /* that they came on */
} Fixture;

extern void monitor_compute (gint64 duration_ns);
extern void monitor_sleep   (gint64 duration_ns);

static _Atomic guint sink;

G_GNUC_NO_INLINE void
monitor_compute (gint64 duration_ns)
{
  gint64 until_ns = jank_clock_now_ns () + duration_ns;

  while (jank_clock_now_ns () < until_ns)
    sink++;
  sink++;
}

G_GNUC_NO_INLINE void
monitor_sleep (gint64 duration_ns)
{
  usleep ((useconds_t) (duration_ns / 1000));
  sink++;
}

static void
stall_cb (JankMonitor *monitor, JankReport *report, gpointer data)
{
  Fixture *fixture = data;

  g_assert_true (monitor == fixture->monitor || fixture->monitor == NULL);
  fixture->thread = g_thread_self ();
  g_ptr_array_add (fixture->reports, jank_report_ref (report));
}

static JankMonitor *
new_monitor (Fixture *fixture, const char *store)
{
  JankMonitor *monitor = jank_monitor_new_for_context (fixture->context);
  g_autoptr (GError) error = NULL;

  jank_monitor_set_setting (monitor, "store", store, &error);
  g_assert_no_error (error);
  jank_monitor_set_setting (monitor, "threshold", "80ms", &error);
  g_assert_no_error (error);
  return monitor;
}

static void
start (JankMonitor *monitor)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (jank_monitor_start (monitor, &error));
  g_assert_no_error (error);
  g_assert_true (jank_monitor_is_running (monitor));
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  fixture->context = g_main_context_new ();
  fixture->store = g_dir_make_tmp ("jank-monitor-XXXXXX", &error);
  g_assert_no_error (error);
  fixture->reports = g_ptr_array_new_with_free_func ((GDestroyNotify) jank_report_unref);
  fixture->monitor = new_monitor (fixture, fixture->store);
  g_signal_connect (fixture->monitor, "stall", G_CALLBACK (stall_cb), fixture);
}

static guint
clear_store (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_unlink (path);
      n++;
    }
  return n;
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_clear_object (&fixture->monitor);
  g_ptr_array_unref (fixture->reports);
  g_main_context_unref (fixture->context);
  clear_store (fixture->store);
  g_assert_cmpint (g_rmdir (fixture->store), ==, 0);
  g_free (fixture->store);
}

typedef struct
{
  void  (*func) (gint64 duration_ns);
  gint64 duration_ns;
  gint64 began_ns, ended_ns; /* the truth */
} Work;

static gboolean
work_cb (gpointer data)
{
  Work *work = data;

  work->began_ns = jank_clock_now_ns ();
  work->func (work->duration_ns);
  work->ended_ns = jank_clock_now_ns ();
  return G_SOURCE_REMOVE;
}

static void
run_work (Fixture *fixture, Work *work)
{
  GSource *source = g_idle_source_new ();

  g_source_set_static_name (source, "work of the test");
  g_source_set_callback (source, work_cb, work, NULL);
  g_source_attach (source, fixture->context);
  g_source_unref (source);
  while (work->ended_ns == 0)
    g_main_context_iteration (fixture->context, TRUE);
  g_main_context_iteration (fixture->context, FALSE);
}

static JankReport *
await_report (Fixture *fixture, guint i)
{
  gint64 until_ns = jank_clock_now_ns () + AWAIT_NS;

  while (fixture->reports->len <= i)
    {
      g_assert_cmpint (jank_clock_now_ns (), <, until_ns);
      g_main_context_iteration (fixture->context, FALSE);
      g_usleep (500);
    }
  return fixture->reports->pdata[i];
}

static void
test_truth (Fixture *fixture, gconstpointer data)
{
  const Work *wanted = data;
  gint64 best_ns = G_MAXINT64;

  start (fixture->monitor);
  for (guint i = 0; i < N_TRIES && best_ns > MS; i++)
    {
      Work work = *wanted;
      JankReport *report;
      gint64 off_ns;

      run_work (fixture, &work);
      report = await_report (fixture, i);
      off_ns = jank_report_get_duration (report) - (work.ended_ns - work.began_ns);
      g_assert_true (fixture->thread == g_thread_self ());
      g_assert_cmpint (jank_report_get_outcome (report), ==, JANK_OUTCOME_RECOVERED);
      g_assert_cmpint (jank_report_get_severity (report), ==,
                       jank_report_get_duration (report) >= 5000 * MS ? JANK_SEVERITY_FROZEN
                       : jank_report_get_duration (report) >= 500 * MS ? JANK_SEVERITY_HANG
                       : jank_report_get_duration (report) >= 250 * MS ? JANK_SEVERITY_MICROHANG
                                                                       : JANK_SEVERITY_MINOR);
      /* Less than the truth only by what a stop of the process took. */
      if (off_ns >= 0)
        best_ns = MIN (best_ns, off_ns);
    }
  g_test_message ("%" G_GINT64_FORMAT " us off", best_ns / 1000);
  g_assert_cmpint (best_ns, <=, MS);
}

static void
test_culprit (Fixture *fixture, gconstpointer data)
{
  Work work = { monitor_sleep, 300 * MS };
  g_autofree char *json = NULL;
  JankReport *report;

  start (fixture->monitor);
  run_work (fixture, &work);
  report = await_report (fixture, 0);
  json = jank_report_to_json (report);
  g_assert_cmpstr (jank_report_get_culprit (report), ==, CULPRIT_OF_SLEEP);
  g_assert_nonnull (strstr (json, "\"work of the test\""));
  g_assert_nonnull (strstr (json, jank_report_get_id (report)));
}

static void
test_settings (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GMainContext) context = NULL;
  g_autoptr (JankMonitor) of_default = jank_monitor_new ();
  Work work = { monitor_sleep, 120 * MS };

  g_assert_false (jank_monitor_set_setting (fixture->monitor, "threshold", "never", &error));
  g_assert_error (error, JANK_ERROR, JANK_ERROR_INVALID);
  g_clear_error (&error);
  g_assert_false (jank_monitor_set_setting (fixture->monitor, "tresholds", "1s", &error));
  g_assert_error (error, JANK_ERROR, JANK_ERROR_INVALID);

  g_object_get (fixture->monitor, "context", &context, NULL);
  g_assert_true (context == fixture->context);
  g_clear_pointer (&context, g_main_context_unref);
  g_object_get (of_default, "context", &context, NULL);
  g_assert_true (context == g_main_context_default ());

  /* Too short for this threshold. */
  g_assert_true (jank_monitor_set_setting (fixture->monitor, "threshold", "10s", NULL));
  start (fixture->monitor);
  run_work (fixture, &work);
  jank_monitor_stop (fixture->monitor);
  while (g_main_context_iteration (fixture->context, FALSE))
    ;
  g_assert_cmpuint (fixture->reports->len, ==, 0);
  g_assert_cmpuint (clear_store (fixture->store), ==, 0);
}

static void
test_stop_start (Fixture *fixture, gconstpointer data)
{
  g_assert_false (jank_monitor_is_running (fixture->monitor));
  jank_monitor_stop (fixture->monitor);
  for (guint i = 0; i < 5; i++)
    {
      Work unseen = { monitor_sleep, 100 * MS };
      Work seen = { monitor_sleep, 100 * MS };

      run_work (fixture, &unseen);
      start (fixture->monitor);
      run_work (fixture, &seen);
      await_report (fixture, i);
      jank_monitor_stop (fixture->monitor);
      g_assert_false (jank_monitor_is_running (fixture->monitor));
    }
  g_main_context_iteration (fixture->context, FALSE);
  g_assert_cmpuint (fixture->reports->len, ==, 5);
  g_assert_cmpuint (clear_store (fixture->store), ==, 5);

  /* Before the first turn, and before the probe has run. */
  for (guint i = 0; i < 50; i++)
    {
      start (fixture->monitor);
      if (i % 2 == 0)
        g_main_context_iteration (fixture->context, FALSE);
      jank_monitor_stop (fixture->monitor);
    }
}

/* Let go of while a report is on its way. */
static void
test_unref_at_once (Fixture *fixture, gconstpointer data)
{
  for (guint i = 0; i < 10; i++)
    {
      JankMonitor *monitor = new_monitor (fixture, fixture->store);
      Fixture heard = { .reports = fixture->reports };
      gpointer left = monitor;
      Work work = { monitor_sleep, 90 * MS };

      g_signal_connect (monitor, "stall", G_CALLBACK (stall_cb), &heard);
      start (monitor);
      run_work (fixture, &work);
      g_usleep (i * 300);
      g_object_add_weak_pointer (G_OBJECT (monitor), &left);
      g_object_unref (monitor);
      while (g_main_context_iteration (fixture->context, FALSE))
        ;
      g_assert_null (left);
    }
}

static void
test_two_monitors (Fixture *fixture, gconstpointer data)
{
  g_autoptr (JankMonitor) other = new_monitor (fixture, fixture->store);
  Fixture heard = { .reports = g_ptr_array_new_with_free_func ((GDestroyNotify) jank_report_unref),
                    .context = fixture->context };
  Work work = { monitor_compute, 200 * MS };
  JankReport *one, *two;

  g_signal_connect (other, "stall", G_CALLBACK (stall_cb), &heard);
  start (fixture->monitor);
  start (other);
  run_work (fixture, &work);
  one = await_report (fixture, 0);
  two = await_report (&heard, 0);
  g_assert_cmpstr (jank_report_get_id (one), !=, jank_report_get_id (two));
  g_assert_cmpint (jank_report_get_duration (one), >=, 0);
  jank_monitor_stop (other);
  g_assert_cmpuint (clear_store (fixture->store), ==, 2);
  g_ptr_array_unref (heard.reports);
}

/* A context that other threads run, one after the other. */
typedef struct
{
  Fixture *fixture;
  guint    n; /* which thread */
} Turn;

static gpointer
other_thread (gpointer data)
{
  Turn *turn = data;
  Fixture *fixture = turn->fixture;
  Work work = { monitor_sleep, 300 * MS };
  g_autofree char *json = NULL;
  JankReport *report;

  g_main_context_push_thread_default (fixture->context);
  for (guint i = 0; i < 3; i++)
    g_main_context_iteration (fixture->context, FALSE);
  run_work (fixture, &work);
  report = await_report (fixture, turn->n);
  g_assert_true (fixture->thread == g_thread_self ());
  g_assert_cmpstr (jank_report_get_culprit (report), ==, CULPRIT_OF_SLEEP);

  /* The place where this thread tells its source, not that of the thread before. */
  json = jank_report_to_json (report);
  g_assert_nonnull (strstr (json, "\"work of the test\""));
  g_main_context_pop_thread_default (fixture->context);
  return NULL;
}

static void
test_other_threads (Fixture *fixture, gconstpointer data)
{
  start (fixture->monitor);
  for (guint i = 0; i < 3; i++)
    {
      Turn turn = { fixture, i };

      g_thread_join (g_thread_new ("loop", other_thread, &turn));
    }
}

/* A source that counts the loop's turns. */
typedef struct
{
  GSource parent;
  guint   n_turns;
} Counter;

static gboolean
counter_prepare (GSource *source, gint *timeout)
{
  ((Counter *) source)->n_turns++;
  *timeout = -1;
  return FALSE;
}

static GSourceFuncs counter_funcs = { counter_prepare, NULL, NULL, NULL };

static gpointer
quit_thread (gpointer data)
{
  g_usleep (600000);
  g_main_loop_quit (data);
  return NULL;
}

static guint
count_turns (Fixture *fixture)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (fixture->context, FALSE);
  Counter *counter = (Counter *) g_source_new (&counter_funcs, sizeof *counter);
  Work work = { monitor_sleep, 200 * MS };
  GSource *source = g_idle_source_new ();
  GThread *thread;
  guint n_turns;

  /* What is only at the beginning is over. */
  g_main_context_iteration (fixture->context, FALSE);
  g_main_context_iteration (fixture->context, FALSE);
  g_source_attach ((GSource *) counter, fixture->context);
  g_source_set_callback (source, work_cb, &work, NULL);
  g_source_attach (source, fixture->context);
  thread = g_thread_new ("quit", quit_thread, loop);
  g_main_loop_run (loop);
  g_thread_join (thread);
  g_assert_cmpint (work.ended_ns, >, 0);

  n_turns = counter->n_turns;
  g_source_unref (source);
  g_source_destroy ((GSource *) counter);
  g_source_unref ((GSource *) counter);
  return n_turns;
}

/* Nobody listens: the loop turns not once more, also not for the stall. */
static void
test_no_handler (Fixture *fixture, gconstpointer data)
{
  guint n_turns = count_turns (fixture);

  g_signal_handlers_disconnect_by_data (fixture->monitor, fixture);
  start (fixture->monitor);
  g_assert_cmpuint (count_turns (fixture), ==, n_turns);
  jank_monitor_stop (fixture->monitor);
  g_assert_cmpuint (clear_store (fixture->store), ==, 1);
}

static gint n_messages;

static GLogWriterOutput
count_messages (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  for (gsize i = 0; i < n_fields; i++)
    if (g_str_equal (fields[i].key, "GLIB_DOMAIN") && g_strcmp0 (fields[i].value, "jankwatch") == 0)
      {
        g_atomic_int_inc (&n_messages);
        g_assert_cmpint (level & G_LOG_LEVEL_MASK, ==, G_LOG_LEVEL_MESSAGE);
        return G_LOG_WRITER_HANDLED;
      }
  return g_log_writer_default (level, fields, n_fields, data);
}

/* Said once; the program runs on, and its handlers still hear of each stall. */
static void
test_unwritable_store (void)
{
  Fixture fixture = { 0 };
  g_autofree char *impossible = NULL;

  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
      g_test_trap_assert_passed ();
      return;
    }

  g_log_set_writer_func (count_messages, NULL, NULL);
  set_up (&fixture, NULL);
  /* Impossible for root, too: a file is no folder. */
  impossible = g_build_filename ("/proc/self/status", "store", NULL);
  g_assert_true (jank_monitor_set_setting (fixture.monitor, "store", impossible, NULL));
  start (fixture.monitor);
  for (guint i = 0; i < 3; i++)
    {
      Work work = { monitor_sleep, 250 * MS };

      run_work (&fixture, &work);
      await_report (&fixture, i);
    }
  g_assert_cmpint (g_atomic_int_get (&n_messages), ==, 1);
  tear_down (&fixture, NULL);
}

/* Bad settings of the user: a message each, and the program's own way. */
static void
test_bad_environment (void)
{
  Fixture fixture = { 0 };

  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
      g_test_trap_assert_passed ();
      return;
    }

  g_log_set_writer_func (count_messages, NULL, NULL);
  g_setenv ("JANKWATCH_CONFIG", "threshold=soon,colour=red", TRUE);
  set_up (&fixture, NULL);
  g_assert_cmpint (g_atomic_int_get (&n_messages), ==, 2);
  start (fixture.monitor);
  tear_down (&fixture, NULL);
}

/* Text of the only file in the store; NULL while there is none. */
static char *
read_only_report (const char *store)
{
  g_autoptr (GDir) dir = g_dir_open (store, 0, NULL);
  const char *name;
  char *text = NULL;

  while (dir != NULL && text == NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".json"))
      {
        g_autofree char *path = g_build_filename (store, name, NULL);

        g_file_get_contents (path, &text, NULL, NULL);
      }
  return text;
}

static gboolean
store_says (const char *store, const char *outcome)
{
  g_autofree char *text = read_only_report (store);

  return text != NULL && strstr (text, outcome) != NULL;
}

typedef struct
{
  Fixture *fixture;
  Work     work;
  gboolean was_ongoing;
} DiskWork;

static gboolean
disk_work_cb (gpointer data)
{
  DiskWork *disk = data;

  work_cb (&disk->work);
  disk->was_ongoing = store_says (disk->fixture->store, "\"ongoing\"");
  disk->work.ended_ns = jank_clock_now_ns ();
  return G_SOURCE_REMOVE;
}

static void
test_on_disk (Fixture *fixture, gconstpointer data)
{
  gint64 best_ns = G_MAXINT64;

  g_signal_handlers_disconnect_by_data (fixture->monitor, fixture);
  start (fixture->monitor);
  for (guint i = 0; i < N_TRIES && best_ns > ON_DISK_NS; i++)
    {
      DiskWork disk = { fixture, { monitor_compute, 1000 * MS }, FALSE };
      GSource *source = g_idle_source_new ();

      g_source_set_callback (source, disk_work_cb, &disk, NULL);
      g_source_attach (source, fixture->context);
      g_source_unref (source);
      while (disk.work.ended_ns == 0)
        g_main_context_iteration (fixture->context, TRUE);
      g_main_context_iteration (fixture->context, FALSE);
      while (!store_says (fixture->store, "\"recovered\""))
        {
          g_assert_cmpint (jank_clock_now_ns () - disk.work.ended_ns, <, AWAIT_NS);
          g_usleep (200);
        }
      best_ns = MIN (best_ns, jank_clock_now_ns () - disk.work.ended_ns);

      /* Not lost, had the program been killed in the middle. */
      g_assert_true (disk.was_ongoing);
      g_assert_cmpuint (clear_store (fixture->store), ==, 1);
    }
  g_test_message ("on disk after %" G_GINT64_FORMAT " us", best_ns / 1000);
  g_assert_cmpint (best_ns, <=, ON_DISK_NS);
}

/* A forked child has no watcher thread to wait for. */
static void
test_fork (Fixture *fixture, gconstpointer data)
{
  Work work = { monitor_sleep, 100 * MS };
  int status;
  pid_t pid;

  start (fixture->monitor);
  g_main_context_iteration (fixture->context, FALSE);
  pid = fork ();
  g_assert_cmpint (pid, >=, 0);
  if (pid == 0)
    {
      alarm (20);
      g_main_context_iteration (fixture->context, FALSE);
      jank_monitor_stop (fixture->monitor);
      _exit (jank_monitor_is_running (fixture->monitor) ? 1 : 0);
    }
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);

  /* The parent is watched as before. */
  run_work (fixture, &work);
  await_report (fixture, 0);
}

#define ADD(path, data, func) g_test_add ("/monitor/monitor/" path, Fixture, data, set_up, func, tear_down)

/* Not G_TEST_OPTION_ISOLATE_DIRS, which leaks (GLib 2.74). */
static void
isolate (void)
{
  const char *tmp = g_getenv ("JANK_TEST_HOME");
  g_autofree char *folder = tmp != NULL ? g_strdup (tmp) : g_dir_make_tmp ("jank-home-XXXXXX", NULL);

  g_assert_nonnull (folder);
  g_setenv ("JANK_TEST_HOME", folder, TRUE);
  g_setenv ("XDG_CONFIG_HOME", folder, TRUE);
  g_setenv ("XDG_STATE_HOME", folder, TRUE);
  g_unsetenv ("JANKWATCH_CONFIG");
}

int
main (int argc, char **argv)
{
  static const Work works[] = {
    { monitor_compute, 100 * MS }, { monitor_compute, 300 * MS }, { monitor_compute, 1000 * MS },
    { monitor_sleep, 100 * MS }, { monitor_sleep, 1000 * MS }, { monitor_compute, 5000 * MS },
  };
  int status;

  isolate ();
  g_test_init (&argc, &argv, NULL);
  if (g_test_slow ())
    ADD ("truth/compute-5s", &works[5], test_truth);
  else
    {
      ADD ("truth/compute-100ms", &works[0], test_truth);
      ADD ("truth/compute-300ms", &works[1], test_truth);
      ADD ("truth/compute-1s", &works[2], test_truth);
      ADD ("truth/sleep-100ms", &works[3], test_truth);
      ADD ("truth/sleep-1s", &works[4], test_truth);
      ADD ("culprit", NULL, test_culprit);
      ADD ("settings", NULL, test_settings);
      ADD ("stop-start", NULL, test_stop_start);
      ADD ("unref-at-once", NULL, test_unref_at_once);
      ADD ("two-monitors", NULL, test_two_monitors);
      ADD ("other-threads", NULL, test_other_threads);
      ADD ("no-handler", NULL, test_no_handler);
      g_test_add_func ("/monitor/monitor/unwritable-store", test_unwritable_store);
      g_test_add_func ("/monitor/monitor/bad-environment", test_bad_environment);
      ADD ("on-disk", NULL, test_on_disk);
      ADD ("fork", NULL, test_fork);
    }
  status = g_test_run ();
  g_rmdir (g_getenv ("JANK_TEST_HOME"));
  return status;
}
