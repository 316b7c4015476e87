/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which servers get what. */

#pragma once

#include "send/jank-protocol-private.h"

typedef struct
{
  const JankProtocol *protocol;
  const char         *signal;      /* (nullable): of OpenTelemetry's, the only one that it gets: "METRICS" */
  char               *url;         /* (owned): as somebody named it: what it has got is kept under that */
  char               *base;        /* (owned): to which paths are added */
  const char         *path, *totals_path; /* (nullable): it takes no records, or no totals */
  char              **headers;     /* (owned) (nullable): names and values in turns; NULL: the environment's */
} JankTarget;

/* to: (nullable): a URL or DSN, "" for one that is not known yet; without it, OpenTelemetry's environment says where.
 * profiles: (nullable): a URL. A URL that ends in a path of the protocol gets only what goes there. Returns: (transfer
 * full) (nullable) (element-type JankTarget): one is no URL of a server */
GPtrArray *jank_targets_find (const char *to, const char *profiles, GError **error);
