/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <glib.h>

#include "base/jank-seqlock-private.h"
#include "test.h"

#define N_WORDS  64
#define N_MOMENTS 1000
#define STRESS_NS (JANK_NS_PER_S / 2)
#define LOST_NS   (60 * JANK_NS_PER_S)

typedef struct
{
  JankSeqlock      lock;
  _Atomic uint64_t words[N_WORDS];
  _Atomic gboolean stop;
} Shared;

static void
publish (Shared *shared, guint64 number)
{
  guint64 words[N_WORDS];

  for (guint i = 0; i < N_WORDS; i++)
    words[i] = number + i;
  jank_seqlock_begin (&shared->lock);
  jank_seqlock_store (shared->words, words, N_WORDS);
  jank_seqlock_end (&shared->lock);
}

static gboolean
read_words (Shared *shared, guint64 *words)
{
  JankSeqlockReader reader = { 0 };

  while (jank_seqlock_read_begin (&shared->lock, &reader))
    {
      jank_seqlock_load (shared->words, words, N_WORDS);
      if (jank_seqlock_read_end (&shared->lock, &reader))
        return TRUE;
    }
  return FALSE;
}

/* Bursts, and pauses as long. */
static gpointer
write_thread (gpointer data)
{
  Shared *shared = data;

  for (guint64 number = 1; !atomic_load (&shared->stop); number++)
    {
      publish (shared, number);
      if (number % 256 == 0)
        g_usleep (10);
    }
  return NULL;
}

/* What is read is one moment, and never an older one than before. */
TEST (stress)
{
  g_autofree Shared *shared = g_new0 (Shared, 1);
  guint64 words[N_WORDS], last = 0;
  guint n_moments = 0, n_given_up = 0;
  gint64 began_ns = jank_clock_now_ns ();
  GThread *thread;

  publish (shared, 0);
  thread = g_thread_new ("writer", write_thread, shared);
  while (n_moments < N_MOMENTS || jank_clock_now_ns () - began_ns < STRESS_NS)
    {
      g_assert_cmpint (jank_clock_now_ns () - began_ns, <, LOST_NS);
      if (!read_words (shared, words))
        {
          n_given_up++;
          continue;
        }
      for (guint i = 1; i < N_WORDS; i++)
        g_assert_cmpuint (words[i], ==, words[0] + i);
      g_assert_cmpuint (words[0], >=, last);
      n_moments += words[0] != last;
      last = words[0];
    }
  atomic_store (&shared->stop, TRUE);
  g_thread_join (thread);
  g_test_message ("%u moments of %" G_GUINT64_FORMAT ", %u times given up", n_moments, last, n_given_up);
}

static gpointer
end_thread (gpointer data)
{
  g_usleep (5000);
  jank_seqlock_end (data);
  return NULL;
}

/* The writer loses its CPU in mid-write: for a moment, which is waited for, and then for good. */
TEST (held_up)
{
  g_autofree Shared *shared = g_new0 (Shared, 1);
  guint64 words[N_WORDS];
  gint64 began_ns;
  GThread *thread;

  jank_seqlock_begin (&shared->lock);
  thread = g_thread_new ("writer", end_thread, &shared->lock);
  began_ns = jank_clock_now_ns ();
  /* A writer without a CPU may stay for longer than a reader waits. */
  for (gint64 tried_ns = began_ns; !read_words (shared, words); tried_ns = jank_clock_now_ns ())
    {
      g_assert_cmpint (jank_clock_now_ns () - tried_ns, >=, JANK_SEQLOCK_MAX_WAIT_NS);
      g_assert_cmpint (jank_clock_now_ns () - began_ns, <, LOST_NS);
    }
  g_thread_join (thread);

  jank_seqlock_begin (&shared->lock);
  began_ns = jank_clock_now_ns ();
  g_assert_false (read_words (shared, words));
  g_assert_cmpint (jank_clock_now_ns () - began_ns, >=, JANK_SEQLOCK_MAX_WAIT_NS);
  g_assert_cmpint (jank_clock_now_ns () - began_ns, <, JANK_SEQLOCK_MAX_WAIT_NS + 10 * JANK_NS_PER_S);
}

TESTS ("/base/seqlock")
