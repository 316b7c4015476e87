/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "guest/jank-own-thread-private.h"

#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <glib/gi18n-lib.h>

#include "base/jank-error.h"

/* 28 KB are used; a program's log may take more. */
#define STACK_BYTES (512 * 1024)

/* For the watcher's thread and that of its errands. */
#define N_OWN_ARENAS 2

static gboolean
jank_own_thread_has_one_arena (void)
{
  static const char tunable[] = "glibc.malloc.arena_max=1";
  const char *limit = getenv ("MALLOC_ARENA_MAX"), *tunables = getenv ("GLIBC_TUNABLES");
  const char *set = tunables != NULL ? strstr (tunables, tunable) : NULL;

  return g_strcmp0 (limit, "1") == 0 || (set != NULL && !g_ascii_isdigit (set[strlen (tunable)]));
}

/* Arenas that threads leave behind go to the next ones that begin. */
static gpointer
jank_own_thread_leave_arenas (gpointer n_more)
{
  pthread_t thread;

  if (n_more != NULL &&
      jank_own_thread_start (&thread, jank_own_thread_leave_arenas,
                             GUINT_TO_POINTER (GPOINTER_TO_UINT (n_more) - 1), NULL))
    pthread_join (thread, NULL);
  return NULL;
}

void
jank_own_thread_prepare (void)
{
  if (!jank_own_thread_has_one_arena ())
    return;
  mallopt (M_ARENA_MAX, 1 + N_OWN_ARENAS);
  jank_own_thread_leave_arenas (GUINT_TO_POINTER (N_OWN_ARENAS));
  mallopt (M_ARENA_MAX, 1);
}

gboolean
jank_own_thread_start (pthread_t *ret_thread, gpointer (*func) (gpointer data), gpointer data, GError **error)
{
  pthread_attr_t attributes;
  sigset_t all;
  int number;

  sigfillset (&all);
  pthread_attr_init (&attributes);
  pthread_attr_setstacksize (&attributes, STACK_BYTES);
  pthread_attr_setsigmask_np (&attributes, &all);
  number = pthread_create (ret_thread, &attributes, func, data);
  pthread_attr_destroy (&attributes);
  if (number == 0)
    return TRUE;
  g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE,
               _("this process cannot start another thread (pthread_create: %s)"),
               g_strerror (number));
  return FALSE;
}
