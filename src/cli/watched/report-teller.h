/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Carries out the settings on-report and notify for the reports that watched programs put into a store. The programs take
 * no part in it and get no child by it. On a thread of its own. */

#pragma once

#include <glib.h>

typedef struct _ReportTeller ReportTeller;

/* From now on. session (nullable): of whose programs; NULL: of programs without one. NULL with JANK_ERROR_FAILED */
ReportTeller *report_teller_new  (const char *folder, const char *session, GError **error);
/* After a last look. */
void          report_teller_free (ReportTeller *self);
