/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Carries out the settings on-report and notify for the reports that watched programs put into a store. The programs
 * get no child by it. */

#pragma once

#include "report/jank-report-private.h"

typedef struct _ReportTeller ReportTeller;

/* folder: the store's */
ReportTeller *report_teller_new  (const char *folder);
void          report_teller_free (ReportTeller *self);

/* report: has its file there */
void          report_teller_tell (ReportTeller *self, JankReport *report);
