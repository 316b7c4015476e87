/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "reports.h"

#include <dlfcn.h>
#include <glib-object.h>

#include "base/jank-clock-private.h"

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
  void *library = dlopen ("libjankwatch-1.so.0", RTLD_LAZY | RTLD_NOLOAD);
  GObject *(*get_default) (void) = NULL;
  GObject *monitor;

  if (library != NULL)
    get_default = (GObject * (*) (void)) dlsym (library, "jank_monitor_get_default");
  monitor = get_default != NULL ? get_default () : NULL;

  if (monitor != NULL)
    g_signal_connect (monitor, "stall", G_CALLBACK (report_cb), dlsym (library, "jank_report_to_json"));
  g_print ("{\"watched\": %s}\n", monitor != NULL ? "true" : "false");
}
