/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a server gets, by its URL. */

#pragma once

#include "send/jank-protocol-private.h"

typedef struct
{
  const JankProtocol *protocol;
  char               *url;         /* (owned): as the user wrote it: what it has got is kept under that */
  char               *base;        /* (owned): to which paths are added */
  const char         *path, *totals_path; /* (nullable): it takes no records, or no totals */
  char              **headers;     /* (owned): names and values in turns */
} JankTarget;

/* url: also a DSN, or "" for a server that is not known yet. One that ends in a path of the protocol gets only what
 * goes there. Returns: (transfer full) (nullable): it is no URL of a server, or its headers cannot be read */
JankTarget *jank_target_new  (const char *url, GError **error);
void        jank_target_free (JankTarget *self);

/* Returns: (transfer full): url, also a faulty one, without passwords and queries, for messages */
char       *jank_target_show_url (const char *url);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankTarget, jank_target_free)
