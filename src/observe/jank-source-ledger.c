/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The wrappers run on every thread with a loop; on all but the observed one they read one word and call on. */

#include "observe/jank-source-ledger-private.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <glib-unix.h>

#include "base/jank-order-private.h"
#include "base/jank-seqlock-private.h"
#include "base/jank-histogram-private.h"

#define N_SLOTS   1024 /* of the index: a power of two, a quarter full at most */
#define OTHER_ROW JANK_LEDGER_SIZE

typedef gboolean (*DispatchFunc) (GSource *source, GSourceFunc callback, gpointer data);

typedef struct
{
  /* written once, before n_rows */
  char             name[sizeof ((JankLedgerRow *) NULL)->name];
  guint64          callback, dispatch;
  gint             priority;

  JankSeqlock      lock;
  JankTimes        times;
} Row;

struct _JankSourceLedger
{
  /* shared, atomic */
  _Atomic gconstpointer loop; /* which is counted, NULL: none */
  _Atomic pthread_t thread; /* that runs it, 0: nobody is counted */
  _Atomic guint     n_rows;
  _Atomic guint     n_others; /* 1 once OTHER_ROW is in use */

  /* observed thread only */
  guint             n_starts;
  guint16           index[N_SLOTS]; /* row + 1, 0: free */
  gint64            inner_ns;       /* of dispatches inside the one under way */

  JankWorkLog       works;

  Row               rows[JANK_LEDGER_SIZE + 1];
};

static JankSourceLedger ledger;

static guint
jank_source_ledger_hash (guint64 callback, gint priority)
{
  guint64 mixed = (callback ^ (guint64) priority << 48) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  return (guint) (mixed >> 40);
}

/* Compares names, not their addresses, which are reused when a source is gone. */
static gboolean
jank_source_ledger_is_row (const Row *row, guint64 callback, gint priority, const char *name)
{
  return row->callback == callback && row->priority == priority && strncmp (row->name, name, sizeof row->name - 1) == 0;
}

static Row *
jank_source_ledger_add_row (guint slot, guint64 callback, DispatchFunc dispatch, gint priority, const char *name)
{
  guint n_rows = atomic_load_explicit (&ledger.n_rows, memory_order_relaxed);
  Row *row = &ledger.rows[n_rows];

  if (n_rows == JANK_LEDGER_SIZE)
    {
      atomic_store_explicit (&ledger.n_others, 1, memory_order_release);
      return &ledger.rows[OTHER_ROW];
    }
  strncpy (row->name, name, sizeof row->name - 1);
  row->callback = callback;
  row->dispatch = (guint64) (guintptr) dispatch;
  row->priority = priority;
  ledger.index[slot] = (guint16) (n_rows + 1);
  atomic_store_explicit (&ledger.n_rows, n_rows + 1, memory_order_release);
  return row;
}

static Row *
jank_source_ledger_find_row (GSource *source, GSourceFunc callback, DispatchFunc dispatch)
{
  guint64 address = (guint64) (guintptr) callback;
  gint priority = source->priority;
  const char *name = g_source_get_name (source);
  guint slot = jank_source_ledger_hash (address, priority) % N_SLOTS;

  if (name == NULL)
    name = "";
  for (; ledger.index[slot] != 0; slot = (slot + 1) % N_SLOTS)
    {
      Row *row = &ledger.rows[ledger.index[slot] - 1];

      if (jank_source_ledger_is_row (row, address, priority, name))
        return row;
    }
  return jank_source_ledger_add_row (slot, address, dispatch, priority, name);
}

static void
jank_source_ledger_charge (Row *row, gint64 began_ns, gint64 took_ns)
{
  jank_seqlock_begin (&row->lock);
  jank_times_add (&row->times, took_ns);
  jank_seqlock_end (&row->lock);
  jank_work_log_add (&ledger.works, (guint) (row - ledger.rows), began_ns, MAX (took_ns - ledger.inner_ns, 0));
}

static gboolean
jank_source_ledger_dispatch (DispatchFunc original, GSource *source, GSourceFunc callback, gpointer data)
{
  gint64 began_ns, took_ns, outer_ns;
  gboolean go_on;
  Row *row;

  if (atomic_load_explicit (&ledger.thread, memory_order_relaxed) != pthread_self ())
    return original (source, callback, data);
  /* Read before the call: the source may lose its name, or its life, in there. */
  row = jank_source_ledger_find_row (source, callback, original);
  outer_ns = ledger.inner_ns;
  ledger.inner_ns = 0;
  began_ns = jank_clock_now_ns ();
  go_on = original (source, callback, data);
  /* Another thread may have taken the loop over meanwhile. */
  if (atomic_load_explicit (&ledger.thread, memory_order_relaxed) != pthread_self ())
    return go_on;
  took_ns = jank_clock_now_ns () - began_ns;
  jank_source_ledger_charge (row, began_ns, took_ns);
  ledger.inner_ns = outer_ns + took_ns;
  return go_on;
}

