/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* How a kind of server wants reports: one constant a protocol. Pure. */

#pragma once

#include "report/jank-report-private.h"
#include "send/jank-sent-private.h"
#include "store/jank-session-private.h"

/* Of the innermost calls, in a brief record. */
#define JANK_BRIEF_CALLS 24

typedef enum
{
  JANK_DETAIL_PROFILE, /* with all samples, where the protocol has a place for them */
  JANK_DETAIL_WHOLE,
  JANK_DETAIL_BRIEF,   /* the report is too large as a whole */
} JankDetail;

typedef struct
{
  const char *identity; /* of the machine */
  gboolean    json;     /* where the protocol leaves a choice */
  gboolean    is_delta; /* totals are since the last ones, not since the first */
  JankDetail  detail;
} JankSendStyle;

typedef struct
{
  guint       max_records; /* in one body */
  const char *path;        /* of records, behind the URL */
  const char *totals_path; /* (nullable): the protocol has no totals */
  const char *(*get_type)    (const JankSendStyle *style);
  /* n_told: occurrences that the record stands for; extension (nullable): of GNOME Shell, to blame. Returns:
   * (transfer full) (nullable): it has nothing to say of that */
  GBytes     *(*log_report)  (const JankSendStyle *style, JankReport *report, guint64 n_told, const char *extension);
  /* (nullable): none has a record */
  GBytes     *(*log_process) (const JankSendStyle *style, const JankSessionSummary *process, const char *key);
  /* (nullable): what stands behind the path of a body that begins with item. Returns: (transfer full) */
  char       *(*dup_query)   (const JankItem *item);
  /* items: (element-type JankItem), each with a record */
  GBytes     *(*make_body)   (const JankSendStyle *style, const GPtrArray *items);
  /* (nullable): to a body that was taken. Returns: how many of what was in it were refused; ret_words: (transfer full)
   * (nullable): what the server says of that, not cleaned */
  guint64     (*read_answer) (const JankSendStyle *style, GBytes *answer, char **ret_words);
  /* (nullable): it has no totals. Puts those of each series into sent, which waits for jank_sent_tell(). */
  void        (*put_totals)  (const JankSendStyle *style, JankSent *sent, gint64 now_us);
  GBytes     *(*make_totals) (const JankSendStyle *style, const GPtrArray *items);
} JankProtocol;

extern const JankProtocol jank_protocol_otlp, jank_protocol_sentry;

/* Pyroscope's. Returns: (nullable): this jankwatch was built without pprof */
const JankProtocol *jank_protocol_pprof_get (void);

/* dsn: "https://KEY@HOST/PROJECT"; ret_headers: (transfer full): names and values in turns. Returns: (transfer full)
 * (nullable): where envelopes go; it is no DSN */
char *jank_protocol_sentry_find_url (GUri *dsn, char ***ret_headers);
