/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "watched.h"

#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/jank-error.h"
#include "test.h"

const JankRule watched_rule = {
  .threshold_ns = 100 * MS, .first_stack_ns = 16 * MS, .stack_interval_ns = 10 * MS, .park_ns = 100 * MS,
};

static _Atomic guint sink;

G_GNUC_NO_INLINE void
watched_compute (gint64 duration_ns)
{
  gint64 until_ns = jank_clock_now_ns () + duration_ns;

  while (jank_clock_now_ns () < until_ns)
    sink++;
  sink++;
}

G_GNUC_NO_INLINE void
watched_sleep (gint64 duration_ns)
{
  usleep ((useconds_t) (duration_ns / 1000));
  sink++;
}

/* Newer C libraries' getrandom() computes outside of the kernel. */
G_GNUC_NO_INLINE void
watched_call_kernel (gint64 duration_ns)
{
  gsize n_bytes = 1 << 20;
  g_autofree char *bytes = NULL;
  gint64 began_ns, took_ns;

  bytes = g_malloc0 (n_bytes);
  began_ns = jank_clock_now_ns ();
  syscall (SYS_getrandom, bytes, n_bytes, 0);
  took_ns = MAX (jank_clock_now_ns () - began_ns, 1);
  n_bytes = (gsize) CLAMP ((double) n_bytes * (double) duration_ns / (double) took_ns, 1 << 20, 1 << 29);
  bytes = g_realloc (bytes, n_bytes);
  syscall (SYS_getrandom, bytes, n_bytes, 0);
  sink++;
}

G_GNUC_NO_INLINE void
watched_rest (gint64 duration_ns)
{
  usleep ((useconds_t) (duration_ns / 1000));
  sink++;
}

static gboolean
has (const JankStack *stack, StallFunc function)
{
  for (guint i = 0; stack != NULL && i < stack->n_calls; i++)
    if (stack->calls[i].function == (guintptr) function)
      return TRUE;
  return FALSE;
}

static void
note_sample (Said *said, const JankSample *sample)
{
  said->weights_ns += sample->weight_ns;
  said->n_with_culprit += has (sample->stack, watched_compute) || has (sample->stack, watched_sleep) ||
                          has (sample->stack, watched_call_kernel);
  said->n_resting += has (sample->stack, watched_rest);
  said->n_blocked += sample->stack != NULL && sample->method == JANK_SAMPLE_BLOCKED;
  said->n_states[sample->state]++;
}

static void
note (Watched *self, GArray *list, const JankStall *stall, gboolean exiting)
{
  Said said = { .stall = *stall, .has_threads = stall->threads != NULL, .exiting = exiting };
  guint n_nodes;

  said.duration_ns = jank_stall_duration_ns (stall, jank_clock_now_ns ());
  said.tree_ns = jank_call_tree_get_nodes (stall->tree, &n_nodes)->total_ns;
  said.n_in_ring = jank_sample_ring_get_size (stall->ring);
  for (guint i = 0; i < said.n_in_ring; i++)
    note_sample (&said, jank_sample_ring_get (stall->ring, i));
  pthread_mutex_lock (&self->mutex);
  g_array_append_val (list, said);
  pthread_mutex_unlock (&self->mutex);
}

static void
started (gpointer data, JankRecord *record)
{
  Watched *self = data;

  pthread_mutex_lock (&self->mutex);
  self->n_started++;
  self->tid = gettid ();
  pthread_mutex_unlock (&self->mutex);
}

static void
ongoing (Watched *self, const JankStall *stall)
{
  note (self, self->ongoing, stall, FALSE);
  if (self->ongoing_at_ns == 0)
    self->ongoing_at_ns = jank_clock_now_ns ();
  while (g_atomic_int_get (&self->is_held))
    g_usleep (1000);
}

static void
found (gpointer data, JankRecord *record, const JankStall *stall, gboolean is_exiting)
{
  Watched *self = data;

  g_assert_nonnull (record->map);
  if (stall->ended_ns == 0)
    {
      ongoing (self, stall);
      return;
    }
  pthread_mutex_lock (&self->mutex);
  self->counts = record->counts;
  pthread_mutex_unlock (&self->mutex);
  note (self, self->ended, stall, is_exiting);
}

static void
brief (gpointer data, JankRecord *record, const JankStall *stall)
{
  Watched *self = data;

  g_assert_nonnull (record->map);
  note (self, self->brief, stall, FALSE);
}

static void
failed (gpointer data, JankRecord *record, const GError *error)
{
  Watched *self = data;

  g_assert_true (error->domain == JANK_ERROR);
  pthread_mutex_lock (&self->mutex);
  g_ptr_array_add (self->failures, g_strdup (error->message));
  pthread_mutex_unlock (&self->mutex);
}

static void
exiting (gpointer data, JankRecord *record)
{
  Watched *self = data;

  pthread_mutex_lock (&self->mutex);
  self->n_exiting++;
  self->counts = record->counts;
  pthread_mutex_unlock (&self->mutex);
}

static const JankSinkFuncs funcs = {
  .started = started, .stall = found, .brief = brief, .failed = failed, .exiting = exiting,
};

static void
thread_cb (gpointer data)
{
  jank_watcher_set_thread (((Watched *) data)->watcher);
}

