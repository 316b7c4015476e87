/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <glib.h>

/* Valid UTF-8 without control characters, so that nothing that a file says can send commands to a terminal; "" for
 * NULL. Any thread. Returns: (transfer full) */
char *jank_text_clean (const char *text);
