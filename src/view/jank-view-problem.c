/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "view/jank-view-problem-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "text/jank-text-report-private.h"

struct _JankViewProblem
{
  JankViewItem       parent_instance;

  JankViewList      *list; /* (owned) */
  const JankProblem *problem;
  gboolean           resolved;
};

G_DEFINE_FINAL_TYPE (JankViewProblem, jank_view_problem, JANK_TYPE_VIEW_ITEM)

static char *
jank_view_problem_make_title (JankViewItem *item)
{
  return jank_row_dup_culprit (JANK_VIEW_PROBLEM (item)->problem->longest);
}

static char *
jank_view_problem_make_details (JankViewItem *item)
{
  JankViewProblem *self = JANK_VIEW_PROBLEM (item);
  const JankProblem *problem = self->problem;
  g_autofree char *total = jank_text_duration (problem->total_ns);
  g_autofree char *apps = jank_text_join (problem->apps, jank_text_short_path);
  g_autofree char *count = g_strdup_printf (ngettext ("%u stall", "%u stalls", (guint) MIN (problem->count, G_MAXUINT)),
                                            (guint) MIN (problem->count, G_MAXUINT));
  g_autoptr (GString) text = g_string_new (NULL);

  if (self->resolved)
    jank_text_append_item (text, _("resolved"));
  else if (problem->state == JANK_PROBLEM_REGRESSION)
    jank_text_append_item (text, _("back in a newer version"));
  jank_text_append_item (text, count);
  jank_text_append_item (text, total);
  if (*apps != '\0')
    jank_text_append_item (text, apps);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
jank_view_problem_describe (JankViewProblem *self)
{
  const JankProblem *problem = self->problem;
  g_autofree char *p50 = jank_text_duration (problem->p50_ns), *p95 = jank_text_duration (problem->p95_ns);
  g_autofree char *longest = jank_text_duration (problem->longest_ns), *details = jank_view_problem_make_details (JANK_VIEW_ITEM (self));
  g_autofree char *first = jank_text_time (problem->first_us), *last = jank_text_time (problem->last_us);
  g_autofree char *versions = jank_text_join (problem->versions, jank_text_version);

  /* Translators: the first is a list, as in “3 stalls, 1.2 s, gedit”. */
  return *versions != '\0'
           ? g_strdup_printf (_("%s. Half of them up to %s, 19 of 20 up to %s, the longest %s. First %s, last %s. Versions: "
                                "%s."),
                              details, p50, p95, longest, first, last, versions)
           : g_strdup_printf (_("%s. Half of them up to %s, 19 of 20 up to %s, the longest %s. First %s, last %s."),
                              details, p50, p95, longest, first, last);
}

static const char *
jank_view_problem_get_badge (JankViewItem *item, const char **ret_class)
{
  JankSeverity severity = JANK_VIEW_PROBLEM (item)->problem->longest->severity;

  *ret_class = jank_severity_to_nick (severity);
  return jank_text_severity (severity);
}

static gboolean
jank_view_problem_is_dim (JankViewItem *item)
{
  return JANK_VIEW_PROBLEM (item)->resolved;
}

static void
jank_view_problem_finalize (GObject *object)
{
  jank_view_list_unref (JANK_VIEW_PROBLEM (object)->list);
  G_OBJECT_CLASS (jank_view_problem_parent_class)->finalize (object);
}

static void
jank_view_problem_class_init (JankViewProblemClass *klass)
{
  JankViewItemClass *item_class = JANK_VIEW_ITEM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = jank_view_problem_finalize;
  item_class->make_title = jank_view_problem_make_title;
  item_class->make_details = jank_view_problem_make_details;
  item_class->get_badge = jank_view_problem_get_badge;
  item_class->is_dim = jank_view_problem_is_dim;
}

static void
jank_view_problem_init (JankViewProblem *self)
{
}

JankViewProblem *
jank_view_problem_new (JankViewList *list, const JankProblem *problem)
{
  JankViewProblem *self = g_object_new (JANK_TYPE_VIEW_PROBLEM, NULL);

  self->list = g_atomic_rc_box_acquire (list);
  self->problem = problem;
  self->resolved = problem->state == JANK_PROBLEM_RESOLVED;
  return self;
}

const JankViewList *
jank_view_problem_get_list (JankViewProblem *self)
{
  return self->list;
}

const JankProblem *
jank_view_problem_get (JankViewProblem *self)
{
  return self->problem;
}

gboolean
jank_view_problem_get_resolved (JankViewProblem *self)
{
  return self->resolved;
}

void
jank_view_problem_set_resolved (JankViewProblem *self, gboolean resolved)
{
  self->resolved = resolved;
  jank_view_item_changed (JANK_VIEW_ITEM (self));
}

static gboolean
contains (const char *text, const char *needle)
{
  g_autofree char *valid = g_utf8_make_valid (text != NULL ? text : "", -1);
  g_autofree char *folded = g_utf8_casefold (valid, -1);

  return strstr (folded, needle) != NULL;
}

gboolean
jank_view_problem_has_text (JankViewProblem *self, const char *needle)
{
  g_autofree char *title = jank_view_problem_make_title (JANK_VIEW_ITEM (self));

  if (*needle == '\0' || contains (title, needle) || contains (self->problem->longest->reason, needle))
    return TRUE;
  for (guint i = 0; i < self->problem->apps->len; i++)
    if (contains (g_ptr_array_index (self->problem->apps, i), needle))
      return TRUE;
  return FALSE;
}
