/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "view/jank-view-problem-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "text/jank-text-report-private.h"

struct _JankViewProblem
{
  GObject            parent_instance;

  JankViewList      *list; /* (owned) */
  const JankProblem *problem;
  gboolean           resolved;
};

G_DEFINE_FINAL_TYPE (JankViewProblem, jank_view_problem, G_TYPE_OBJECT)

enum { PROP_TITLE = 1, PROP_DETAILS, PROP_SEVERITY, PROP_SEVERITY_CLASSES, PROP_TITLE_CLASSES, N_PROPS };
static GParamSpec *properties[N_PROPS];

static char *
make_title (JankViewProblem *self)
{
  g_autofree char *culprit = jank_row_dup_culprit (self->problem->longest);

  return *culprit != '\0' ? g_steal_pointer (&culprit) : g_strdup (_("No culprit known"));
}

static char *
join (const GPtrArray *texts)
{
  g_autoptr (GString) joined = g_string_new (NULL);

  for (guint i = 0; i < texts->len; i++)
    {
      g_autofree char *text = jank_text_short_path (g_ptr_array_index (texts, i));

      jank_text_append_item (joined, text);
    }
  return g_string_free (g_steal_pointer (&joined), FALSE);
}

static char *
make_details (JankViewProblem *self)
{
  const JankProblem *problem = self->problem;
  g_autofree char *total = jank_text_duration (problem->total_ns);
  g_autofree char *apps = join (problem->apps);
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
  g_autofree char *longest = jank_text_duration (problem->longest_ns), *details = make_details (self);
  g_autofree char *first = jank_text_time (problem->first_us), *last = jank_text_time (problem->last_us);
  g_autofree char *versions = join (problem->versions);

  /* Translators: the first is a list, as in “3 stalls, 1.2 s, gedit”. */
  return *versions != '\0'
           ? g_strdup_printf (_("%s. Half of them up to %s, 19 of 20 up to %s, the longest %s. First %s, last %s. Versions: %s."),
                              details, p50, p95, longest, first, last, versions)
           : g_strdup_printf (_("%s. Half of them up to %s, 19 of 20 up to %s, the longest %s. First %s, last %s."),
                              details, p50, p95, longest, first, last);
}

static void
jank_view_problem_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  JankViewProblem *self = JANK_VIEW_PROBLEM (object);
  JankSeverity severity = self->problem->longest->severity;
  const char *badge[] = { "jank-badge", jank_severity_to_nick (severity), NULL };
  const char *title[] = { self->resolved ? "dim-label" : "heading", NULL };

  switch (id)
    {
    case PROP_TITLE:            g_value_take_string (value, make_title (self)); break;
    case PROP_DETAILS:          g_value_take_string (value, make_details (self)); break;
    case PROP_SEVERITY:         g_value_set_string (value, jank_text_severity (severity)); break;
    case PROP_SEVERITY_CLASSES: g_value_set_boxed (value, badge); break;
    case PROP_TITLE_CLASSES:    g_value_set_boxed (value, title); break;
    default:                    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec); break;
    }
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
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags read = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->get_property = jank_view_problem_get_property;
  object_class->finalize = jank_view_problem_finalize;
  properties[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, NULL, read);
  properties[PROP_DETAILS] = g_param_spec_string ("details", NULL, NULL, NULL, read);
  properties[PROP_SEVERITY] = g_param_spec_string ("severity", NULL, NULL, NULL, read);
  properties[PROP_SEVERITY_CLASSES] = g_param_spec_boxed ("severity-classes", NULL, NULL, G_TYPE_STRV, read);
  properties[PROP_TITLE_CLASSES] = g_param_spec_boxed ("title-classes", NULL, NULL, G_TYPE_STRV, read);
  g_object_class_install_properties (object_class, N_PROPS, properties);
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
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_DETAILS]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_TITLE_CLASSES]);
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
  g_autofree char *title = make_title (self);

  if (*needle == '\0' || contains (title, needle) || contains (self->problem->longest->reason, needle))
    return TRUE;
  for (guint i = 0; i < self->problem->apps->len; i++)
    if (contains (g_ptr_array_index (self->problem->apps, i), needle))
      return TRUE;
  return FALSE;
}
