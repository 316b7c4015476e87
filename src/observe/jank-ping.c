/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One source serves all pings, so the observed thread neither makes nor frees anything: its ready time is now, or
 * never. What both sides use is reference-counted: the source holds a reference while the context calls it. A context
 * that ends destroys its sources, and tells ours before it frees anything. Ours then takes the mutex: whoever holds
 * the mutex and finds the source alive may use the source's context. Lock order: mutex, context's lock. */

#include "observe/jank-ping-private.h"

#include "guest/jank-errands-private.h"

typedef struct
{
  _Atomic guint   n_refs;
  JankThreadFunc  thread_func; /* (nullable) */
  gpointer        data;
  JankBeat        beat;

  /* observed thread only */
  GThread        *thread;      /* (owned) (nullable): that answered last */

  /* any thread, under mutex */
  GRecMutex       mutex;
  gboolean        is_alive;
} Shared;

struct _JankPing
{
  Shared  *shared; /* (owned) */
  GSource *source; /* (owned) */
};

static void
jank_ping_shared_unref (Shared *self)
{
  if (atomic_fetch_sub_explicit (&self->n_refs, 1, memory_order_acq_rel) != 1)
    return;
  g_clear_pointer (&self->thread, g_thread_unref);
  g_rec_mutex_clear (&self->mutex);
  g_free (self);
}

/* The source is destroyed, by us or with its context, and is not being dispatched: nobody will answer. */
static void
jank_ping_source_gone_cb (gpointer data)
{
  Shared *self = data;

  g_rec_mutex_lock (&self->mutex);
  self->is_alive = FALSE;
  if (jank_beat_word_state (jank_beat_load (&self->beat)) != JANK_BEAT_WAITING)
    jank_beat_end (&self->beat);
  g_rec_mutex_unlock (&self->mutex);
  jank_ping_shared_unref (self);
}

static gboolean
jank_ping_dispatch (GSource *source, GSourceFunc callback, gpointer data)
{
  Shared *self = data;

  g_source_set_ready_time (source, -1);
  /* Takes the beat over, from here to its end. */
  if (jank_beat_word_state (jank_beat_load (&self->beat)) == JANK_BEAT_WAITING)
    return G_SOURCE_CONTINUE;
  if (self->thread != g_thread_self ())
    {
      g_clear_pointer (&self->thread, g_thread_unref);
      self->thread = g_thread_ref (g_thread_self ());
      if (self->thread_func != NULL)
        self->thread_func (self->data);
    }
  jank_beat_look (&self->beat);
  /* Whoever waits for the answer may free the ping as soon as the word is stored; the end of the beat still runs. */
  atomic_fetch_add_explicit (&self->n_refs, 1, memory_order_relaxed);
  jank_beat_end (&self->beat);
  jank_ping_shared_unref (self);
  return G_SOURCE_CONTINUE;
}

static gboolean
jank_ping_never_called_cb (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

static GSourceFuncs ping_funcs = { NULL, NULL, jank_ping_dispatch, NULL };

JankPing *
jank_ping_new (GMainContext *context, gint64 report_ns, JankThreadFunc thread_func, gpointer data)
{
  JankPing *self = g_new0 (JankPing, 1);
  Shared *shared = g_new0 (Shared, 1);

  atomic_init (&shared->n_refs, 2);
  shared->thread_func = thread_func;
  shared->data = data;
  shared->is_alive = TRUE;
  g_rec_mutex_init (&shared->mutex);
  jank_beat_init (&shared->beat, report_ns, 0);

  self->shared = shared;
  self->source = g_source_new (&ping_funcs, sizeof (GSource));
  g_source_set_static_name (self->source, "jankwatch: ping");
  g_source_set_callback (self->source, jank_ping_never_called_cb, shared, jank_ping_source_gone_cb);
  g_source_attach (self->source, context);
  return self;
}

void
jank_ping_free (JankPing *self)
{
  g_rec_mutex_lock (&self->shared->mutex);
  if (self->shared->is_alive)
    g_source_destroy (self->source);
  g_rec_mutex_unlock (&self->shared->mutex);
  g_source_unref (self->source);
  jank_ping_shared_unref (self->shared);
  g_free (self);
}

/* The source is ours until the ping is freed, which waits for the watcher's errands. */
static void
jank_ping_wake_cb (gpointer data)
{
  JankPing *self = data;

  g_rec_mutex_lock (&self->shared->mutex);
  if (self->shared->is_alive)
    g_source_set_ready_time (self->source, 0);
  g_rec_mutex_unlock (&self->shared->mutex);
}

gboolean
jank_ping_send (JankPing *self)
{
  Shared *shared = self->shared;
  gboolean is_sent = FALSE;

  if (jank_beat_word_state (jank_beat_load (&shared->beat)) != JANK_BEAT_WAITING)
    return FALSE;
  g_rec_mutex_lock (&shared->mutex);
  if (shared->is_alive)
    {
      jank_beat_begin (&shared->beat);
      is_sent = TRUE;
    }
  g_rec_mutex_unlock (&shared->mutex);
  if (is_sent)
    jank_errands_do (jank_ping_wake_cb, self);
  return is_sent;
}

JankBeat *
jank_ping_get_beat (JankPing *self)
{
  return &self->shared->beat;
}
