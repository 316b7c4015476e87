/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gtk/inspector/jank-inspector-briefs-private.h"

#include <pthread.h>

#include "base/jank-text-clean-private.h"

#define N_BRIEFS 128

typedef struct
{
  gint64 began_ns, ended_ns;
  char  *text; /* (owned) (nullable) */
} Brief;

/* All under mutex; thread sanitizers do not know GMutex. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static Brief briefs[N_BRIEFS];
static guint n_added; /* ever */

void
jank_inspector_briefs_add (gint64 began_ns, gint64 ended_ns, const char *culprit, const char *innermost)
{
  Brief brief = { began_ns, ended_ns, NULL };
  g_autofree char *both = culprit != NULL && innermost != NULL && !g_str_equal (culprit, innermost)
                          ? g_strdup_printf ("%s → %s", culprit, innermost) : NULL;
  char *old;

  if (culprit == NULL && innermost == NULL)
    return;
  brief.text = jank_text_clean (both != NULL ? both : culprit != NULL ? culprit : innermost);
  pthread_mutex_lock (&mutex);
  old = briefs[n_added % N_BRIEFS].text;
  briefs[n_added++ % N_BRIEFS] = brief;
  pthread_mutex_unlock (&mutex);
  g_free (old);
}

char *
jank_inspector_briefs_find (gint64 began_ns, gint64 ended_ns, gint64 *ret_busy_ns)
{
  const Brief *found = NULL;
  gint64 most_ns = 0;
  char *text = NULL;

  pthread_mutex_lock (&mutex);
  for (guint i = 0; i < MIN (n_added, N_BRIEFS); i++)
    {
      const Brief *brief = &briefs[i];
      gint64 overlap_ns = MIN (brief->ended_ns, ended_ns) - MAX (brief->began_ns, began_ns);

      if (overlap_ns > most_ns)
        {
          most_ns = overlap_ns;
          found = brief;
        }
    }
  if (found != NULL)
    {
      text = g_strdup (found->text);
      *ret_busy_ns = found->ended_ns - found->began_ns;
    }
  pthread_mutex_unlock (&mutex);
  return text;
}
