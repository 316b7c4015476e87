/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "symbols/jank-far-file-private.h"

#include <sys/prctl.h>

#include "guest/jank-own-thread-private.h"
#include "guest/jank-rest-private.h"
#include "descriptors/jank-mounts-private.h"

#define WAIT_US (G_USEC_PER_SEC / 5)

/* Owned by both threads; the last one frees it. */
typedef struct
{
  void         (*func) (gpointer data);
  gpointer       data;
  GDestroyNotify free_func;

  GMutex   mutex;
  GCond    cond;
  gboolean answered; /* under the mutex */
} Request;

/* (atomic): threads that have not returned. One that hangs is enough. */
static gint n_asking;

gboolean
jank_far_file_is (const char *path)
{
  JankMount mount;

  return jank_mounts_find_path (path, &mount) && jank_mounts_is_remote (mount.type);
}

static void
jank_far_file_request_clear (gpointer data)
{
  Request *request = data;

  request->free_func (request->data);
  g_mutex_clear (&request->mutex);
  g_cond_clear (&request->cond);
}

static void
jank_far_file_request_unref (Request *request)
{
  g_atomic_rc_box_release_full (request, jank_far_file_request_clear);
}

/* The request's own thread. */
static gpointer
jank_far_file_ask_thread (gpointer data)
{
  Request *request = data;

  prctl (PR_SET_NAME, "jankwatch-files", 0, 0, 0);
  jank_rest_join ();
  request->func (request->data);
  jank_rest_leave ();
  g_atomic_int_dec_and_test (&n_asking);
  g_mutex_lock (&request->mutex);
  request->answered = TRUE;
  g_cond_signal (&request->cond);
  g_mutex_unlock (&request->mutex);
  jank_far_file_request_unref (request);
  return NULL;
}

static gboolean
jank_far_file_wait_for_answer (Request *request)
{
  gint64 until_us = g_get_monotonic_time () + WAIT_US;
  gboolean answered;

  jank_rest_begin ();
  g_mutex_lock (&request->mutex);
  while (!request->answered && g_cond_wait_until (&request->cond, &request->mutex, until_us))
    continue;
  answered = request->answered;
  g_mutex_unlock (&request->mutex);
  jank_rest_end ();
  return answered;
}

gboolean
jank_far_file_ask (void (*func) (gpointer data), gpointer data, GDestroyNotify free_func,
                   void (*read) (gpointer data, gpointer user_data), gpointer user_data)
{
  Request *request = g_atomic_rc_box_new0 (Request);
  pthread_t thread;
  gboolean is_asked = FALSE, answered = FALSE;

  *request = (Request) { .func = func, .data = data, .free_func = free_func };
  g_mutex_init (&request->mutex);
  g_cond_init (&request->cond);
  if (g_atomic_int_get (&n_asking) == 0)
    {
      g_atomic_int_inc (&n_asking);
      g_atomic_rc_box_acquire (request);
      is_asked = jank_own_thread_start (&thread, jank_far_file_ask_thread, request, NULL);
      if (!is_asked)
        {
          g_atomic_int_add (&n_asking, -1);
          jank_far_file_request_unref (request);
        }
    }
  if (is_asked)
    {
      pthread_detach (thread);
      answered = jank_far_file_wait_for_answer (request);
      if (answered)
        read (request->data, user_data);
    }
  jank_far_file_request_unref (request);
  return answered;
}
