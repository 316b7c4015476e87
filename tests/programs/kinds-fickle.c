/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stalls among threads that come, go and change their names. Locks and descriptors that become something else while
 * they are read: wait/lock and descriptors/descriptor. */

#include "kinds.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

#define N_MANY 500
#define N_CHURNERS 6

static void
start_thread (const char *name, void *(*run) (void *))
{
  pthread_attr_t attributes;
  pthread_t thread;

  pthread_attr_init (&attributes);
  pthread_attr_setstacksize (&attributes, 128 * 1024);
  pthread_attr_setdetachstate (&attributes, PTHREAD_CREATE_DETACHED);
  kinds_check (pthread_create (&thread, &attributes, run, NULL) == 0, "pthread_create");
  pthread_setname_np (thread, name);
  pthread_attr_destroy (&attributes);
}

static void *
waiting_thread (void *data)
{
  while (TRUE)
    pause ();
  return NULL;
}

static void
prepare_many_threads (gint64 length_ns)
{
  for (int i = 0; i < N_MANY; i++)
    start_thread ("one of many", waiting_thread);
}

static void *
short_lived_thread (void *data)
{
  struct timespec time = timespec_from_ns (NS_PER_MS);

  nanosleep (&time, NULL);
  return NULL;
}

/* Starts threads that end at once, and calls itself otherwise each time. */
static void *
churner_thread (void *data)
{
  for (guint i = 0;; i++)
    {
      char name[16];

      g_snprintf (name, sizeof name, "churner-%u", i % 1000);
      prctl (PR_SET_NAME, name);
      start_thread ("short-lived", short_lived_thread);
      g_usleep (500);
    }
  return NULL;
}

static void
prepare_churn (gint64 length_ns)
{
  const HolderJob job = { NULL, holder_sleeps, NULL };

  truth.holder = holder_start_thread ("holder", &job, length_ns);
  truth.holder_function = "holder_sleeps";
  for (int i = 0; i < N_CHURNERS; i++)
    start_thread ("churner", churner_thread);
}

STALL (stall_among_threads)
{
  gint64 until_ns = now_ns () + length_ns;

  while (now_ns () < until_ns)
    {
      struct timespec time = timespec_from_ns (until_ns - now_ns ());

      nanosleep (&time, NULL);
    }
  staller_sink++;
}

const Kind kinds_fickle[] = {
  { "many-threads", KIND (stall_among_threads), "blocked", "sleep", "clock_nanosleep", prepare_many_threads },
  { "churn", KIND (stall_among_threads), "blocked", "sleep", "clock_nanosleep", prepare_churn },
};
const guint n_kinds_fickle = G_N_ELEMENTS (kinds_fickle);