/* One wrapper per table: a source made from a copy of the wrapped table does not tell which table that was. */
#define TABLES \
  TABLE (idle, g_idle_funcs) \
  TABLE (timeout, g_timeout_funcs) \
  TABLE (io_watch, g_io_watch_funcs) \
  TABLE (unix_signal, g_unix_signal_funcs) \
  TABLE (unix_fd, g_unix_fd_source_funcs) \
  TABLE (child_watch, g_child_watch_funcs)

#define TABLE(name, table) \
  static _Atomic (DispatchFunc) original_##name; \
  static gboolean \
  dispatch_##name (GSource *source, GSourceFunc callback, gpointer data) \
  { \
    return jank_source_ledger_dispatch (original_##name, source, callback, data); \
  }
TABLES
#undef TABLE

/* Other threads may dispatch at this moment: each finds either the old function or the new one. */
static void
jank_source_ledger_wrap (GSourceFuncs *funcs, _Atomic (DispatchFunc) *ret_original, DispatchFunc wrapper)
{
  *ret_original = funcs->dispatch;
  g_atomic_pointer_set (&funcs->dispatch, wrapper);
}

static void
jank_source_ledger_wrap_tables (void)
{
#define TABLE(name, table) jank_source_ledger_wrap (&table, &original_##name, dispatch_##name);
  TABLES
#undef TABLE
}

guint64
jank_source_ledger_get_dispatch (guint64 address)
{
#define TABLE(name, table) \
  if (address == (guintptr) dispatch_##name) \
    return (guintptr) original_##name;
  TABLES
#undef TABLE
  return address;
}

JankSourceLedger *
jank_source_ledger_start (gconstpointer loop)
{
  static gsize once;
  gconstpointer counted = NULL;

  if (g_once_init_enter (&once))
    {
      jank_source_ledger_wrap_tables ();
      g_once_init_leave (&once, 1);
    }
  /* Pairs with the release in jank_source_ledger_stop(). */
  if (!atomic_compare_exchange_strong_explicit (&ledger.loop, &counted, loop, memory_order_acquire,
                                                memory_order_relaxed) && counted != loop)
    return NULL;
  ledger.n_starts++;
  jank_source_ledger_move (loop);
  return &ledger;
}

void
jank_source_ledger_stop (gconstpointer loop)
{
  if (atomic_load_explicit (&ledger.loop, memory_order_relaxed) != loop || --ledger.n_starts > 0)
    return;
  atomic_store_explicit (&ledger.thread, 0, memory_order_relaxed);
  atomic_store_explicit (&ledger.loop, NULL, memory_order_release);
}

void
jank_source_ledger_move (gconstpointer loop)
{
  if (atomic_load_explicit (&ledger.loop, memory_order_relaxed) == loop)
    atomic_store_explicit (&ledger.thread, pthread_self (), memory_order_relaxed);
}

/* If the writer is preempted in mid-write, the figures are one dispatch apart. */
static void
jank_source_ledger_read_row (const Row *row, JankLedgerRow *ret_row)
{
  JankSeqlockReader reader = { 0 };
  JankTimeFigures figures;
  gboolean go_on;

  memcpy (ret_row->name, row->name, sizeof row->name);
  ret_row->callback = row->callback;
  ret_row->dispatch = row->dispatch;
  ret_row->priority = row->priority;
  do
    {
      go_on = jank_seqlock_read_begin (&row->lock, &reader);
      jank_times_read (&row->times, &figures);
    }
  while (go_on && !jank_seqlock_read_end (&row->lock, &reader));
  ret_row->count = figures.n;
  ret_row->total_ns = figures.total_ns;
  ret_row->longest_ns = figures.longest_ns;
  ret_row->p50_ns = figures.p50_ns;
  ret_row->p95_ns = figures.p95_ns;
  ret_row->p99_ns = figures.p99_ns;
}

const JankWorkLog *
jank_source_ledger_get_works (const JankSourceLedger *self)
{
  return &self->works;
}

void
jank_source_ledger_get_row (const JankSourceLedger *self, guint row, JankLedgerRow *ret_row)
{
  jank_source_ledger_read_row (&self->rows[MIN (row, OTHER_ROW)], ret_row);
}

JANK_ORDER_FALLING (jank_source_ledger_compare_rows, JankLedgerRow, ->total_ns)

guint
jank_source_ledger_read (const JankSourceLedger *self, JankLedgerRow *ret_rows)
{
  guint n_rows = atomic_load_explicit (&self->n_rows, memory_order_acquire);

  for (guint i = 0; i < n_rows; i++)
    jank_source_ledger_read_row (&self->rows[i], &ret_rows[i]);
  if (atomic_load_explicit (&self->n_others, memory_order_acquire) != 0)
    jank_source_ledger_read_row (&self->rows[OTHER_ROW], &ret_rows[n_rows++]);
  qsort (ret_rows, n_rows, sizeof *ret_rows, jank_source_ledger_compare_rows);
  return n_rows;
}
