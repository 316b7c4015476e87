/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "text/jank-report-places-private.h"

#include "base/jank-each-private.h"
#include "base/jank-hash-private.h"

struct _JankReportPlaces
{
  JankReport *report;    /* (owned) */
  guint      *functions; /* (owned): by call, the first call of its function */
  gint64     *total_ns;  /* (owned): by call */
  gint64     *self_ns;   /* (owned): by call */
};

static void
jank_report_places_find_functions (JankReportPlaces *self)
{
  g_autoptr (GHashTable) known = g_hash_table_new_full (jank_hash_text, g_str_equal, g_free, NULL);

  for (guint i = 0; i < self->report->calls->len; i++)
    {
      const JankReportCall *call = jank_report_get_call (self->report, (gint) i);
      char *key = g_strdup_printf ("%d %" G_GINT64_MODIFIER "x", call->module, call->offset - call->symbol_offset);
      gpointer first;

      self->functions[i] = i;
      if (g_hash_table_lookup_extended (known, key, NULL, &first))
        self->functions[i] = GPOINTER_TO_UINT (first);
      g_hash_table_insert (known, key, GUINT_TO_POINTER (self->functions[i]));
    }
}

static void
jank_report_places_add (gint64 *sum_ns, gint64 weight_ns)
{
  *sum_ns += MIN (weight_ns, G_MAXINT64 / 1024 - MIN (*sum_ns, G_MAXINT64 / 1024));
}

static void
jank_report_places_sum_samples (JankReportPlaces *self)
{
  /* by function, the last sample + 1 that has it */
  g_autofree guint *seen = g_new0 (guint, self->report->calls->len + 1);

  for (guint i = 0; i < self->report->samples->len; i++)
    {
      const JankReportSample *sample = jank_report_get_sample (self->report, i);
      const JankReportStack *stack = jank_report_get_stack (self->report, sample->stack);

      for (guint k = 0; stack != NULL && k < stack->calls->len; k++)
        {
          guint call = g_array_index (stack->calls, guint, k);

          if (seen[self->functions[call]] == i + 1)
            continue;
          seen[self->functions[call]] = i + 1;
          jank_report_places_add (&self->total_ns[call], sample->weight_ns);
          if (k == 0)
            jank_report_places_add (&self->self_ns[call], sample->weight_ns);
        }
    }
}

JankReportPlaces *
jank_report_places_new (JankReport *report)
{
  JankReportPlaces *self = g_new0 (JankReportPlaces, 1);

  self->report = jank_report_ref (report);
  self->functions = g_new0 (guint, report->calls->len + 1);
  self->total_ns = g_new0 (gint64, report->calls->len + 1);
  self->self_ns = g_new0 (gint64, report->calls->len + 1);
  jank_report_places_find_functions (self);
  jank_report_places_sum_samples (self);
  return self;
}

void
jank_report_places_free (JankReportPlaces *self)
{
  jank_report_unref (self->report);
  g_free (self->functions);
  g_free (self->total_ns);
  g_free (self->self_ns);
  g_free (self);
}

GArray *
jank_report_places_find (JankReportPlaces *self, guint call)
{
  GArray *places = g_array_new (FALSE, FALSE, sizeof (JankReportPlace));

  for (guint i = 0; i < self->report->calls->len; i++)
    {
      JankReportPlace place = { i, self->total_ns[i], self->self_ns[i] };

      if (self->functions[i] == self->functions[call] && place.total_ns > 0)
        g_array_append_val (places, place);
    }
  return places;
}

const JankReportInlined *
jank_report_places_get_inlined (JankReportPlaces *self, guint call, guint depth)
{
  const GPtrArray *inlined = jank_report_get_call (self->report, (gint) call)->inlined;

  return depth < inlined->len ? g_ptr_array_index (inlined, inlined->len - 1 - depth) : NULL;
}

static gboolean
jank_report_places_has (JankReportPlaces *self, const JankReportPlace *place, guint depth, const char *name)
{
  const JankReportInlined *inlined = jank_report_places_get_inlined (self, place->call, depth);

  return g_strcmp0 (inlined != NULL ? inlined->symbol : NULL, name) == 0;
}

JankReportPlace
jank_report_places_sum (JankReportPlaces *self, const GArray *places, guint depth, const char *name)
{
  JankReportPlace sum = { 0 };

  JANK_EACH_IN (const JankReportPlace, place, places)
    if (jank_report_places_has (self, place, depth, name))
      {
        jank_report_places_add (&sum.total_ns, place->total_ns);
        jank_report_places_add (&sum.self_ns, place->self_ns);
      }
  return sum;
}

void
jank_report_places_keep (JankReportPlaces *self, GArray *places, guint depth, const char *name)
{
  for (guint i = places->len; i > 0; i--)
    if (!jank_report_places_has (self, &g_array_index (places, JankReportPlace, i - 1), depth, name))
      g_array_remove_index (places, i - 1);
}
