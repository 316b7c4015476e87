/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/jank-view-private.h"

#include <glib/gi18n-lib.h>

#include "text/jank-text-report-private.h"

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
           ? g_strdup_printf (_("%s. Half of them up to %s, 19 of 20 up to %s, the longest %s. First %s, last %s. "
                                "Versions: %s."),
                              self->details, p50, p95, longest, first, last, versions)
           : g_strdup_printf (_("%s. Half of them up to %s, 19 of 20 up to %s, the longest %s. First %s, last %s."),
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
  for (guint i = 0; i < self->problem->apps->len; i++)
    if (jank_text_contains (g_ptr_array_index (self->problem->apps, i), needle))
      return TRUE;
  return FALSE;
}
