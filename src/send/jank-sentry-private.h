/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What Sentry's items share, and the item of a profile beside an event. */

#pragma once

#include "send/jank-otlp-private.h"
#include "send/jank-protocol-private.h"

/* Sentry's default. */
#define JANK_SENTRY_ENVIRONMENT "production"

#define BEGIN(name)      jank_otlp_begin (out, 0, name)
#define END()            jank_otlp_end (out)
#define TEXT(name, text) jank_protocol_sentry_text (out, name, text)
#define INT(name, n)     jank_otlp_int (out, 0, name, JANK_OTLP_ENUM, n)
#define BOOL(name, yes)  jank_otlp_int (out, 0, name, JANK_OTLP_BOOL, yes)

/* text (nullable): writes nothing, as an empty one. */
void     jank_protocol_sentry_text    (JankOtlp *out, const char *name, const char *text);
/* what: that has the ID. Returns: (transfer full): 32 hexadecimal digits */
char    *jank_protocol_sentry_make_id (const JankSendStyle *style, const char *key, const char *what);
void     jank_protocol_sentry_release (JankOtlp *out, const char *app, const char *version);
void     jank_protocol_sentry_sdk     (JankOtlp *out, const char *name);
void     jank_protocol_sentry_images  (JankOtlp *out, JankReport *report, gboolean brief);
void     jank_protocol_sentry_frame   (JankOtlp *out, JankReport *report, guint at);

/* Whether there is a sample that a chunk can have. */
gboolean jank_sentry_chunk_is_possible (JankReport *report);
void     jank_sentry_chunk_write       (JankOtlp *out, const JankSendStyle *style, JankReport *report);
/* The event's contexts, by which the server finds the chunk that shows its thread. */
void     jank_sentry_chunk_link        (JankOtlp *out, const JankSendStyle *style, JankReport *report);
