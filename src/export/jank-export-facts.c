/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "export/jank-export-private.h"

#include <glib/gi18n-lib.h>

#include "base/jank-hash-private.h"
#include "base/jank-order-private.h"
#include "json/jank-json-private.h"
#include "text/jank-text-chain-private.h"
#include "verdict/jank-verdict-private.h"

static void
fact_free (gpointer data)
{
  g_free (((JankExportFact *) data)->text);
  g_free (data);
}

/* text: (transfer full) (nullable) */
static void
take_fact (GPtrArray *facts, const char *label, char *text)
{
  JankExportFact *fact;

  if (text == NULL || text[0] == '\0')
    {
      g_free (text);
      return;
    }
  fact = g_new (JankExportFact, 1);
  *fact = (JankExportFact) { label, text };
  g_ptr_array_add (facts, fact);
}

/* What there is of first, second and third, with blanks between. Returns: (transfer full) (nullable): without first */
static char *
join (const char *first, const char *second, const char *third)
{
  return first == NULL ? NULL : g_strconcat (first, second != NULL ? " " : "", jank_text_or_empty (second),
                                             third != NULL ? " " : "", jank_text_or_empty (third), NULL);
}

/* "gedit 44.1 (org.gnome.gedit)" */
static char *
describe_program (const JankExportReport *made)
{
  const JankReport *report = made->report;
  g_autofree char *version = report->app.version != NULL ? jank_text_version (report->app.version) : NULL;
  g_autofree char *id = report->app.id != NULL ? g_strdup_printf ("(%s)", report->app.id) : NULL;

  return version != NULL ? join (made->program, version, id) : join (made->program, id, NULL);
}

static char *
describe_toolkit (const JankReport *report)
{
  g_autofree char *drawing = join (report->toolkit.backend, report->toolkit.renderer, NULL);

  return join (report->toolkit.name, report->toolkit.version, drawing != NULL ? drawing : report->toolkit.renderer);
}

static char *
describe_repeats (const JankReport *report)
{
  g_autofree char *total = jank_text_duration (report->repeats.total_ns);
  g_autofree char *p95 = jank_text_duration (report->repeats.p95_ns);

  if (report->repeats.count < 2)
    return NULL;
  return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u time, %s in total, p95 %s",
                                       "%u times, %s in total, p95 %s", report->repeats.count),
                          report->repeats.count, total, p95);
}

GPtrArray *
jank_export_list_facts (const JankExportReport *made)
{
  JankReport *report = made->report;
  g_autoptr (JankNamedStacks) names = jank_named_stacks_new (report);
  g_autoptr (GArray) branches = jank_text_branches (names);
  GPtrArray *facts = g_ptr_array_new_with_free_func (fact_free);

  take_fact (facts, _("Program"), describe_program (made));
  take_fact (facts, _("Toolkit"), describe_toolkit (report));
  take_fact (facts, _("Interaction"), jank_text_interaction (report));
  take_fact (facts, _("Before"), jank_text_before (report));
  take_fact (facts, _("Meanwhile"), jank_text_contributors (report, FALSE));
  take_fact (facts, _("Culprit"), jank_text_culprit (report));
  take_fact (facts, C_("advice", "Use instead"), jank_verdict_get_advice (report));
  take_fact (facts, _("Chain"), jank_text_chain_fact (report, report->chain));
  JANK_EACH_IN (JankTextBranch, branch, branches)
    take_fact (facts, C_("branch", "Also"), jank_text_branch (branch));
  take_fact (facts, _("Source"), g_strdup (report->source.name));
  take_fact (facts, _("Repeated"), describe_repeats (report));
  take_fact (facts, _("Outcome"), g_strdup (jank_text_outcome (report->stall.outcome)));
  JANK_EACH (const JankReportTag, tag, report->tags)
    take_fact (facts, jank_text_tag (tag) != NULL ? jank_text_tag (tag) : tag->name, g_strdup (tag->value));
  take_fact (facts, _("Frames"), report->frame_clock != NULL ? jank_text_frames (report->frame_clock) : NULL);
  take_fact (facts, _("Report"), g_strdup (report->id));
  return facts;
}

JANK_ORDER_FALLING (compare_problems, JankExportProblem, ->longest->report->stall.duration_ns)

GArray *
jank_export_list_problems (const JankExport *self)
{
  GArray *problems = g_array_new (FALSE, FALSE, sizeof (JankExportProblem));
  g_autoptr (GHashTable) known = g_hash_table_new (jank_hash_text, g_str_equal); /* fingerprint → index + 1 */

  JANK_EACH (const JankExportReport, made, self->reports)
    {
      const JankReport *report = made->report;
      char *key = report->fingerprint != NULL ? report->fingerprint : report->id;
      guint at = GPOINTER_TO_UINT (g_hash_table_lookup (known, key));
      JankExportProblem one = { made, MAX (report->repeats.count, 1),
                                report->repeats.count > 1 ? report->repeats.total_ns : report->stall.duration_ns };

      if (at == 0)
        {
          g_array_append_val (problems, one);
          g_hash_table_insert (known, key, GUINT_TO_POINTER (problems->len));
          continue;
        }
      one.count += g_array_index (problems, JankExportProblem, at - 1).count;
      jank_json_sum (&one.total_ns, g_array_index (problems, JankExportProblem, at - 1).total_ns);
      if (compare_problems (&g_array_index (problems, JankExportProblem, at - 1), &one) <= 0)
        one.longest = g_array_index (problems, JankExportProblem, at - 1).longest;
      g_array_index (problems, JankExportProblem, at - 1) = one;
    }
  g_array_sort (problems, compare_problems);
  return problems;
}
