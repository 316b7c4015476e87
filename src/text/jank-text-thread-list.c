/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sections of the threads of the program in the middle of the stall, and of the sources of its loop. */

#include "text/jank-text-report-private.h"

#include <glib/gi18n-lib.h>

#define TID_COLUMNS 9
#define NAME_COLUMNS 16
#define STATE_COLUMNS 12
#define CPU_COLUMNS 7
#define GAP 2
#define INDENT (TID_COLUMNS + GAP)
#define MAX_THREADS 12
#define MAX_SOURCES 10
#define COUNT_COLUMNS 10
#define TIME_COLUMNS 11

static gboolean
has_tid (const GArray *tids, gint tid)
{
  for (guint i = 0; i < tids->len; i++)
    if (g_array_index (tids, gint, i) == tid)
      return TRUE;
  return FALSE;
}

/* Which threads a reader wants to see first. */
static gint
get_rank (JankReport *report, guint i)
{
  const JankReportThread *thread = g_ptr_array_index (report->threads, i);

  if (thread->observed)
    return 0;
  if (has_tid (report->locks.chain, thread->tid))
    return 1;
  return thread->state == JANK_STATE_COMPUTING || thread->share >= 0.05 ? 2 : 3;
}

static gint
compare_threads_cb (gconstpointer a, gconstpointer b, gpointer data)
{
  JankReport *report = data;
  guint x = *(const guint *) a, y = *(const guint *) b;
  gint by_rank = get_rank (report, x) - get_rank (report, y);
  double x_share = ((JankReportThread *) g_ptr_array_index (report->threads, x))->share;
  double y_share = ((JankReportThread *) g_ptr_array_index (report->threads, y))->share;

  if (by_rank != 0)
    return by_rank;
  return x_share > y_share ? -1 : x_share < y_share ? 1 : (x > y) - (x < y);
}

/* A line of where it is: the function of the program, and what that called. */
static void
add_place (GString *out, JankNamedStacks *names, const JankTextStyle *style, const JankReportThread *thread)
{
  const char *skip = thread->wait != NULL ? thread->wait->syscall : NULL;
  g_autofree char *where = jank_text_where (names, thread->stack, skip);
  g_auto (GStrv) parts = g_strsplit (where, "→", -1);
  g_autofree char *shown = style->ascii ? g_strjoinv ("->", parts) : g_strdup (where);

  if (*where == '\0')
    return;
  jank_text_append_left (out, style, "", INDENT + GAP, NULL);
  jank_text_append_left (out, style, shown, MAX (style->n_columns, INDENT + GAP + 16) - INDENT - GAP, JANK_TEXT_DIM);
  jank_text_end_line (out);
}

static void
add_thread (GString *out, JankNamedStacks *names, const JankTextStyle *style, const JankReportThread *thread)
{
  JankReport *report = jank_named_stacks_get_report (names);
  const guint n_before = INDENT + NAME_COLUMNS + GAP + STATE_COLUMNS + CPU_COLUMNS + GAP;
  g_autofree char *tid = g_strdup_printf ("%d", thread->tid);
  const char *name = jank_text_or_empty (thread->name);
  g_autofree char *share = thread->share >= 0.0 ? jank_text_share (thread->share) : g_strdup ("");
  g_autofree char *doing = thread->wait != NULL ? jank_text_wait (report, thread->wait) : g_strdup ("");
  guint n_doing = MAX (style->n_columns, n_before + 16) - n_before;

  jank_text_append_right (out, style, tid, TID_COLUMNS, thread->observed ? JANK_TEXT_BOLD : JANK_TEXT_DIM);
  g_string_append (out, "  ");
  jank_text_append_left (out, style, name, NAME_COLUMNS, thread->observed ? JANK_TEXT_BOLD : NULL);
  g_string_append (out, "  ");
  jank_text_append_left (out, style, jank_text_state (thread->state), STATE_COLUMNS,
                         jank_text_state_sgr (thread->state));
  jank_text_append_right (out, style, share, CPU_COLUMNS, NULL);
  g_string_append (out, "  ");
  if (jank_text_width (doing) > n_doing)
    {
      jank_text_end_line (out);
      jank_text_append_left (out, style, "", INDENT + GAP, NULL);
      n_doing = MAX (style->n_columns, INDENT + GAP + 16) - INDENT - GAP;
    }
  jank_text_append_left (out, style, doing, n_doing, NULL);
  jank_text_end_line (out);
  if (!thread->observed)
    add_place (out, names, style, thread);
}

