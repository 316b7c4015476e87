/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One problem: a timeout whose callback computes, at a line and an address that each build has of its own. */

#include <glib.h>

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
sum_numbers (gint64 end_us)
{
  for (guint i = 0; i < 10000; i++)
    sum += i;
  return g_get_monotonic_time () < end_us;
}

static __attribute__ ((noinline)) void
load_document (void)
{
  gint64 end_us = g_get_monotonic_time () + 300000;

  while (sum_numbers (end_us))
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
