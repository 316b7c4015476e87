/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* turns HOW N: a program that iterates the default context by itself, N times, and prints what each iteration
 * dispatched: one thread, two that take it by turns, two one after the other, or handlers that iterate again. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gio/gio.h>

#define STALL_EVERY 997 /* iterations */
#define STALL_US    (30 * 1000)

static guint n_turns, n_done;
static guint n_called[6]; /* in the present iteration, by kind */
static guint n_own;       /* contexts of a thread's own that were iterated */
static guint64 all = 14695981039346656037u; /* FNV-1a of all that was seen */

static GMutex mutex;
static GCond changed;
static guint whose;

static void
note (guint value)
{
  all = (all ^ value) * 1099511628211u;
}

static gboolean
count_cb (gpointer data)
{
  n_called[GPOINTER_TO_UINT (data)]++;
  return G_SOURCE_REMOVE;
}

static gboolean
nested_cb (gpointer data)
{
  g_idle_add (count_cb, GUINT_TO_POINTER (4));
  note (g_main_context_iteration (NULL, FALSE));
  note ((guint) g_main_depth ());
  return count_cb (data);
}

/* A context of the thread's own, as `_sync` functions use it. */
static void
iterate_own (void)
{
  g_autoptr (GMainContext) context = g_main_context_new ();
  g_autoptr (GSource) source = g_idle_source_new ();

  g_source_set_callback (source, count_cb, GUINT_TO_POINTER (5), NULL);
  g_source_attach (source, context);
  note (g_main_context_iteration (context, TRUE));
  note (g_main_context_iteration (context, FALSE));
  n_own++;
}

static void
stall (void)
{
  gint64 until_us = g_get_monotonic_time () + STALL_US;

  while (g_get_monotonic_time () < until_us)
    ;
}

/* Until nothing is left: how many iterations that takes is counted. */
static void
drain (void)
{
  guint n = 0;

  while (g_main_context_iteration (NULL, FALSE))
    n++;
  note (n);
  note (g_main_context_pending (NULL));
}

/* What is to be dispatched follows from the iteration's number alone. */
static void
add_sources (guint i, gboolean nests)
{
  if (i % 2 == 0)
    g_idle_add (nests ? nested_cb : count_cb, GUINT_TO_POINTER (0));
  if (i % 3 == 0)
    g_timeout_add (0, count_cb, GUINT_TO_POINTER (1));
  if (i % 5 == 0)
    g_idle_add_full (G_PRIORITY_HIGH, count_cb, GUINT_TO_POINTER (2), NULL);
  if (i % 7 == 0)
    g_idle_add_full (G_PRIORITY_LOW, count_cb, GUINT_TO_POINTER (3), NULL);
}

static void
turn (guint i, gboolean nests)
{
  guint first, second;
  gboolean waits = i % 64 == 0;

  if (waits)
    drain ();
  memset (n_called, 0, sizeof n_called);
  if (waits)
    g_timeout_add (2, count_cb, GUINT_TO_POINTER (1));
  else
    add_sources (i, nests);
  if (i % 1000 == 0)
    iterate_own ();
  if (i % STALL_EVERY == 0)
    stall ();

  /* Two sources' numbers are neighbours: nobody adds any in between. */
  first = g_idle_add_full (G_MININT, count_cb, GUINT_TO_POINTER (0), NULL);
  second = g_idle_add (count_cb, GUINT_TO_POINTER (0));
  note (second - first);
  g_source_remove (first);
  g_source_remove (second);

  note (g_main_context_iteration (NULL, waits));
  for (guint kind = 0; kind < G_N_ELEMENTS (n_called); kind++)
    note (n_called[kind]);
  n_done++;
}

static gpointer
by_turns_thread (gpointer data)
{
  guint own = GPOINTER_TO_UINT (data);

  for (guint i = own; i < n_turns; i += 2)
    {
      g_mutex_lock (&mutex);
      while (whose != own)
        g_cond_wait (&changed, &mutex);
      turn (i, FALSE);
      whose = 1 - own;
      g_cond_broadcast (&changed);
      g_mutex_unlock (&mutex);
    }
  return NULL;
}

static gpointer
all_thread (gpointer data)
{
  for (guint i = 0; i < n_turns; i++)
    turn (i, data != NULL);
  drain ();
  return NULL;
}

/* One thread spins on the context for so long that a spin is found, then another takes it over and spins, and so on. */
static void
spin_by_turns (void)
{
  gint64 until_us = g_get_monotonic_time () + 3 * G_USEC_PER_SEC;

  for (guint i = 1; g_get_monotonic_time () < until_us; i++)
    if (g_main_context_iteration (NULL, FALSE))
      note (i);
  n_turns = 64;
  g_thread_join (g_thread_new ("turns", all_thread, NULL));
}

int
main (int argc, char **argv)
{
  const char *how = argc > 2 ? argv[1] : "";
  GThread *other;

  n_turns = argc > 2 ? (guint) atoi (argv[2]) : 0;
  /* Now GIO loads its modules. */
  g_vfs_get_default ();
  if (strcmp (how, "one") == 0)
    all_thread (NULL);
  else if (strcmp (how, "nested") == 0)
    all_thread (GUINT_TO_POINTER (1));
  else if (strcmp (how, "by-turns") == 0)
    {
      other = g_thread_new ("turns", by_turns_thread, GUINT_TO_POINTER (1));
      by_turns_thread (GUINT_TO_POINTER (0));
      g_thread_join (other);
      drain ();
    }
  else if (strcmp (how, "one-after-other") == 0)
    for (guint i = 0; i < 4; i++)
      {
        all_thread (NULL);
        g_thread_join (g_thread_new ("turns", all_thread, NULL));
      }
  else if (strcmp (how, "spins") == 0)
    for (guint i = 0; i < 2; i++)
      spin_by_turns ();
  else
    return 2;
  printf ("%u iterations, %u contexts, %016" G_GINT64_MODIFIER "x\n", n_done, n_own, all);
  return 0;
}
