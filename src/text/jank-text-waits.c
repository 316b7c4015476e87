/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sections on where the time of a stall went, and on what the thread waited for. */

#include "text/jank-text-report-private.h"

#include <glib/gi18n-lib.h>

#define LABEL_COLUMNS 13
#define TIME_COLUMNS 10
#define SHARE_COLUMNS 7
#define BAR_COLUMNS 24

static void
add_time (GString *out, const JankTextStyle *style, JankThreadState state, gint64 state_ns, double share)
{
  g_autofree char *length = jank_text_duration (state_ns);
  g_autofree char *percent = jank_text_share (share);

  g_string_append (out, "  ");
  jank_text_append_left (out, style, jank_text_state (state), LABEL_COLUMNS, NULL);
  jank_text_append_right (out, style, length, TIME_COLUMNS, NULL);
  jank_text_append_right (out, style, percent, SHARE_COLUMNS, NULL);
  g_string_append (out, "  ");
  jank_text_append_bar (out, style, share, BAR_COLUMNS, jank_text_state_sgr (state));
  jank_text_end_line (out);
}

void
jank_text_add_times (GString *out, JankReport *report, const JankTextStyle *style)
{
  double sum_ns = 0.0;

  for (guint i = JANK_STATE_UNKNOWN + 1; i < JANK_N_STATES; i++)
    sum_ns += (double) report->stall.state_ns[i];
  if (sum_ns <= 0.0)
    return;
  sum_ns = MAX (sum_ns, (double) report->stall.duration_ns);
  jank_text_add_title (out, style, _("Where the time went"));
  for (guint i = JANK_STATE_UNKNOWN + 1; i < JANK_N_STATES; i++)
    if ((double) report->stall.state_ns[i] >= 0.005 * sum_ns)
      add_time (out, style, (JankThreadState) i, report->stall.state_ns[i],
                (double) report->stall.state_ns[i] / sum_ns);
}

void
jank_text_add_waits (GString *out, JankReport *report, const JankTextStyle *style)
{
  double duration_ns = (double) MAX (report->stall.duration_ns, 1);

  if (report->verdict == NULL || report->verdict->waits->len == 0)
    return;
  jank_text_add_title (out, style, _("What it waited for"));
  for (guint i = 0; i < MIN (report->verdict->waits->len, JANK_VERDICT_MAX_WAITS); i++)
    {
      const JankReportVerdictWait *wait = g_ptr_array_index (report->verdict->waits, i);
      g_autofree char *what = jank_text_wait (report, wait->wait);
      g_autofree char *length = jank_text_duration (wait->time_ns);
      g_autofree char *share = jank_text_share (MIN ((double) wait->time_ns / duration_ns, 1.0));

      jank_text_append_right (out, style, length, TIME_COLUMNS, NULL);
      jank_text_append_right (out, style, share, SHARE_COLUMNS, NULL);
      g_string_append (out, "  ");
      jank_text_append_wrapped (out, style, what, TIME_COLUMNS + SHARE_COLUMNS + 2, TIME_COLUMNS + SHARE_COLUMNS + 4,
                                NULL);
    }
}
