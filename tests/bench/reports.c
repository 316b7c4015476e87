/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "reports.h"

#include "base/jank-clock-private.h"
#include "watching.h"

static void
report_cb (GObject *monitor, gpointer report, gpointer data)
{
  char *(*to_json) (gpointer) = (char *(*) (gpointer)) data;
  g_autofree char *json = to_json (report);
  g_auto (GStrv) lines = g_strsplit (json, "\n", -1);
  g_autofree char *line = g_strjoinv ("", lines);

  g_print ("{\"at_ns\": %" G_GINT64_FORMAT ", \"report\": %s}\n", jank_clock_now_ns (), line);
}

void
reports_print (void)
{
  GObject *monitor = watching_get_monitor ();

  if (monitor != NULL)
    g_signal_connect (monitor, "stall", G_CALLBACK (report_cb), watching_find ("jank_report_to_json"));
  g_print ("{\"watched\": %s}\n", monitor != NULL ? "true" : "false");
}
