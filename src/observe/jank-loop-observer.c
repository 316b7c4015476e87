/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "observe/jank-loop-observer-private.h"

#include <stdatomic.h>

struct _JankLoopObserver
{
  GSource        parent;

  /* set at construction */
  JankThreadFunc thread_func;
  gpointer       data;
  JankTimes     *turns; /* (owned) (nullable): how long they took; start-up is none */

  /* inside the source, which the context keeps alive for as long as it calls us */
  JankBeat       beat;

  /* set before it is attached */
  GMainContext  *context; /* only its address is used: it may be gone */

  /* observed thread only */
  guint64        thread; /* 0: none yet */
  guint32        counted; /* JankBeatAsks for which the ledger counts */
};

/* Identifies a thread; 0: none given yet. A new thread may reuse both the pthread_t and the ID of one that ended. */
static _Thread_local guint64 thread_number;
static _Atomic guint64 n_threads;

static void
jank_loop_observer_adopt_thread (JankLoopObserver *self)
{
  if (thread_number == 0)
    thread_number = atomic_fetch_add_explicit (&n_threads, 1, memory_order_relaxed) + 1;
  self->thread = thread_number;
  jank_source_ledger_move (self->context);
  self->thread_func (self->data);
}

/* Counts only while somebody asks. */
static void
jank_loop_observer_use_ledger (JankLoopObserver *self, guint32 bit, gboolean counts)
{
  const JankSourceLedger *ledger = NULL;

  if ((self->counted & bit) != 0)
    jank_source_ledger_stop (self->context);
  if (counts)
    ledger = jank_source_ledger_start (self->context);
  self->counted = (self->counted & ~bit) | (ledger != NULL ? bit : 0);
  if (bit == JANK_BEAT_ASKS_SOURCES)
    atomic_store_explicit (&self->beat.sources, ledger, memory_order_release);
  else if (ledger != NULL)
    atomic_store_explicit (&self->beat.works, ledger, memory_order_release);
}

static void
jank_loop_observer_answer (JankLoopObserver *self, guint32 asks)
{
  static const guint32 bits[] = { JANK_BEAT_ASKS_SOURCES, JANK_BEAT_ASKS_WORKS };

  /* As asked, whether or not the ledger is free. */
  for (guint i = 0; i < G_N_ELEMENTS (bits); i++)
    if (((asks ^ self->beat.answered) & bits[i]) != 0)
      {
        self->beat.answered ^= bits[i];
        jank_loop_observer_use_ledger (self, bits[i], (asks & bits[i]) != 0);
      }
  jank_beat_look (&self->beat);
}

static void
jank_loop_observer_end_counted (JankLoopObserver *self)
{
  gint64 began_ns = self->beat.state == JANK_BEAT_BUSY ? self->beat.began_ns : 0;

  jank_beat_end (&self->beat);
  if (began_ns != 0)
    jank_times_add (self->turns, jank_beat_word_ns (jank_beat_load (&self->beat)) - began_ns);
}

static gboolean
jank_loop_observer_prepare (GSource *source, gint *timeout)
{
  JankLoopObserver *self = (JankLoopObserver *) source;
  guint32 asks;

  if (G_UNLIKELY (self->turns != NULL))
    jank_loop_observer_end_counted (self);
  else
    jank_beat_end (&self->beat);
  asks = atomic_load_explicit (&self->beat.asks, memory_order_relaxed);
  /* Behind the end: what we do here for ourselves is no busy period's. */
  if (G_UNLIKELY (self->thread == 0 || self->thread != thread_number))
    jank_loop_observer_adopt_thread (self);
  if (G_UNLIKELY (asks != self->beat.answered))
    jank_loop_observer_answer (self, asks);
  /* What we did here may have slept. */
  if (G_UNLIKELY (self->beat.is_starting))
    self->beat.n_sleeps = jank_beat_count_sleeps ();
  *timeout = -1;
  return FALSE;
}

static gboolean
jank_loop_observer_check (GSource *source)
{
  jank_beat_begin (&((JankLoopObserver *) source)->beat);
  return FALSE;
}

static gboolean
jank_loop_observer_dispatch (GSource *source, GSourceFunc callback, gpointer data)
{
  return G_SOURCE_CONTINUE;
}

static void
jank_loop_observer_finalize (GSource *source)
{
  JankLoopObserver *self = (JankLoopObserver *) source;

  g_free (self->turns);
}

static GSourceFuncs observer_funcs = { jank_loop_observer_prepare, jank_loop_observer_check,
                                      jank_loop_observer_dispatch, jank_loop_observer_finalize };

JankLoopObserver *
jank_loop_observer_new (int64_t report_ns, int64_t startup_began_ns, JankThreadFunc thread_func, gpointer data)
{
  GSource *source = g_source_new (&observer_funcs, sizeof (JankLoopObserver));
  JankLoopObserver *self = (JankLoopObserver *) source;

  jank_beat_init (&self->beat, report_ns, startup_began_ns);
  self->thread_func = thread_func;
  self->data = data;
  g_source_set_static_name (source, "jankwatch");
  g_source_set_priority (source, G_MININT);
  return self;
}

void
jank_loop_observer_attach (JankLoopObserver *self, GMainContext *context, gboolean is_in_wait)
{
  self->context = context;
  g_source_attach ((GSource *) self, context);
  /* The next thing is the end of that wait. */
  if (is_in_wait)
    jank_loop_observer_adopt_thread (self);
}

JankTimes *
jank_loop_observer_count (JankLoopObserver *self)
{
  self->turns = g_new0 (JankTimes, 1);
  self->beat.is_exact = true;
  return self->turns;
}

JankBeat *
jank_loop_observer_get_beat (JankLoopObserver *self)
{
  return &self->beat;
}

void
jank_loop_observer_free (JankLoopObserver *self)
{
  jank_loop_observer_use_ledger (self, JANK_BEAT_ASKS_SOURCES, FALSE);
  jank_loop_observer_use_ledger (self, JANK_BEAT_ASKS_WORKS, FALSE);
  g_source_destroy ((GSource *) self);
  g_source_unref ((GSource *) self);
}
