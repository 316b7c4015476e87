/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/jank-view-private.h"

#include <glib/gi18n-lib.h>

#include "base/jank-order-private.h"
#include "text/jank-text-report-private.h"

gboolean
jank_view_program_has (const JankViewItem *program, const JankProblem *problem)
{
  return program == NULL || program->app == NULL ||
         g_ptr_array_find_with_equal_func (problem->apps, program->app, g_str_equal, NULL);
}

/* app: (nullable): all. Returns: (transfer full) */
static JankViewItem *
make_item (JankViewList *list, const char *app)
{
  JankViewItem *self = g_object_new (JANK_TYPE_VIEW_ITEM, NULL);
  JankSeverity severity = JANK_SEVERITY_MINOR;
  g_autofree char *problems = NULL, *total = NULL;
  guint n = 0;

  self->app = g_strdup (app);
  for (guint i = 0; i < list->problems->len; i++)
    {
      const JankProblem *problem = g_ptr_array_index (list->problems, i);

      if (!jank_view_program_has (self, problem))
        continue;
      n++;
      self->total_ns += problem->total_ns;
      severity = MAX (severity, problem->longest->severity);
    }
  problems = g_strdup_printf (ngettext ("%u problem", "%u problems", n), n);
  total = jank_text_duration (self->total_ns);
  self->title = app != NULL ? jank_text_short_path (app) : g_strdup (_("All Programs"));
  /* Translators: as in “3 problems, 1.2 s”. */
  self->details = g_strdup_printf (_("%s, %s"), problems, total);
  self->badge = jank_text_severity (severity);
  self->badge_class = jank_severity_to_nick (severity);
  return self;
}

JANK_ORDER_FALLING (compare_cb, JankViewItem *const, [0]->total_ns)

GPtrArray *
jank_view_programs_new (JankViewList *list)
{
  GPtrArray *items = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GHashTable) apps = g_hash_table_new (g_str_hash, g_str_equal);
  GHashTableIter iter;
  gpointer app;

  for (guint i = 0; i < list->problems->len; i++)
    {
      const JankProblem *problem = g_ptr_array_index (list->problems, i);

      for (guint k = 0; k < problem->apps->len; k++)
        g_hash_table_add (apps, g_ptr_array_index (problem->apps, k));
    }
  g_hash_table_iter_init (&iter, apps);
  while (g_hash_table_iter_next (&iter, &app, NULL))
    g_ptr_array_add (items, make_item (list, app));
  g_ptr_array_sort (items, compare_cb);
  g_ptr_array_insert (items, 0, make_item (list, NULL));
  return items;
}
