/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Headers with which a server knows its senders, from OpenTelemetry's environment variable: a command line would show
 * them to everybody. Their values appear in no message. */

#pragma once

#include <glib.h>

/* url: of the server that gets them; they go to no other server than that of OTEL_EXPORTER_OTLP_ENDPOINT, where it is
 * set. Returns: (transfer full) (nullable): names and values in turns; the variable cannot be read */
char **jank_headers_from_environment (const char *url, GError **error);
