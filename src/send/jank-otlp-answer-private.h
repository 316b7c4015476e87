/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a server answers that has taken a body: OTLP's ExportLogsServiceResponse and ExportMetricsServiceResponse. Pure;
 * the bytes may be anything. */

#pragma once

#include "send/jank-protocol-private.h"

/* style: of what was sent, as is the answer. ret_words: (transfer full) (nullable): of the server, for people, not
 * cleaned. Returns: how many records or data points it has refused */
guint64 jank_otlp_read_answer (const JankSendStyle *style, GBytes *answer, char **ret_words);
