/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gtk/inspector/jank-inspector-parts-private.h"

#include <glib/gi18n-lib.h>

#include "text/jank-text-report-private.h"

#define MAX_STACK_ROWS 64
#define MAX_HEAVIEST_ROWS 1000 /* as a path has; a file may list any number of inlined calls */
#define EXPANDER_PX    16 /* of its arrow */

static GtkWidget *
jank_inspector_rows_make_label (const char *text, double xalign, int n_chars, const char *css)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), (float) xalign);
  if (n_chars > 0)
    gtk_label_set_width_chars (GTK_LABEL (label), n_chars);
  else
    {
      gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
      gtk_widget_set_hexpand (label, n_chars == 0);
      /* The same width in every row, so that columns line up. */
      gtk_label_set_max_width_chars (GTK_LABEL (label), n_chars == 0 ? 1 : -1);
      gtk_widget_set_tooltip_text (label, text);
    }
  gtk_widget_add_css_class (label, "numeric");
  if (css != NULL)
    gtk_widget_add_css_class (label, css);
  return label;
}

static void
jank_inspector_rows_add_row (GtkListBox *list, GtkWidget *child)
{
  GtkWidget *row = gtk_list_box_row_new ();

  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), child);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), FALSE);
  gtk_list_box_append (list, row);
}

static void
jank_inspector_rows_add_sentence (GtkListBox *list, const char *text)
{
  GtkWidget *label = jank_inspector_rows_make_label (text, 0, 0, "dim-label");

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_NONE);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  jank_inspector_rows_add_row (list, label);
}

static void
jank_inspector_rows_add_call (GtkListBox *list, const JankTextRow *row)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12), *bar = gtk_level_bar_new ();
  g_autofree char *share = row->step.share >= 0.005 ? jank_text_share (row->step.share) : g_strdup ("");
  g_autofree char *self_share = jank_text_share (row->step.self_share);
  g_autofree char *itself = g_strdup_printf (_("self %s"), self_share);
  gboolean is_own = *row->call->holder != '\0' && !row->call->platform;

  gtk_box_append (GTK_BOX (box), jank_inspector_rows_make_label (share, 1, 5, NULL));
  gtk_level_bar_set_value (GTK_LEVEL_BAR (bar), CLAMP (row->step.share, 0, 1));
  gtk_widget_set_size_request (bar, 80, 6);
  gtk_widget_set_valign (bar, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (bar, "jank-share");
  gtk_box_append (GTK_BOX (box), bar);
  gtk_box_append (GTK_BOX (box), jank_inspector_rows_make_label (row->call->name, 0, 0, is_own ? "heading" : NULL));
  gtk_box_append (GTK_BOX (box),
                  jank_inspector_rows_make_label (row->step.self_share >= 0.005 ? itself : "", 1, 11, "dim-label"));
  gtk_box_append (GTK_BOX (box), jank_inspector_rows_make_label (row->call->holder, 1, -1, "dim-label"));
  jank_inspector_rows_add_row (list, box);
}

static void
jank_inspector_rows_add_branches (GtkListBox *list, JankNamedStacks *names)
{
  g_autoptr (GArray) branches = jank_text_branches (names);

  JANK_EACH_IN (JankTextBranch, branch, branches)
    {
      g_autofree char *text = jank_text_branch (branch);
      g_autofree char *line = g_strdup_printf (_("Also: %s"), text);

      jank_inspector_rows_add_sentence (list, line);
    }
}

void
jank_inspector_rows_add_path (GtkListBox *list, JankReport *report)
{
  g_autoptr (JankNamedStacks) names = jank_named_stacks_new (report);
  g_autoptr (GArray) rows = jank_text_heaviest (names);

  for (guint i = 0; i < MIN (rows->len, MAX_HEAVIEST_ROWS); i++)
    jank_inspector_rows_add_call (list, &g_array_index (rows, JankTextRow, i));
  jank_inspector_rows_add_branches (list, names);
  if (rows->len == 0)
    jank_inspector_rows_add_sentence (list, _("The stacks of this stall could not be read."));
}

void
jank_inspector_rows_add_samples (GtkListBox *list, JankReport *report)
{
  g_autoptr (JankNamedStacks) names = jank_named_stacks_new (report);

  JANK_EACH (const JankReportSample, sample, report->samples)
    {
      GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
      g_autofree char *at = jank_text_duration (sample->at_ns);
      g_autofree char *weight = jank_text_duration (sample->weight_ns);
      g_autofree char *weight_text = g_strdup_printf (_("for %s"), weight);
      g_autofree char *doing = jank_text_state_doing (report, sample->state, sample->wait);
      g_autofree char *where = jank_text_where (names, sample->stack, NULL);

      gtk_box_append (GTK_BOX (box), jank_inspector_rows_make_label (at, 1, 7, NULL));
      gtk_box_append (GTK_BOX (box), jank_inspector_rows_make_label (weight_text, 1, 11, "dim-label"));
      gtk_box_append (GTK_BOX (box), jank_inspector_rows_make_label (doing, 0, 0, NULL));
      gtk_box_append (GTK_BOX (box), jank_inspector_rows_make_label (where, 0, 0, NULL));
      jank_inspector_rows_add_row (list, box);
    }
  if (report->samples->len == 0)
    jank_inspector_rows_add_sentence (list, _("This stall has no samples."));
}

