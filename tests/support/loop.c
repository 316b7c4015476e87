/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "loop.h"

static gboolean
quit_cb (gpointer data)
{
  *(gboolean *) data = TRUE;
  return G_SOURCE_REMOVE;
}

void
run_ms (guint ms)
{
  gboolean is_over = FALSE;

  g_timeout_add (ms, quit_cb, &is_over);
  while (!is_over)
    g_main_context_iteration (NULL, TRUE);
}

gboolean
run_until (gboolean (*func) (gpointer data), gpointer data, guint max_ms)
{
  gint64 end_us = g_get_monotonic_time () + max_ms * 1000;

  while (!func (data) && g_get_monotonic_time () < end_us)
    run_ms (10);
  return func (data);
}
