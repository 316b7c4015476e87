/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Writes messages of OTLP as the JSON that stands for its protobuf. Pure. */

#pragma once

#include "json/jank-json-text-private.h"
#include "send/jank-protocol-private.h"

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
guint64    jank_otlp_read_answer (GBytes *answer, char **ret_words);
