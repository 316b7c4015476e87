/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* How a kind of server wants reports: one constant a protocol, and which of them a URL means. Pure. Each record is a
 * whole body. */

#pragma once

#include "json/jank-json-text-private.h"
#include "report/jank-report-private.h"
#include "send/jank-sent-private.h"
#include "store/jank-session-private.h"

/* Of a program's version. */
typedef struct
{
  char   *app, *version; /* (owned): "": unknown */
  GBytes *body;          /* (owned) */
} JankTotals;

/* identity: of the machine */
typedef struct
{
  const char *path;        /* of records, behind the URL */
  const char *totals_path; /* (nullable): the protocol has no totals */
  const char *type;        /* of bodies */
  /* n_told: occurrences that the record stands for; extension (nullable): of GNOME Shell, to blame */
  GBytes     *(*log_report)  (const char *identity, JankReport *report, guint64 n_told, const char *extension);
  /* Returns: (transfer full) (nullable): there is nothing to send about it */
  GBytes     *(*log_process) (const char *identity, const JankSessionSummary *process, const char *key);
  /* (nullable): reads the answer to a body that was taken, which may be any bytes. Returns: how many of its parts were
   * refused; ret_words: (transfer full) (nullable): the server's words about that, not cleaned */
  guint64     (*read_answer) (GBytes *answer, char **ret_words);
  /* (nullable). Returns: (transfer full) (element-type JankTotals) */
  GPtrArray  *(*make_totals) (const char *identity, JankSent *sent, gint64 now_us);
} JankProtocol;

extern const JankProtocol jank_protocol_otlp, jank_protocol_sentry;

/* dsn: "https://KEY@HOST/PROJECT"; ret_headers: (transfer full): names and values in turns. Returns: (transfer full)
 * (nullable): where envelopes go; it is no DSN */
char *jank_sentry_find_url (GUri *dsn, char ***ret_headers);

/* A server. */
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
