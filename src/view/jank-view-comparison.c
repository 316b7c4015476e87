/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "view/jank-view-comparison-private.h"

void
jank_view_comparison_free (JankViewComparison *self)
{
  g_clear_pointer (&self->comparison, jank_comparison_free);
  for (guint at = 0; at < 2; at++)
    {
      g_clear_pointer (&self->rows[at], g_ptr_array_unref);
      g_clear_pointer (&self->files[at], g_ptr_array_unref);
    }
  g_free (self);
}

typedef struct
{
  JankViewSource *source;  /* (owned) */
  char           *sets[2]; /* (owned) */
} Compare;

static void
free_compare (gpointer data)
{
  Compare *compare = data;

  jank_view_source_unref (compare->source);
  g_free (compare->sets[0]);
  g_free (compare->sets[1]);
  g_free (compare);
}

static void
compare_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Compare *compare = data;
  g_autoptr (JankViewComparison) result = g_new0 (JankViewComparison, 1);
  g_autoptr (GPtrArray) bad = g_ptr_array_new_with_free_func (g_free);
  GError *error = NULL;

  for (guint at = 0; at < 2; at++)
    {
      g_autoptr (JankFilter) filter = NULL;

      if (g_task_return_error_if_cancelled (task))
        return;
      filter = jank_filter_from_text (compare->sets[at], &error);
      if (filter == NULL ||
          !jank_view_source_read (compare->source, filter, bad, &result->rows[at], &result->files[at], &error))
        {
          g_task_return_error (task, error);
          return;
        }
    }
  result->comparison = jank_comparison_new (result->rows, result->files);
  g_task_return_pointer (task, g_steal_pointer (&result), (GDestroyNotify) jank_view_comparison_free);
}

void
jank_view_compare_sets (JankViewSource *source, const char *a, const char *b, GCancellable *cancellable,
                        GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, data);
  Compare *compare = g_new0 (Compare, 1);

  compare->source = jank_view_source_ref (source);
  compare->sets[0] = g_strdup (a);
  compare->sets[1] = g_strdup (b);
  g_task_set_task_data (task, compare, free_compare);
  g_task_run_in_thread (task, compare_thread);
}

JankViewComparison *
jank_view_compare_sets_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
