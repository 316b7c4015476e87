/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* All that is learnt of watched programs while they run: stalls, through a session's FIFO, for the live lines; reports,
 * by their files in the store, for the report teller. One thread reads both. The programs get no child by it. */

#pragma once

#include <glib.h>

typedef struct _News News;

/* From now on. session (nullable): of whose programs; NULL: reports of programs without one. live: print the session's
 * stalls, where the folder takes a FIFO. Returns: (transfer full): also with an error, JANK_ERROR_FAILED, after which
 * reports are not told */
News *news_start (const char *folder, const char *session, gboolean live, GError **error);

/* After a last look. self: (transfer full) */
void  news_stop  (News *self);
