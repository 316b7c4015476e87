/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "monitor/jank-watched-loop-private.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/jank-clock-private.h"
#include "guest/jank-rest-private.h"

/* How long the end of the program may wait for us. */
#define EXIT_NS (300 * JANK_NS_PER_MS)

static GMutex mutex;
static gint is_claimed;    /* (atomic): not g_once_init_enter(), which would wait for itself if called from inside */
static GPtrArray *running; /* (owned) (nullable), of (unowned) JankWatcher; under mutex */

static void
jank_running_at_exit_cb (void)
{
  g_autoptr (GPtrArray) last = NULL;

  g_mutex_lock (&mutex);
  last = g_steal_pointer (&running);
  g_mutex_unlock (&mutex);
  for (guint i = 0; last != NULL && i < last->len; i++)
    jank_watcher_exit (last->pdata[i], EXIT_NS);
}

static void
jank_running_before_fork_cb (void)
{
  int saved_errno = errno;

  g_mutex_lock (&mutex);
  errno = saved_errno;
  jank_rest_before_fork ();
}

static void
jank_running_in_parent_cb (void)
{
  jank_rest_in_parent ();
  g_mutex_unlock (&mutex);
}

/* A forked child has our source in its loop but no watcher thread to wait for. */
static void
jank_running_in_child_cb (void)
{
  running = NULL;
  g_atomic_int_set (&is_claimed, FALSE);
  jank_rest_in_child ();
  g_mutex_unlock (&mutex);
}

gboolean
jank_running_claim (void)
{
  return g_atomic_int_compare_and_exchange (&is_claimed, FALSE, TRUE);
}

void
jank_running_add (JankWatcher *watcher)
{
  static gsize once;

  if (g_once_init_enter (&once))
    {
      atexit (jank_running_at_exit_cb);
      pthread_atfork (jank_running_before_fork_cb, jank_running_in_parent_cb, jank_running_in_child_cb);
      g_once_init_leave (&once, 1);
    }
  g_mutex_lock (&mutex);
  if (running == NULL)
    running = g_ptr_array_new ();
  g_ptr_array_add (running, watcher);
  g_mutex_unlock (&mutex);
}

gboolean
jank_running_remove (JankWatcher *watcher)
{
  gboolean was_running;

  g_mutex_lock (&mutex);
  was_running = running != NULL && g_ptr_array_remove (running, watcher);
  g_mutex_unlock (&mutex);
  return was_running;
}