void
jank_text_add_threads (GString *out, JankReport *report, const JankTextStyle *style)
{
  g_autoptr (GArray) order = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (JankNamedStacks) names = jank_named_stacks_new (report);
  guint n_shown = MIN (report->threads->len, MAX_THREADS);

  /* A report with the observed thread alone has said everything about it already. */
  if (report->threads->len < 2)
    return;
  for (guint i = 0; i < report->threads->len; i++)
    g_array_append_val (order, i);
  g_array_sort_with_data (order, compare_threads_cb, report);

  jank_text_add_title (out, style, _("Threads"));
  jank_text_append_right (out, style, C_("column", "id"), TID_COLUMNS, JANK_TEXT_DIM);
  g_string_append (out, "  ");
  jank_text_append_left (out, style, C_("column", "name"), NAME_COLUMNS + GAP, JANK_TEXT_DIM);
  jank_text_append_left (out, style, C_("column", "state"), STATE_COLUMNS, JANK_TEXT_DIM);
  jank_text_append_right (out, style, C_("column", "CPU"), CPU_COLUMNS, JANK_TEXT_DIM);
  jank_text_end_line (out);
  for (guint i = 0; i < n_shown; i++)
    add_thread (out, names, style, g_ptr_array_index (report->threads, g_array_index (order, guint, i)));
  if (report->threads->len > n_shown)
    {
      guint n_more = report->threads->len - n_shown;
      g_autofree char *more = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "and %u more", "and %u more", n_more),
                                               n_more);

      jank_text_append_left (out, style, "", INDENT, NULL);
      jank_text_append (out, style, more, JANK_TEXT_DIM);
      jank_text_end_line (out);
    }
}

static void
add_link (GString *out, JankReport *report, const JankTextStyle *style, guint depth, const JankReportThread *thread)
{
  g_autofree char *name = jank_text_thread (report, thread->tid);
  g_autofree char *doing = jank_text_thread_doing (report, thread);
  g_autofree char *line = doing != NULL ? g_strdup_printf (_("%s is %s"), name, doing) : g_strdup (name);
  guint indent = 2 + 3 * depth;

  jank_text_append_left (out, style, "", depth > 0 ? indent - 3 : indent, NULL);
  if (depth > 0)
    jank_text_append (out, style, "└─ ", JANK_TEXT_DIM);
  jank_text_append_wrapped (out, style, line, indent, indent + 2, NULL);
}

/* Each thread below the one that waits for it. */
void
jank_text_add_locks (GString *out, JankReport *report, const JankTextStyle *style)
{
  const GArray *chain = report->locks.chain;
  guint n_shown = MIN (chain->len, 12);

  if (chain->len == 0)
    return;
  jank_text_add_title (out, style, report->locks.deadlock
                       ? _("Deadlock: who waits for whom") : _("Locks: who waits for whom"));
  for (guint i = 0; i < n_shown; i++)
    {
      if (report->locks.deadlock && i + 1 == chain->len && i > 0 && jank_report_find_closing (report) == 0)
        break;
      add_link (out, report, style, i, jank_report_find_thread (report, g_array_index (chain, gint, i)));
    }
}

static char *
source_text (JankReport *report, const JankReportSource *source)
{
  const char *name = jank_text_or_empty (source->name);
  g_autofree char *callback = NULL;
  g_autoptr (GString) text = g_string_new (name);

  if (!jank_report_has_callback (report, source->callback))
    return g_strdup (*name != '\0' ? name : _("without a name"));
  callback = jank_text_function (report, (guint) source->callback);
  jank_text_append_item (text, callback);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

void
jank_text_add_sources (GString *out, JankReport *report, const JankTextStyle *style)
{
  const guint n_before = COUNT_COLUMNS + 2 * TIME_COLUMNS + GAP;

  if (report->sources->len == 0)
    return;
  jank_text_add_title (out, style, _("Sources since the program began, each dispatch counted"));
  jank_text_append_right (out, style, C_("column", "count"), COUNT_COLUMNS, JANK_TEXT_DIM);
  jank_text_append_right (out, style, C_("column", "total"), TIME_COLUMNS, JANK_TEXT_DIM);
  jank_text_append_right (out, style, C_("column", "longest"), TIME_COLUMNS, JANK_TEXT_DIM);
  g_string_append (out, "  ");
  jank_text_append (out, style, C_("column", "source"), JANK_TEXT_DIM);
  jank_text_end_line (out);
  for (guint i = 0; i < MIN (report->sources->len, MAX_SOURCES); i++)
    {
      const JankReportSource *source = g_ptr_array_index (report->sources, i);
      g_autofree char *count = g_strdup_printf ("%'lu", (gulong) source->count);
      g_autofree char *total = jank_text_duration (source->total_ns);
      g_autofree char *longest = jank_text_duration (source->longest_ns);
      g_autofree char *text = source_text (report, source);

      jank_text_append_right (out, style, count, COUNT_COLUMNS, NULL);
      jank_text_append_right (out, style, total, TIME_COLUMNS, NULL);
      jank_text_append_right (out, style, longest, TIME_COLUMNS, NULL);
      g_string_append (out, "  ");
      jank_text_append_left (out, style, text, MAX (style->n_columns, n_before + 16) - n_before, NULL);
      jank_text_end_line (out);
    }
}
