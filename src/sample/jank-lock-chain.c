/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sample/jank-thread-snapshot-private.h"

static gint
jank_lock_chain_find_tid (const pid_t *tids, guint n, pid_t tid)
{
  for (guint i = 0; i < n && tid != 0; i++)
    if (tids[i] == tid)
      return (gint) i;
  return -1;
}

static gboolean
jank_lock_chain_contains (const GArray *chain, guint index)
{
  for (guint i = 0; i < chain->len; i++)
    if (g_array_index (chain, guint, i) == index)
      return TRUE;
  return FALSE;
}

gboolean
jank_lock_chain_find (const pid_t *tids, const pid_t *owners, guint n, guint start, GArray *chain)
{
  gboolean cycle = FALSE;
  guint at = start;
  gint next;

  while (!cycle && (next = jank_lock_chain_find_tid (tids, n, owners[at])) >= 0)
    {
      if (chain->len == 0)
        g_array_append_val (chain, start);
      at = (guint) next;
      cycle = jank_lock_chain_contains (chain, at);
      g_array_append_val (chain, at);
    }
  return cycle;
}
