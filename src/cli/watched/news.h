/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* All that is learnt of watched programs while they run, from their live files: stalls, for the live lines, and
 * reports, for on-report and notify. One thread reads. The programs get no child by it. */

#pragma once

#include <glib.h>

typedef struct _News News;

/* From now on. store: where the reports are. session (nullable): of whose programs; NULL: programs without one.
 * live: print the session's stalls. Returns: (transfer full): also with an error, JANK_ERROR_FAILED, after which
 * nothing is told */
News *news_start (const char *store, const char *session, gboolean live, GError **error);

/* After a last look. self: (transfer full) */
void  news_stop  (News *self);
