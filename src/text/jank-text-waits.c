/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sections on where the time of a stall went, and on what the thread waited for. */

#include "text/jank-text-report-private.h"

#include <glib/gi18n-lib.h>

#include "base/jank-order-private.h"
#include "json/jank-json-private.h"

#define LABEL_COLUMNS 13
#define TIME_COLUMNS 10
#define SHARE_COLUMNS 7
#define BAR_COLUMNS 24
/* Of the waits of a stall. */
#define MAX_WAITS 8

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

typedef struct
{
  const JankReportWait *wait;
  gint64                length_ns;
} Wait;

JANK_ORDER_FALLING (compare_waits_cb, Wait, ->length_ns)

/* Heaviest first. Returns: (transfer full) of Wait */
static GArray *
find_waits (JankReport *report, JankTextWaits *merged)
{
  GArray *waits = g_array_new (FALSE, FALSE, sizeof (Wait));

  for (guint i = 0; i < report->samples->len; i++)
    {
      const JankReportSample *sample = g_ptr_array_index (report->samples, i);
      Wait wait = { jank_text_waits_get (merged, i), sample->weight_ns };
      guint k = 0;

      if (wait.wait == NULL)
        continue;
      while (k < waits->len && !jank_text_same_wait (g_array_index (waits, Wait, k).wait, wait.wait))
        k++;
      if (k == waits->len)
        g_array_append_val (waits, wait);
      else
        jank_json_sum (&g_array_index (waits, Wait, k).length_ns, wait.length_ns);
    }
  g_array_sort (waits, compare_waits_cb);
  return waits;
}

void
jank_text_add_waits (GString *out, JankReport *report, const JankTextStyle *style)
{
  g_autoptr (JankTextWaits) merged = jank_text_waits_new (report);
  g_autoptr (GArray) waits = find_waits (report, merged);
  double duration_ns = (double) MAX (report->stall.duration_ns, 1);

  if (waits->len == 0)
    return;
  jank_text_add_title (out, style, _("What it waited for"));
  for (guint i = 0; i < MIN (waits->len, MAX_WAITS); i++)
    {
      const Wait *wait = &g_array_index (waits, Wait, i);
      g_autofree char *what = jank_text_wait (report, wait->wait);
      g_autofree char *length = jank_text_duration (wait->length_ns);
      g_autofree char *share = jank_text_share (MIN ((double) wait->length_ns / duration_ns, 1.0));

      jank_text_append_right (out, style, length, TIME_COLUMNS, NULL);
      jank_text_append_right (out, style, share, SHARE_COLUMNS, NULL);
      g_string_append (out, "  ");
      jank_text_append_wrapped (out, style, what, TIME_COLUMNS + SHARE_COLUMNS + 2, TIME_COLUMNS + SHARE_COLUMNS + 4,
                                NULL);
    }
}