static GtkWidget *
jank_inspector_rows_make_stack (JankNamedStacks *names, gint stack)
{
  const GArray *calls = jank_named_stacks_get (names, stack);
  g_autoptr (GString) text = g_string_new (NULL);
  GtkWidget *label;

  for (guint i = calls->len; i > 0 && calls->len - i < MAX_STACK_ROWS; i--)
    {
      const JankNamedCall *call = &g_array_index (calls, JankNamedCall, i - 1);

      g_string_append_printf (text, "%s%s  %s", i < calls->len ? "\n" : "",
                              call->unread ? _(call->name) : call->name, call->holder);
    }
  label = gtk_label_new (text->str);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (label, "monospace");
  gtk_widget_set_margin_start (label, 24);
  return label;
}

static GtkWidget *
jank_inspector_rows_make_thread (JankNamedStacks *names, const JankReportThread *thread)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  const char *name = jank_text_or_empty (thread->name);
  g_autofree char *title = g_strdup_printf (thread->observed ? _("%s %d, runs the main loop") : _("%s %d"),
                                            name, thread->tid);
  g_autofree char *doing = jank_text_state_doing (jank_named_stacks_get_report (names), thread->state, thread->wait);
  g_autofree char *share = thread->share >= 0 ? jank_text_share (thread->share) : g_strdup ("");
  g_autofree char *where = jank_text_where (names, thread->stack, NULL);

  gtk_box_append (GTK_BOX (box), jank_inspector_rows_make_label (title, 0, 0, thread->observed ? "heading" : NULL));
  gtk_box_append (GTK_BOX (box), jank_inspector_rows_make_label (doing, 0, 0, NULL));
  gtk_box_append (GTK_BOX (box), jank_inspector_rows_make_label (where, 0, 0, "dim-label"));
  gtk_box_append (GTK_BOX (box), jank_inspector_rows_make_label (share, 1, 5, NULL));
  gtk_widget_set_hexpand (box, TRUE);
  return box;
}

void
jank_inspector_rows_add_threads (GtkListBox *list, JankReport *report)
{
  g_autoptr (JankNamedStacks) names = jank_named_stacks_new (report);

  JANK_EACH (const JankReportThread, thread, report->threads)
    {
      GtkWidget *expander;

      if (thread->stack == JANK_REPORT_NO_INDEX)
        {
          GtkWidget *box = jank_inspector_rows_make_thread (names, thread);

          gtk_widget_set_margin_start (box, EXPANDER_PX);
          jank_inspector_rows_add_row (list, box);
          continue;
        }
      expander = gtk_expander_new (NULL);
      gtk_expander_set_label_widget (GTK_EXPANDER (expander), jank_inspector_rows_make_thread (names, thread));
      gtk_expander_set_child (GTK_EXPANDER (expander), jank_inspector_rows_make_stack (names, thread->stack));
      jank_inspector_rows_add_row (list, expander);
    }
  if (report->threads->len == 0)
    jank_inspector_rows_add_sentence (list, _("The other threads were not read in this stall."));
}

void
jank_inspector_rows_add_tags (GtkListBox *list, JankReport *report)
{
  g_autofree char *interaction = jank_text_interaction (report);

  if (interaction != NULL)
    jank_inspector_rows_add_sentence (list, interaction);
  JANK_EACH (const JankReportTag, tag, report->tags)
    {
      GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);

      gtk_box_append (GTK_BOX (box), jank_inspector_rows_make_label (tag->name, 0, 12, "dim-label"));
      gtk_box_append (GTK_BOX (box), jank_inspector_rows_make_label (tag->value, 0, 0, NULL));
      jank_inspector_rows_add_row (list, box);
    }
  if (report->tags->len == 0 && interaction == NULL)
    jank_inspector_rows_add_sentence (list, _("The program set no tags."));
}

void
jank_inspector_rows_clear (GtkListBox *list)
{
  GtkListBoxRow *row;

  while ((row = gtk_list_box_get_row_at_index (list, 0)) != NULL)
    gtk_list_box_remove (list, GTK_WIDGET (row));
}