void
watched_start (Watched *self, const JankRule *rule, gint64 report_ns, const char *task_folder)
{
  g_autoptr (GError) error = NULL;

  self->sinks = (JankSinks) { .n = 0 };
  jank_sinks_add (&self->sinks, &funcs, self);
  self->context = g_main_context_new ();
  self->observer = jank_loop_observer_new (report_ns, 0, thread_cb, self);
  self->watcher = jank_watcher_new (jank_loop_observer_get_beat (self->observer), rule, 0, task_folder,
                                    &self->sinks, &error);
  g_assert_no_error (error);
  jank_loop_observer_attach (self->observer, self->context, FALSE);
  g_main_context_iteration (self->context, FALSE);
  g_main_context_iteration (self->context, FALSE);
}

static GArray *
new_list (void)
{
  return g_array_new (FALSE, TRUE, sizeof (Said));
}

void
watched_set_up (Watched *self, gconstpointer data)
{
  pthread_mutex_init (&self->mutex, NULL);
  self->ongoing = new_list ();
  self->ended = new_list ();
  self->brief = new_list ();
  self->failures = g_ptr_array_new_with_free_func (g_free);
}

void
watched_stop (Watched *self)
{
  g_atomic_int_set (&self->is_held, 0);
  g_clear_pointer (&self->watcher, jank_watcher_free);
  g_clear_pointer (&self->observer, jank_loop_observer_free);
  g_clear_pointer (&self->context, g_main_context_unref);
}

void
watched_tear_down (Watched *self, gconstpointer data)
{
  watched_stop (self);
  g_array_unref (self->ongoing);
  g_array_unref (self->ended);
  g_array_unref (self->brief);
  g_ptr_array_unref (self->failures);
  pthread_mutex_destroy (&self->mutex);
}

guint
watched_count (Watched *self, const GArray *said)
{
  guint n;

  pthread_mutex_lock (&self->mutex);
  n = said->len;
  pthread_mutex_unlock (&self->mutex);
  return n;
}

void
watched_await (Watched *self, const GArray *said, guint n)
{
  AWAIT (watched_count (self, said) >= n, g_usleep (1000));
}

/* at_ns: that lasted then; 0: of all */
static guint
find_stalls (Watched *self, const GArray *list, JankStallKind kind, gint64 at_ns, Said *ret_first)
{
  guint n = 0;

  pthread_mutex_lock (&self->mutex);
  for (guint i = 0; i < list->len; i++)
    {
      const Said *said = &g_array_index (list, Said, i);

      if (said->stall.kind != kind ||
          (at_ns != 0 && (said->stall.began_ns > at_ns || said->stall.ended_ns <= at_ns)))
        continue;
      if (n++ == 0 && ret_first != NULL)
        *ret_first = *said;
    }
  pthread_mutex_unlock (&self->mutex);
  return n;
}

guint
watched_find_kind (Watched *self, const GArray *said, JankStallKind kind, Said *ret_first)
{
  return find_stalls (self, said, kind, 0, ret_first);
}

Said
watched_await_kind (Watched *self, JankStallKind kind)
{
  Said said;

  AWAIT (watched_find_kind (self, self->ended, kind, &said) > 0, g_usleep (1000));
  return said;
}

Said
watched_get (Watched *self, const GArray *said, guint i)
{
  Said one;

  pthread_mutex_lock (&self->mutex);
  g_assert_cmpuint (i, <, said->len);
  one = g_array_index (said, Said, i);
  pthread_mutex_unlock (&self->mutex);
  return one;
}

static gboolean
work_cb (gpointer data)
{
  Work *work = data;

  work->began_ns = jank_clock_now_ns ();
  work->func (work->duration_ns);
  work->took_ns = jank_clock_now_ns () - work->began_ns;
  return G_SOURCE_REMOVE;
}

void
watched_run (Watched *self, Work *work)
{
  GSource *source = g_idle_source_new ();

  g_source_set_callback (source, work_cb, work, NULL);
  g_source_attach (source, self->context);
  g_source_unref (source);
  g_main_context_iteration (self->context, TRUE);
  g_main_context_iteration (self->context, FALSE);
}

Said
watched_await_work (Watched *self, const Work *work)
{
  Said said;

  AWAIT (find_stalls (self, self->ended, JANK_STALL_LOOP, work->began_ns, &said) != 0, g_usleep (1000));
  return said;
}

guint
watched_count_work (Watched *self, const Work *work)
{
  return find_stalls (self, self->ended, JANK_STALL_LOOP, work->began_ns, NULL);
}

gint64
watched_get_run_delay_ns (Watched *self)
{
  pid_t tids[] = { gettid (), self->tid };
  gint64 sum_ns = 0;

  for (guint i = 0; i < 2 && tids[i] != 0; i++)
    {
      g_autofree char *path = g_strdup_printf ("/proc/self/task/%d/schedstat", tids[i]), *text = NULL;
      gint64 cpu_ns, run_delay_ns;

      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      g_assert_cmpint (sscanf (text, "%" G_GINT64_FORMAT " %" G_GINT64_FORMAT, &cpu_ns, &run_delay_ns), ==, 2);
      sum_ns += run_delay_ns;
    }
  return sum_ns;
}
