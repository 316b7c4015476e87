/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One problem: a timeout whose callback computes, at a line and an address that each build has of its own. So much CPU
 * time has a stack also where the machine gives little of it. */

#include <glib.h>
#include <time.h>

static volatile guint sum;

#if BUILD > 0
static __attribute__ ((noinline)) void
something_new (guint n)
{
  for (guint i = 0; i < n; i++)
    sum += BUILD * i;
}
#endif

static __attribute__ ((noinline)) gboolean
sum_numbers (clock_t end)
{
  for (guint i = 0; i < 10000; i++)
    sum += i;
  return clock () < end;
}

static __attribute__ ((noinline)) void
load_document (void)
{
  clock_t end = clock () + CLOCKS_PER_SEC * 3 / 10;

  while (sum_numbers (end))
    sum++;
}

static gboolean
on_timeout_cb (gpointer loop)
{
#if BUILD > 0
  something_new (BUILD);
#endif
  load_document ();
  g_main_loop_quit (loop);
  return G_SOURCE_REMOVE;
}

int
main (void)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);

  g_timeout_add (50, on_timeout_cb, loop);
  g_main_loop_run (loop);
  return 0;
}
