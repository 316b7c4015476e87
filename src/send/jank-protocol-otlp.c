/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/jank-otlp-answer-private.h"
#include "send/jank-otlp-log-private.h"

static const char *
jank_protocol_otlp_get_type (const JankSendStyle *style)
{
  return style->json ? "application/json" : "application/x-protobuf";
}

const JankProtocol jank_protocol_otlp = {
  .max_records = 512,
  .path = "/v1/logs",
  .totals_path = "/v1/metrics",
  .get_type = jank_protocol_otlp_get_type,
  .log_report = jank_otlp_log_report,
  .log_process = jank_otlp_log_process,
  .make_body = jank_otlp_make_logs,
  .read_answer = jank_otlp_read_answer,
  .put_totals = jank_otlp_put_metrics,
  .make_totals = jank_otlp_make_metrics,
};
