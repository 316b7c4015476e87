/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stalls in which nothing stays as it is: locks and descriptors that are gone and stand for something else a moment
 * after the wait, threads that come, go and change their names. */

#include "kinds.h"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define TURN_NS (3 * NS_PER_MS)
#define SLOT_BYTES 4096
#define FIXED_FD 200
#define N_MANY 500
#define N_CHURNERS 6

static pthread_mutex_t *slot;
static pthread_mutex_t decoy = PTHREAD_MUTEX_INITIALIZER;
static sem_t ask, asked;
static int ends[2];
static int decoy_fd;

static void
pause_a_turn (void)
{
  struct timespec time = timespec_from_ns (TURN_NS);

  nanosleep (&time, NULL);
}

static void
wait_for (sem_t *semaphore)
{
  while (sem_wait (semaphore) != 0)
    continue;
}

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

/* Holds the slot's mutex for a turn, over and over. */
static void *
slot_holder_thread (void *data)
{
  truth.holder = gettid ();
  sem_post (&asked);
  while (TRUE)
    {
      wait_for (&ask);
      pthread_mutex_lock (slot);
      sem_post (&asked);
      pause_a_turn ();
      pthread_mutex_unlock (slot);
    }
  return NULL;
}

/* Holds a mutex that nobody wants, and whose bytes the slot gets when its own is no longer waited for. */
static void *
decoy_thread (void *data)
{
  pthread_mutex_lock (&decoy);
  truth.wrong_owner = gettid ();
  sem_post (&asked);
  while (TRUE)
    pause ();
  return NULL;
}

static void
map_slot (void)
{
  slot = mmap (slot, SLOT_BYTES, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | (slot != NULL ? MAP_FIXED : 0), -1, 0);
  kinds_check (slot != MAP_FAILED, "mmap");
  pthread_mutex_init (slot, NULL);
}

static void
prepare_mutexes (gint64 length_ns)
{
  sem_init (&ask, 0, 0);
  sem_init (&asked, 0, 0);
  start_thread ("decoy", decoy_thread);
  wait_for (&asked);
  start_thread ("holder", slot_holder_thread);
  wait_for (&asked);
  map_slot ();
}

STALL (stall_in_fickle_mutexes)
{
  gint64 until_ns = now_ns () + length_ns;

  while (now_ns () < until_ns)
    {
      sem_post (&ask);
      wait_for (&asked);
      pthread_mutex_lock (slot);
      memcpy (slot, &decoy, sizeof decoy);
      pause_a_turn ();
      munmap (slot, SLOT_BYTES);
      pause_a_turn ();
      map_slot ();
    }
}

static void *
writer_thread (void *data)
{
  while (TRUE)
    {
      wait_for (&ask);
      pause_a_turn ();
      kinds_check (write (ends[1], "j", 1) == 1, "write");
    }
  return NULL;
}

static void
prepare_files (gint64 length_ns)
{
  g_autofree char *path = kinds_path ("never waited for");

  sem_init (&ask, 0, 0);
  kinds_check (pipe2 (ends, O_CLOEXEC) == 0, "pipe2");
  decoy_fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  kinds_check (decoy_fd >= 0, path);
  g_strlcpy (truth.wrong_target, path, sizeof truth.wrong_target);
  start_thread ("writer", writer_thread);
}

/* One descriptor, which is a pipe while it is waited for and a file while it is not. */
STALL (stall_in_fickle_files)
{
  gint64 until_ns = now_ns () + length_ns;
  char byte;

  while (now_ns () < until_ns)
    {
      kinds_check (dup3 (ends[0], FIXED_FD, O_CLOEXEC) == FIXED_FD, "dup3");
      sem_post (&ask);
      staller_sink += (guint64) read (FIXED_FD, &byte, 1);
      kinds_check (dup3 (decoy_fd, FIXED_FD, O_CLOEXEC) == FIXED_FD, "dup3");
      pause_a_turn ();
      close (FIXED_FD);
      pause_a_turn ();
    }
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
  { "fickle-mutexes", KIND (stall_in_fickle_mutexes), "blocked", NULL, NULL, prepare_mutexes },
  { "fickle-files", KIND (stall_in_fickle_files), "blocked", NULL, NULL, prepare_files },
  { "many-threads", KIND (stall_among_threads), "blocked", "sleep", "clock_nanosleep", prepare_many_threads },
  { "churn", KIND (stall_among_threads), "blocked", "sleep", "clock_nanosleep", prepare_churn },
};
const guint n_kinds_fickle = G_N_ELEMENTS (kinds_fickle);
