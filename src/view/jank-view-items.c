/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/jank-view-private.h"

#include <glib/gi18n-lib.h>

#include "base/jank-order-private.h"
#include "text/jank-text-report-private.h"

G_DEFINE_FINAL_TYPE (JankViewItem, jank_view_item, G_TYPE_OBJECT)

enum { PROP_TITLE = 1, PROP_DETAILS, PROP_BADGE, PROP_BADGE_CLASSES, N_PROPS };
static GParamSpec *properties[N_PROPS];

static void
jank_view_item_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  JankViewItem *self = JANK_VIEW_ITEM (object);
  const char *badge[] = { "jank-badge", self->badge_class, NULL };

  switch (id)
    {
    case PROP_TITLE:         g_value_set_string (value, self->title); break;
    case PROP_DETAILS:       g_value_set_string (value, self->details); break;
    case PROP_BADGE:         g_value_set_string (value, self->badge); break;
    case PROP_BADGE_CLASSES: g_value_set_boxed (value, badge); break;
    default:                 G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec); break;
    }
}

static void
jank_view_item_finalize (GObject *object)
{
  JankViewItem *self = JANK_VIEW_ITEM (object);

  g_free (self->title);
  g_free (self->details);
  g_free (self->app);
  g_clear_pointer (&self->list, jank_view_list_unref);
  G_OBJECT_CLASS (jank_view_item_parent_class)->finalize (object);
}

static void
jank_view_item_class_init (JankViewItemClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags read = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->get_property = jank_view_item_get_property;
  object_class->finalize = jank_view_item_finalize;
  properties[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, NULL, read);
  properties[PROP_DETAILS] = g_param_spec_string ("details", NULL, NULL, NULL, read);
  properties[PROP_BADGE] = g_param_spec_string ("badge", NULL, NULL, NULL, read);
  properties[PROP_BADGE_CLASSES] = g_param_spec_boxed ("badge-classes", NULL, NULL, G_TYPE_STRV, read);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
jank_view_item_init (JankViewItem *self)
{
}

static char *
jank_view_problem_make_details (const JankViewItem *self)
{
  const JankProblem *problem = self->problem;
  g_autofree char *total = jank_text_duration (problem->total_ns);
  g_autofree char *apps = jank_text_join (problem->apps, jank_text_short_path);
  g_autofree char *count = g_strdup_printf (ngettext ("%u stall", "%u stalls", (guint) MIN (problem->count, G_MAXUINT)),
                                            (guint) MIN (problem->count, G_MAXUINT));
  g_autoptr (GString) text = g_string_new (NULL);

  jank_text_append_item (text, count);
  jank_text_append_item (text, total);
  if (*apps != '\0')
    jank_text_append_item (text, apps);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
jank_view_problem_describe (const JankViewItem *self)
{
  const JankProblem *problem = self->problem;
  g_autofree char *p50 = jank_text_duration (problem->p50_ns), *p95 = jank_text_duration (problem->p95_ns);
  g_autofree char *longest = jank_text_duration (problem->longest_ns);
  g_autofree char *first = jank_text_time (problem->first_us), *last = jank_text_time (problem->last_us);
  g_autofree char *versions = jank_text_join (problem->versions, jank_text_version);

  /* Translators: the first is a list, as in “3 stalls, 1.2 s, gedit”. */
  return *versions != '\0'
           ? g_strdup_printf (_("%s. Median %s, p95 %s, longest %s. First %s, last %s. Versions: %s."),
                              self->details, p50, p95, longest, first, last, versions)
           : g_strdup_printf (_("%s. Median %s, p95 %s, longest %s. First %s, last %s."),
                              self->details, p50, p95, longest, first, last);
}

JankViewItem *
jank_view_problem_new (JankViewList *list, const JankProblem *problem)
{
  JankViewItem *self = g_object_new (JANK_TYPE_VIEW_ITEM, NULL);

  self->list = g_atomic_rc_box_acquire (list);
  self->problem = problem;
  self->title = jank_row_dup_culprit (problem->longest);
  self->details = jank_view_problem_make_details (self);
  self->badge = jank_text_severity (problem->longest->severity);
  self->badge_class = jank_severity_to_nick (problem->longest->severity);
  return self;
}

gboolean
jank_view_problem_has_text (const JankViewItem *self, const char *needle)
{
  if (*needle == '\0' || jank_text_contains (self->title, needle) ||
      jank_text_contains (self->problem->longest->reason, needle))
    return TRUE;
  JANK_EACH (const char, app, self->problem->apps)
    if (jank_text_contains (app, needle))
      return TRUE;
  return FALSE;
}

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
  JANK_EACH (const JankProblem, problem, list->problems)
    {
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

  JANK_EACH (const JankProblem, problem, list->problems)
    JANK_EACH (char, name, problem->apps)
      g_hash_table_add (apps, name);
  g_hash_table_iter_init (&iter, apps);
  while (g_hash_table_iter_next (&iter, &app, NULL))
    g_ptr_array_add (items, make_item (list, app));
  g_ptr_array_sort (items, compare_cb);
  g_ptr_array_insert (items, 0, make_item (list, NULL));
  return items;
}
