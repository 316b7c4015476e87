/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "monitor/jank-prepare-private.h"

#include <gio/gio.h>

#include "base/jank-error.h"
#include "base/jank-own-thread-private.h"
#include "gobject/jank-emissions-private.h"
#include "report/jank-json-private.h"
#include "report/jank-report-private.h"

void
jank_prepare (void)
{
  static gsize is_done;

  if (!g_once_init_enter (&is_done))
    return;
  jank_own_thread_prepare ();
  jank_emissions_learn ();
  jank_json_prepare ();
  /* The domains of the errors that may come. */
  (void) (JANK_ERROR + G_FILE_ERROR + G_IO_ERROR + JSON_PARSER_ERROR);
  /* The details of a monitor's signals. */
  for (guint kind = 0; kind < JANK_N_REPORT_KINDS; kind++)
    g_quark_from_static_string (jank_report_kind_to_nick (kind));
  g_once_init_leave (&is_done, 1);
}
