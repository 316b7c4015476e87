/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Headers with which a server knows its senders, from OpenTelemetry's environment variable: a command line would show
 * them to everybody. Their values appear in no message. */

#pragma once

#include <glib.h>

/* url (nullable): of the server; it gets no headers if the environment names another server for them. Returns: (transfer
 * full) (nullable): names and values in turns; the variable cannot be read */
char **jank_headers_from_environment (const char *url, GError **error);
