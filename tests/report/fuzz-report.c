/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whatever the bytes of a report file are: reading, writing again and showing them neither crashes nor leaks,
 * and what was read is stable. For libFuzzer; test-report-fuzz.c drives it with a fixed seed. */

#include "fuzz-report.h"

#include <string.h>

#include "text/jank-text-report-private.h"
#include "report/jank-report-json-private.h"

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t n_bytes)
{
  const JankTextStyle style = { .n_columns = 80, .color = TRUE };
  g_autoptr (JankReport) report = jank_report_from_json ((const char *) data, n_bytes, NULL);
  g_autoptr (JankReport) again = NULL;
  g_autofree char *once = NULL, *twice = NULL, *text = NULL;

  if (report == NULL)
    return 0;

  once = jank_report_to_json (report);
  again = jank_report_from_json (once, strlen (once), NULL);
  g_assert_nonnull (again);
  twice = jank_report_to_json (again);
  g_assert_cmpstr (once, ==, twice);
  text = jank_text_report (report, &style);
  g_assert_true (g_utf8_validate (text, -1, NULL));
  return 0;
}
