/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "verdict/jank-verdict-private.h"

#include "blame/jank-advice-private.h"
#include "blame/jank-culprit-private.h"
#include "blame/jank-platform-private.h"

/* Between the program's function and the one that it called: calls without a name, an interpreter and what it runs, a
 * standard library. */
static gboolean
jank_verdict_hands_on (const JankReportCall *call, const char *file)
{
  return call->symbol == NULL || call->language != NULL || file == NULL ||
         jank_platform_is (file, JANK_PLATFORM_INTERPRETER) || jank_culprit_is_standard_library (call->symbol);
}

/* Which has a loop of its own, also where GLib's is beneath it: what is advised is GLib's, and of no use there. */
static gboolean
jank_verdict_is_of_qt (JankReport *report)
{
  for (gint i = 0; i < (gint) report->heaviest.path->len; i++)
    {
      const char *file = jank_report_get_file_name (report, jank_report_get_step_call (report, i));

      if (file != NULL && (g_str_has_prefix (file, "libQt5") || g_str_has_prefix (file, "libQt6")))
        return TRUE;
    }
  return FALSE;
}

gint
jank_verdict_find_advised (JankReport *report, char **ret_advice)
{
  gint culprit = jank_report_find_culprit_step (report);
  gboolean as_binding;

  *ret_advice = NULL;
  if (culprit == JANK_REPORT_NO_INDEX || jank_verdict_is_of_qt (report))
    return JANK_REPORT_NO_INDEX;
  as_binding = jank_report_get_step_call (report, culprit)->language != NULL;
  /* What the program called, or Python's library for it: nothing further in, which is the library's business. */
  for (gint i = culprit; i < (gint) report->heaviest.path->len; i++)
    {
      const JankReportCall *call = jank_report_get_step_call (report, i);
      const JankReportModule *module = jank_report_get_module (report, call);
      /* What an interpreter runs is in a source. */
      const char *file = call->language != NULL ? call->file : module != NULL ? module->path : NULL;

      if (call->symbol != NULL && file != NULL && jank_platform_contains (file))
        *ret_advice = jank_advice_find (call->symbol, file, as_binding);
      if (*ret_advice != NULL)
        return i;
      if (i > culprit && !jank_verdict_hands_on (call, file))
        return JANK_REPORT_NO_INDEX;
    }
  return JANK_REPORT_NO_INDEX;
}
