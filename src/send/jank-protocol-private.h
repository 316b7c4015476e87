/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* How a kind of server wants reports: one constant a protocol. Pure. Each record is a whole body. */

#pragma once

#include "json/jank-json-text-private.h"
#include "report/jank-report-private.h"
#include "send/jank-sent-private.h"
#include "store/jank-session-private.h"

/* Innermost calls that a brief record has. */
#define JANK_BRIEF_CALLS 24

typedef struct
{
  const char *identity; /* of the machine */
  gboolean    is_brief; /* the report is too large as a whole */
} JankSendStyle;

typedef struct
{
  const char *path;        /* of records, behind the URL */
  const char *totals_path; /* (nullable): the protocol has no totals */
  const char *type;        /* of bodies */
  /* n_told: occurrences that the record stands for; extension (nullable): of GNOME Shell, to blame */
  GBytes     *(*log_report)  (const JankSendStyle *style, JankReport *report, guint64 n_told, const char *extension);
  /* Returns: (transfer full) (nullable): there is nothing to send about it */
  GBytes     *(*log_process) (const JankSendStyle *style, const JankSessionSummary *process, const char *key);
  /* (nullable): reads the answer to a body that was taken. Returns: how many of its parts were refused; ret_words:
   * (transfer full) (nullable): the server's words about that, not cleaned */
  guint64     (*read_answer) (GBytes *answer, char **ret_words);
  /* (nullable). Returns: (transfer full) (element-type JankItem): the totals of each version of a program */
  GPtrArray  *(*make_totals) (const JankSendStyle *style, JankSent *sent, gint64 now_us);
} JankProtocol;

extern const JankProtocol jank_protocol_otlp, jank_protocol_sentry;

/* dsn: "https://KEY@HOST/PROJECT"; ret_headers: (transfer full): names and values in turns. Returns: (transfer full)
 * (nullable): where envelopes go; it is no DSN */
char *jank_sentry_find_url (GUri *dsn, char ***ret_headers);

/* OTLP: messages as the JSON that stands for its protobuf. */

/* A format, in a list of attributes; 64 bits stand in quotes, since numbers in JSON hold 53. */
#define JANK_OTLP_ATTRIBUTE(value) "{'key':%s,'value':{" value "}}"

/* text (nullable): writes nothing, as an empty one. */
void     jank_otlp_attribute (GString *self, const char *key, const char *text);

/* Begins a body of one program, with the fields "resource" and "scope", up to the list of its records. what: "Logs" or
 * "Metrics"; records: the list's name. Returns: (transfer full) */
GString *jank_otlp_begin_body (const JankSendStyle *style, const char *what, const char *records, const char *app,
                               const char *version);
/* self: (transfer full). Returns: (transfer full) */
GBytes  *jank_otlp_end_body   (GString *self);

/* As JankProtocol has them. The bytes of an answer may be anything. */
GPtrArray *jank_otlp_make_metrics (const JankSendStyle *style, JankSent *sent, gint64 now_us);
guint64    jank_otlp_read_answer  (GBytes *answer, char **ret_words);
