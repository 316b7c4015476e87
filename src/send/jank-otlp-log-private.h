/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The parts of OTLP that logs and metrics share. */

#pragma once

#include "send/jank-otlp-private.h"
#include "send/jank-protocol-private.h"

/* Of what program, on what system, on which machine: the field "resource". */
void        jank_otlp_resource      (JankOtlp *self, const JankSendStyle *style, const char *app, const char *version);
void        jank_otlp_scope         (JankOtlp *self);
GBytes     *jank_otlp_log_report    (const JankSendStyle *style, JankReport *report, guint64 n_told,
                                     const char *extension);
GBytes     *jank_otlp_log_process   (const JankSendStyle *style, const JankSessionSummary *process, const char *key);
GBytes     *jank_otlp_make_logs     (const JankSendStyle *style, const GPtrArray *items);
void        jank_otlp_put_metrics   (const JankSendStyle *style, JankSent *sent, gint64 now_us);
GBytes     *jank_otlp_make_metrics  (const JankSendStyle *style, const GPtrArray *items);
