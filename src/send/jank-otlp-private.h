/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Writes messages of OTLP, as protobuf or as the JSON that stands for it: a field has a number for the one and a name
 * for the other. Pure. */

#pragma once

#include "send/jank-protocol-private.h"

typedef struct
{
  GString *out;        /* (owned): what was written */
  gboolean json;
  GArray  *begun;      /* (owned): gsize: where the bytes of each message that is not complete begin; protobuf only */
  guint    attributes; /* number of the field that holds them */
} JankOtlp;

typedef enum
{
  JANK_OTLP_BOOL,
  JANK_OTLP_ENUM,
  JANK_OTLP_SINT32,
  JANK_OTLP_INT64,
  JANK_OTLP_FIXED64, /* and sfixed64 */
} JankOtlpType;

void    jank_otlp_init   (JankOtlp *self, gboolean json);
void    jank_otlp_clear  (JankOtlp *self);
/* Returns: (transfer full) */
GBytes *jank_otlp_steal  (JankOtlp *self);

/* A message in a field; name (nullable): in a list, or (number 0) the whole. */
void    jank_otlp_begin  (JankOtlp *self, guint number, const char *name);
void    jank_otlp_end    (JankOtlp *self);
/* Around the messages of a field that may be repeated. */
void    jank_otlp_begin_list (JankOtlp *self, const char *name);
void    jank_otlp_end_list   (JankOtlp *self);

void    jank_otlp_text   (JankOtlp *self, guint number, const char *name, const char *text);
void    jank_otlp_int    (JankOtlp *self, guint number, const char *name, JankOtlpType type, gint64 n);
void    jank_otlp_double (JankOtlp *self, guint number, const char *name, double n);
/* Packed */
void    jank_otlp_counts (JankOtlp *self, guint number, const char *name, const guint64 *counts, guint n);

/* A list of attributes, up to jank_otlp_end_list(). text (nullable): writes nothing. */
void    jank_otlp_begin_attributes (JankOtlp *self, guint number);
void    jank_otlp_attribute        (JankOtlp *self, const char *key, const char *text);
void    jank_otlp_attribute_int    (JankOtlp *self, const char *key, JankOtlpType type, gint64 n);
void    jank_otlp_attribute_double (JankOtlp *self, const char *key, double n);

/* Begins a body of one program, with the fields "resource" and "scope", up to the list of its records. what: "Logs" or
 * "Metrics"; records: the list's name */
void       jank_otlp_begin_body   (JankOtlp *self, const JankSendStyle *style, const char *what, const char *records,
                                   const char *app, const char *version);
/* Returns: (transfer full) */
GBytes    *jank_otlp_end_body     (JankOtlp *self);

/* As JankProtocol has them. The bytes of an answer may be anything. */
GPtrArray *jank_otlp_make_metrics (const JankSendStyle *style, JankSent *sent, gint64 now_us);
guint64    jank_otlp_read_answer  (const JankSendStyle *style, GBytes *answer, char **ret_words);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (JankOtlp, jank_otlp_clear)
