/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Writes messages of OTLP as the JSON that stands for its protobuf. Pure. */

#pragma once

#include <json-glib/json-glib.h>

#include "send/jank-protocol-private.h"

/* An object and a list, up to json_builder_end_object() and json_builder_end_array(). name (nullable): in a list */
void    jank_otlp_begin      (JsonBuilder *self, const char *name);
void    jank_otlp_begin_list (JsonBuilder *self, const char *name);

void    jank_otlp_text   (JsonBuilder *self, const char *name, const char *text);
void    jank_otlp_flag   (JsonBuilder *self, const char *name, gboolean is_set);
void    jank_otlp_int    (JsonBuilder *self, const char *name, gint64 n);
/* A text, since numbers in JSON hold 53 bits. */
void    jank_otlp_int64  (JsonBuilder *self, const char *name, gint64 n);
void    jank_otlp_double (JsonBuilder *self, const char *name, double n);

/* In a list of attributes. text (nullable): writes nothing. */
void    jank_otlp_attribute        (JsonBuilder *self, const char *key, const char *text);
void    jank_otlp_attribute_flag   (JsonBuilder *self, const char *key, gboolean is_set);
void    jank_otlp_attribute_int    (JsonBuilder *self, const char *key, gint64 n);
void    jank_otlp_attribute_double (JsonBuilder *self, const char *key, double n);

/* Begins a body of one program, with the fields "resource" and "scope", up to the list of its records. what: "Logs" or
 * "Metrics"; records: the list's name. Returns: (transfer full) */
JsonBuilder *jank_otlp_begin_body (const JankSendStyle *style, const char *what, const char *records, const char *app,
                                   const char *version);
/* Returns: (transfer full) */
GBytes      *jank_otlp_end_body   (JsonBuilder *self);
/* Returns: (transfer full): the whole, as JSON */
GBytes      *jank_otlp_steal      (JsonBuilder *self);

/* As JankProtocol has them. The bytes of an answer may be anything. */
GPtrArray   *jank_otlp_make_metrics (const JankSendStyle *style, JankSent *sent, gint64 now_us);
guint64      jank_otlp_read_answer  (GBytes *answer, char **ret_words);
