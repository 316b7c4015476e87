/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sinks/jank-sinks-private.h"

#include <pthread.h>

#include "base/jank-text-clean-private.h"

typedef struct
{
  gint64 began_ns, ended_ns;
  char  *text; /* (owned) (nullable) */
} Brief;

/* All under mutex; thread sanitizers do not know GMutex. */
struct _JankInspectorBriefs
{
  pthread_mutex_t mutex;
  Brief           briefs[JANK_INSPECTOR_BRIEFS_MAX];
  guint           n_added; /* ever */
};

JankInspectorBriefs *
jank_inspector_briefs_new (void)
{
  JankInspectorBriefs *self = g_new0 (JankInspectorBriefs, 1);

  pthread_mutex_init (&self->mutex, NULL);
  return self;
}

void
jank_inspector_briefs_free (JankInspectorBriefs *self)
{
  for (guint i = 0; i < JANK_INSPECTOR_BRIEFS_MAX; i++)
    g_free (self->briefs[i].text);
  pthread_mutex_destroy (&self->mutex);
  g_free (self);
}

void
jank_inspector_briefs_add (JankInspectorBriefs *self, gint64 began_ns, gint64 ended_ns, const char *culprit,
                           const char *innermost)
{
  Brief brief = { began_ns, ended_ns, NULL };
  g_autofree char *both = culprit != NULL && innermost != NULL && !g_str_equal (culprit, innermost)
                          ? g_strdup_printf ("%s → %s", culprit, innermost) : NULL;
  char *old;

  if (culprit == NULL && innermost == NULL)
    return;
  brief.text = jank_text_clean (both != NULL ? both : culprit != NULL ? culprit : innermost);
  pthread_mutex_lock (&self->mutex);
  old = self->briefs[self->n_added % JANK_INSPECTOR_BRIEFS_MAX].text;
  self->briefs[self->n_added++ % JANK_INSPECTOR_BRIEFS_MAX] = brief;
  pthread_mutex_unlock (&self->mutex);
  g_free (old);
}

char *
jank_inspector_briefs_find (JankInspectorBriefs *self, gint64 began_ns, gint64 ended_ns, gint64 *ret_busy_ns)
{
  const Brief *found = NULL;
  gint64 most_ns = 0;
  char *text = NULL;

  pthread_mutex_lock (&self->mutex);
  for (guint i = 0; i < MIN (self->n_added, JANK_INSPECTOR_BRIEFS_MAX); i++)
    {
      const Brief *brief = &self->briefs[i];
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
  pthread_mutex_unlock (&self->mutex);
  return text;
}
