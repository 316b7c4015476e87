/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "guest/jank-errands-private.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-error.h"
#include "base/jank-memory-private.h"
#include "guest/jank-own-thread-private.h"
#include "guest/jank-rest-private.h"
#include "base/jank-stderr-private.h"
#include "base/jank-text-clean-private.h"

/* An errand allocates at most this: a text for standard error, a source in a context. */
#define ERRAND_BYTES (64 << 10)

typedef struct
{
  void   (*func) (gpointer data);
  gpointer data;
} Errand;

/* Belongs to the thread that has the errands. */
typedef struct
{
  pthread_t thread;
  gboolean  has_thread;

  /* under mutex, never held across a call */
  pthread_mutex_t mutex; /* not GLib's, which no thread sanitizer sees */
  pthread_cond_t  changed;
  GQueue          errands; /* of (owned) Errand; the first is being done */
  pid_t           tid;     /* 0: not yet known, -1: it has no memory */
  gboolean        ending;
} Errands;

static _Thread_local Errands *own;

static Errand *
jank_errands_take_next (Errands *self, Errand *done)
{
  Errand *next;

  pthread_mutex_lock (&self->mutex);
  if (done != NULL)
    g_queue_pop_head (&self->errands);
  else
    self->tid = jank_memory_has_room (ERRAND_BYTES) ? (pid_t) syscall (SYS_gettid) : -1;
  pthread_cond_broadcast (&self->changed);
  while (g_queue_is_empty (&self->errands) && !self->ending)
    {
      jank_rest_begin ();
      pthread_cond_wait (&self->changed, &self->mutex);
      jank_rest_end ();
    }
  next = g_queue_peek_head (&self->errands);
  pthread_mutex_unlock (&self->mutex);
  g_free (done);
  return next;
}

static gpointer
jank_errands_run (gpointer data)
{
  Errand *errand = NULL;

  prctl (PR_SET_NAME, "jankwatch", 0, 0, 0);
  jank_rest_join ();
  while ((errand = jank_errands_take_next (data, errand)) != NULL)
    errand->func (errand->data);
  jank_memory_leave_room ();
  jank_rest_leave ();
  return NULL;
}

gboolean
jank_errands_begin (GError **error)
{
  Errands *self = g_new0 (Errands, 1);

  pthread_mutex_init (&self->mutex, NULL);
  pthread_cond_init (&self->changed, NULL);
  g_queue_init (&self->errands);
  own = self;
  self->has_thread = jank_own_thread_start (&self->thread, jank_errands_run, self, error);
  pthread_mutex_lock (&self->mutex);
  while (self->has_thread && self->tid == 0)
    pthread_cond_wait (&self->changed, &self->mutex);
  pthread_mutex_unlock (&self->mutex);
  if (self->tid > 0)
    return TRUE;
  if (self->has_thread)
    g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE, _("this process may use too little memory"));
  jank_errands_end ();
  return FALSE;
}

void
jank_errands_end (void)
{
  Errands *self = g_steal_pointer (&own);

  if (self->has_thread)
    {
      pthread_mutex_lock (&self->mutex);
      self->ending = TRUE;
      pthread_cond_broadcast (&self->changed);
      pthread_mutex_unlock (&self->mutex);
      pthread_join (self->thread, NULL);
    }
  pthread_mutex_destroy (&self->mutex);
  pthread_cond_destroy (&self->changed);
  g_free (self);
}

void
jank_errands_flush (gint64 timeout_us)
{
  gint64 until_ns = jank_clock_now_ns () + timeout_us * JANK_NS_PER_US;
  const struct timespec until = { until_ns / JANK_NS_PER_S, until_ns % JANK_NS_PER_S };

  jank_rest_begin ();
  pthread_mutex_lock (&own->mutex);
  while (!g_queue_is_empty (&own->errands) &&
         pthread_cond_clockwait (&own->changed, &own->mutex, CLOCK_MONOTONIC, &until) == 0)
    ;
  pthread_mutex_unlock (&own->mutex);
  jank_rest_end ();
}

pid_t
jank_errands_get_tid (void)
{
  return own != NULL ? own->tid : 0;
}

void
jank_errands_do (void (*func) (gpointer data), gpointer data)
{
  Errand *errand;

  if (own == NULL)
    {
      func (data);
      return;
    }
  errand = g_new (Errand, 1);
  *errand = (Errand) { func, data };
  pthread_mutex_lock (&own->mutex);
  g_queue_push_tail (&own->errands, errand);
  pthread_cond_broadcast (&own->changed);
  pthread_mutex_unlock (&own->mutex);
}

typedef struct
{
  GSource      *source;  /* (owned) */
  GMainContext *context; /* (owned) (nullable) */
} Attachment;

static void
jank_errands_attach_cb (gpointer data)
{
  Attachment *attachment = data;

  g_source_attach (attachment->source, attachment->context);
  g_source_unref (attachment->source);
  g_clear_pointer (&attachment->context, g_main_context_unref);
  g_free (attachment);
}

void
jank_errands_attach (GSource *source, GMainContext *context)
{
  Attachment *attachment = g_new (Attachment, 1);

  *attachment = (Attachment) { source, context != NULL ? g_main_context_ref (context) : NULL };
  jank_errands_do (jank_errands_attach_cb, attachment);
}

static void
jank_errands_say_cb (gpointer data)
{
  g_autofree char *text = data, *clean = jank_text_clean (text);

  jank_stderr_say (clean);
}

void
jank_errands_say (const char *format, ...)
{
  va_list args;
  char *text;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  jank_errands_do (jank_errands_say_cb, text);
}
