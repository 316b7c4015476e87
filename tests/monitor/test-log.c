/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The setting “log”, as a program's own log writer gets it. */

#include <string.h>

#include "fixture.h"

/* What came, written by the errands before the stall's report comes. */
static GMutex mutex;
static GThread *thread;
static GHashTable *fields; /* (owned) */
static guint n_messages;

/* Of the work alone: a busy machine makes other stalls. */
static GLogWriterOutput
write_cb (GLogLevelFlags level, const GLogField *log_fields, gsize n_fields, gpointer data)
{
  g_mutex_lock (&mutex);
  for (gsize i = 0; i < n_fields; i++)
    if (strcmp (log_fields[i].key, "JANKWATCH_CULPRIT") == 0 && strstr (log_fields[i].value, "sleep") != NULL)
      {
        n_messages++;
        thread = g_thread_self ();
        g_hash_table_remove_all (fields);
        for (gsize k = 0; k < n_fields; k++)
          if (log_fields[k].length < 0)
            g_hash_table_insert (fields, g_strdup (log_fields[k].key), g_strdup (log_fields[k].value));
      }
  g_mutex_unlock (&mutex);
  return G_LOG_WRITER_HANDLED;
}

static const char *
get (const char *key)
{
  const char *value = g_hash_table_lookup (fields, key);

  return value != NULL ? value : "";
}

/* Once a stall, however often it is due again, and not by the thread that hangs. */
static void
test_log (Fixture *fixture, gconstpointer data)
{
  Work work = { .func = monitor_sleep, .duration_ns = 2500 * MS };
  JankReport *report;

  if (!fixture_enter_subprocess ())
    return;
  fields = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_log_set_writer_func (write_cb, NULL, NULL);
  fixture_start (fixture->monitor);
  fixture_run_work (fixture, &work);
  report = fixture_await_work (fixture, &work);

  g_mutex_lock (&mutex);
  g_assert_cmpuint (n_messages, ==, 1);
  g_assert_true (thread != g_thread_self ());
  g_assert_cmpstr (get ("JANKWATCH_KIND"), ==, "stall");
  g_assert_cmpstr (get ("JANKWATCH_REPORT"), ==, jank_report_get_id (report));
  g_assert_cmpstr (get ("JANKWATCH_FINGERPRINT"), !=, "");
  g_assert_cmpstr (get ("MESSAGE_ID"), !=, "");
  g_assert_cmpint (g_ascii_strtoll (get ("JANKWATCH_DURATION_NS"), NULL, 10), >=, 80 * MS);
  g_assert_nonnull (strstr (get ("MESSAGE"), "so far"));
  g_mutex_unlock (&mutex);
}

int
main (int argc, char **argv)
{
  home_isolate ();
  g_setenv ("JANKWATCH_CONFIG", "log", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/monitor/log/message", Fixture, NULL, fixture_set_up, test_log, fixture_tear_down);
  return home_run ();
}
