/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "report/jank-report-asked-private.h"

#include <string.h>

#include "blame/jank-culprit-private.h"
#include "blame/jank-platform-private.h"

static gboolean
jank_report_asked_has_dispatch (JankReport *report)
{
  const GArray *path = report->heaviest.path;
  g_autofree JankCulpritStep *steps = g_new0 (JankCulpritStep, path->len);

  for (guint i = 0; i < path->len; i++)
    {
      const JankReportCall *call = jank_report_get_step_call (report, (gint) i);
      const JankReportModule *module = jank_report_get_module (report, call);

      steps[i] = (JankCulpritStep) { call->symbol, module != NULL ? module->path : NULL, FALSE };
    }
  return jank_culprit_has_dispatch (steps, path->len, TRUE);
}

/* Whether the program has asked for what this one waits for, or a library of the platform waits on its own account, as
 * GTK does for its portal. */
static gboolean
jank_report_asked_hands_on (JankReport *report, const JankReportCall *call)
{
  const JankReportModule *module = jank_report_get_module (report, call);

  return call->language != NULL || module == NULL || module->path == NULL ||
         jank_platform_is (module->path, JANK_PLATFORM_INTERPRETER) ||
         jank_platform_is (module->path, JANK_PLATFORM_WAITS) || jank_report_is_own (report, call, NULL);
}

/* GLib waits for a child of its own that starts the program's and ends at once. */
static gboolean
jank_report_asked_is_spawn (const JankReportCall *call)
{
  return call->symbol != NULL && (g_str_has_prefix (call->symbol, "g_spawn_async") ||
                                  strcmp (call->symbol, "g_spawn_command_line_async") == 0);
}

gboolean
jank_report_is_asked (JankReport *report)
{
  gint culprit = jank_report_find_culprit_step (report);

  if (culprit == JANK_REPORT_NO_INDEX ||
      !jank_report_is_own (report, jank_report_get_step_call (report, culprit), NULL) ||
      !jank_report_asked_has_dispatch (report))
    return FALSE;
  for (gint i = culprit + 1; i < (gint) report->heaviest.path->len; i++)
    {
      const JankReportCall *call = jank_report_get_step_call (report, i);

      if (!jank_report_asked_hands_on (report, call) || jank_report_asked_is_spawn (call))
        return FALSE;
    }
  return TRUE;
}
