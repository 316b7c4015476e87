/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What threads do, who waits for whose lock, and what sources contributed. */

#include "text/jank-text-sentence-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "json/jank-json-private.h"

/* A sentence has no room for more, and none for what took a twentieth of the time. */
#define MAX_NAMED 3
#define LEAST     20

char *
jank_text_thread_doing (JankReport *report, const JankReportThread *thread)
{
  if (thread->wait != NULL)
    return jank_text_wait (report, thread->wait);
  return thread->state == JANK_STATE_COMPUTING ? g_strdup (C_("thread is", "computing")) : NULL;
}

char *
jank_text_callback (JankReport *report, gint callback)
{
  const JankReportCall *call = jank_report_get_call (report, callback);
  g_autofree char *function = jank_report_call_to_text (report, (guint) callback);

  return jank_text_at (report, function, call->file, call->line);
}

static char *
contributor_text (JankReport *report, const JankReportSource *source)
{
  g_autofree char *total = jank_text_duration (source->total_ns);
  const char *name = jank_text_or_empty (source->name);
  g_autofree char *text = jank_report_has_callback (report, source->callback)
                          ? jank_text_callback (report, source->callback) : NULL;

  /* “[gtk] gdk_frame_clock_paint_idle” says more than where that is. */
  if (text == NULL || (strstr (text, "+0x") != NULL && *name != '\0'))
    jank_set_text (&text, *name != '\0' ? name : _("others"));

  if (source->count <= 1)
    return g_strdup_printf ("%s %s", text, total);
  return g_strdup_printf ("%'lu × %s %s", (gulong) source->count, text, total);
}

char *
jank_text_contributors (JankReport *report, gboolean is_short)
{
  g_autoptr (GString) list = g_string_new (NULL);
  gint64 others_ns = 0;

  for (guint i = 0; i < report->contributors->len; i++)
    {
      const JankReportSource *source = g_ptr_array_index (report->contributors, i);
      g_autofree char *text = contributor_text (report, source);

      if (!is_short || (i < MAX_NAMED && source->total_ns >= report->stall.duration_ns / LEAST))
        jank_text_append_item (list, text);
      else
        jank_json_sum (&others_ns, source->total_ns);
    }
  if (list->len == 0)
    return NULL;
  if (others_ns >= report->stall.duration_ns / LEAST)
    {
      g_autofree char *length = jank_text_duration (others_ns), *text = g_strdup_printf ("%s %s", _("others"), length);

      jank_text_append_item (list, text);
    }
  return g_string_free (g_steal_pointer (&list), FALSE);
}
