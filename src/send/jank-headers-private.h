/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Headers with which a server knows its senders, from OpenTelemetry's environment variable: a command line would show
 * them to everybody. Their values appear in no message. */

#pragma once

#include <glib.h>

/* url: of the server. signal (nullable): what it alone gets; "LOGS" may have headers of its own. owner (nullable): the
 * URL of the server that the common headers are for where the environment names none; else they go to any. Returns:
 * (transfer full) (nullable): names and values in turns; the variable cannot be read */
char **jank_headers_from_environment (const char *url, const char *signal, const char *owner, GError **error);
