/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Checks JSON (RFC 8259) and its bounds before json-glib sees it: json-glib 1.6 crashes on deep nesting and leaks on some
 * bad input. Pure; any thread; allocates nothing. */

#pragma once

#include <glib.h>

#define JANK_JSON_MAX_BYTES  (16 * 1024 * 1024)
#define JANK_JSON_MAX_DEPTH  32
#define JANK_JSON_MAX_VALUES 500000

typedef enum
{
  JANK_JSON_OK,
  JANK_JSON_TOO_LONG,
  JANK_JSON_TOO_DEEP,
  JANK_JSON_TOO_MANY,   /* values */
  JANK_JSON_NOT_UTF8,
  JANK_JSON_NOT_JSON,
} JankJsonVerdict;

/* ret_offset: of the first bad byte; not written with JANK_JSON_OK. */
JankJsonVerdict jank_json_check (const char *text, gsize n_bytes, gsize *ret_offset);
