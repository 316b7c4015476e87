/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fills the folder argv[1] with three handmade reports; argv[2] is the process that the last one is of. */

#include <stdlib.h>

#include "report-fixture.h"
#include "store/jank-store-private.h"

static void
save (JankStore *store, JankReport *report)
{
  g_autoptr (JankReport) owned = report;
  g_autoptr (GError) error = NULL;

  jank_store_write (store, owned, &error);
  g_assert_no_error (error);
}

int
main (int argc, char **argv)
{
  g_autoptr (JankStore) store = NULL;
  JankReport *report;

  g_assert_cmpint (argc, ==, 3);
  store = jank_store_new (argv[1], 100, 1 << 20);
  save (store, report_fixture_new ("20261121-153012-4242-1"));

  report = report_fixture_new_bare ("20261121-153500-4300-1");
  report->kind = JANK_REPORT_STARTUP;
  report->app.name = g_strdup ("evil\033[31m\n");
  save (store, report);

  report = report_fixture_new ("20261121-160000-4400-2");
  report->app.pid = atoi (argv[2]);
  report->stall.began_real_us = g_get_real_time () + 60 * (gint64) G_USEC_PER_SEC;
  report->stall.outcome = JANK_OUTCOME_ONGOING;
  save (store, report);
  return 0;
}
