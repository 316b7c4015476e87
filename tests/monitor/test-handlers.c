/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Handlers of a monitor's signals that are slow themselves, and the function that is called while a stall lasts. */

#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <glib/gstdio.h>

#include "base/jank-spans-private.h"
#include "fixture.h"
#include "test.h"
#include "report/jank-report-private.h"

#define THRESHOLD_NS (80 * MS)
#define SLOW_NS      (150 * MS)

/* The source in which handlers run. */
#define OWN_SOURCE   "\"jankwatch: stall\""

/* Whether a report in the store says that a handler made the loop late. */
static gboolean
store_has_own (const char *store)
{
  g_autoptr (GDir) dir = g_dir_open (store, 0, NULL);
  gboolean is_found = FALSE;
  const char *name;

  while (!is_found && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (store, name, NULL);
      g_autofree char *text = NULL;

      is_found = g_file_get_contents (path, &text, NULL, NULL) && strstr (text, OWN_SOURCE) != NULL;
    }
  return is_found;
}

typedef void (*Slowness) (Fixture *fixture);

typedef struct
{
  Fixture *fixture;
  Slowness func;
  JankSpans *spans;       /* of both monitors' handlers */
  guint    n, n_handlers; /* calls; those for a stall that is none without handlers */
} Slow;

static gboolean
is_handlers (JankReport *report, const JankSpans *spans)
{
  gint64 began_ns = report->stall.began_monotonic_ns, length_ns = jank_report_get_duration_ns (report);

  return length_ns - jank_spans_get (spans, began_ns, began_ns + length_ns) < THRESHOLD_NS;
}

static void
slow_cb (JankMonitor *monitor, JankReport *report, gpointer data)
{
  Slow *slow = data;

  slow->n++;
  slow->n_handlers += is_handlers (report, slow->spans);
  jank_spans_begin (slow->spans);
  slow->func (slow->fixture);
  jank_spans_end (slow->spans);
}

static void
compute (Fixture *fixture)
{
  monitor_compute (SLOW_NS);
}

/* Slow before, between and after turns of a loop of the handler's own. */
static void
nest (Fixture *fixture)
{
  for (guint i = 0; i < 3; i++)
    {
      monitor_compute (SLOW_NS);
      g_main_context_iteration (fixture->context, FALSE);
    }
  monitor_compute (SLOW_NS);
}

/* What handlers cause is in the store, and is not told to handlers: neither to the same nor to another monitor's. */
static void
check_slow (Fixture *fixture, const char *signal, Slowness func)
{
  g_autoptr (JankMonitor) other = fixture_new_monitor (fixture, fixture->store);
  JankSpans spans = { 0 };
  Slow slow = { fixture, func, &spans }, other_slow = { fixture, func, &spans };
  Work work = { monitor_compute, SLOW_NS };

  g_signal_connect (fixture->monitor, signal, G_CALLBACK (slow_cb), &slow);
  g_signal_connect (other, signal, G_CALLBACK (slow_cb), &other_slow);
  fixture_start (fixture->monitor);
  fixture_start (other);
  fixture_run_work (fixture, &work);
  AWAIT (slow.n > 0 && other_slow.n > 0 && store_has_own (fixture->store),
         g_main_context_iteration (fixture->context, FALSE), g_usleep (500));
  fixture_turn (fixture, 4 * SLOW_NS);
  g_assert_cmpuint (slow.n_handlers, ==, 0);
  g_assert_cmpuint (other_slow.n_handlers, ==, 0);
  jank_monitor_stop (other);
  jank_monitor_stop (fixture->monitor);
}

TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, slow)
{
  check_slow (fixture, "stall", compute);
}

TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, slow_nested)
{
  check_slow (fixture, "stall", nest);
}

/* First slow in a turn, then a handler is. */
static void
slow_once_cb (JankMonitor *monitor, JankReport *report, gpointer data)
{
  if (((Fixture *) data)->reports->len == 1)
    monitor_compute (SLOW_NS);
}

/* The delivery of a report holds a reference; a moment later its source is attached. If it was too quick for that, this
 * is slow alone. */
static gboolean
slow_before_handler_cb (gpointer data)
{
  Fixture *fixture = data;

  if (G_OBJECT (fixture->monitor)->ref_count == 1 && fixture->reports->len == 0)
    return G_SOURCE_CONTINUE;
  g_usleep (20000);
  if (fixture->reports->len == 0 && fixture->thread == NULL)
    {
      fixture->thread = g_thread_self ();
      return G_SOURCE_CONTINUE;
    }
  monitor_compute (2 * SLOW_NS);
  return G_SOURCE_REMOVE;
}

/* A stall of the program's is told also when a handler made it longer. */
TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, slow_beside)
{
  GSource *source = g_idle_source_new ();
  Work work = { monitor_compute, SLOW_NS };

  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, slow_before_handler_cb, fixture, NULL);
  g_signal_connect (fixture->monitor, "report", G_CALLBACK (slow_once_cb), fixture);
  fixture_start (fixture->monitor);
  fixture_run_work (fixture, &work);
  g_source_attach (source, fixture->context);
  /* Others are a busy machine's. */
  for (guint i = 1; jank_report_get_duration_ns (fixture_await (fixture, i)) < 2 * SLOW_NS; i++)
    ;
  g_source_unref (source);
}

/* What the function saw that is called while a stall lasts. */
typedef struct
{
  int             fd;
  _Atomic guint   n, n_inside;
  _Atomic guint   n_wrong;
  guint           n_destroyed;
} Seen;

static void
writing_cb (JankReport *report, gpointer data)
{
  Seen *seen = data;

  seen->n_wrong += seen->n_inside++ > 0;
  seen->n_wrong += write (seen->fd, "ongoing\n", 8) != 8;
  seen->n_wrong += jank_report_get_outcome (report) != JANK_OUTCOME_ONGOING;
  g_usleep (50000);
  seen->n_inside--;
  seen->n++;
}

static void
destroyed_cb (gpointer data)
{
  ((Seen *) data)->n_destroyed++;
}

/* It has the program's descriptors, and is called by one thread at a time. */
TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, ongoing_writes)
{
  g_autofree char *path = g_build_filename (fixture->store, "written", NULL);
  g_autofree char *text = NULL;
  Seen seen = { g_open (path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600) };

  g_assert_cmpint (seen.fd, >=, 0);
  jank_monitor_set_ongoing_func (fixture->monitor, writing_cb, &seen, destroyed_cb);
  for (guint i = 0; i < 3; i++)
    {
      Work work = { i % 2 == 0 ? monitor_sleep : monitor_compute, 500 * MS };

      fixture_start (fixture->monitor);
      fixture_run_work (fixture, &work);
      fixture_await (fixture, i);
      jank_monitor_stop (fixture->monitor);
    }
  g_assert_cmpuint (seen.n, >=, 3);
  g_assert_cmpuint (seen.n_wrong, ==, 0);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpuint (strlen (text), ==, 8 * seen.n);

  g_assert_cmpuint (seen.n_destroyed, ==, 0);
  jank_monitor_set_ongoing_func (fixture->monitor, NULL, NULL, NULL);
  g_assert_cmpuint (seen.n_destroyed, ==, 1);
  close (seen.fd);
  g_unlink (path);
}

TESTS_AT_HOME ("/monitor/handlers")
