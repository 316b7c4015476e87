/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A scanner without recursion: the open containers are the bits of one word. Stricter than RFC 8259: it refuses NUL and
 * lone surrogates, of which json-glib makes broken strings. */

#include "config.h"

#include "report/jank-json-check-private.h"

#include <string.h>

G_STATIC_ASSERT (JANK_JSON_MAX_DEPTH <= 32);

typedef struct
{
  const char     *at, *end;
  guint           depth;
  guint32         objects; /* bit n: the container at depth n + 1 is an object */
  guint           n_values;
  JankJsonVerdict verdict;
} Scan;

static gboolean
fail (Scan *scan, JankJsonVerdict verdict)
{
  scan->verdict = verdict;
  return FALSE;
}

static void
skip_space (Scan *scan)
{
  while (scan->at < scan->end && strchr (" \t\r\n", *scan->at) != NULL && *scan->at != '\0')
    scan->at++;
}

static gboolean
accept (Scan *scan, char c)
{
  if (scan->at == scan->end || *scan->at != c)
    return FALSE;
  scan->at++;
  return TRUE;
}

static gboolean
scan_hex4 (Scan *scan, guint *ret_unit)
{
  guint unit = 0;

  for (guint i = 0; i < 4; i++, scan->at++)
    {
      if (scan->at == scan->end || !g_ascii_isxdigit (*scan->at))
        return fail (scan, JANK_JSON_NOT_JSON);
      unit = unit << 4 | (guint) g_ascii_xdigit_value (*scan->at);
    }
  *ret_unit = unit;
  return TRUE;
}

static gboolean
scan_unicode_escape (Scan *scan)
{
  guint unit, low;

  if (!scan_hex4 (scan, &unit))
    return FALSE;
  if (unit == 0 || (unit >= 0xdc00 && unit <= 0xdfff))
    return fail (scan, JANK_JSON_NOT_JSON);
  if (unit < 0xd800 || unit > 0xdbff)
    return TRUE;
  if (!accept (scan, '\\') || !accept (scan, 'u'))
    return fail (scan, JANK_JSON_NOT_JSON);
  if (!scan_hex4 (scan, &low))
    return FALSE;
  return (low >= 0xdc00 && low <= 0xdfff) || fail (scan, JANK_JSON_NOT_JSON);
}

static gboolean
scan_string (Scan *scan)
{
  if (!accept (scan, '"'))
    return fail (scan, JANK_JSON_NOT_JSON);

  while (scan->at < scan->end && *scan->at != '"')
    {
      if ((guchar) *scan->at < 0x20)
        return fail (scan, JANK_JSON_NOT_JSON);
      if (*scan->at++ != '\\')
        continue;
      if (accept (scan, 'u'))
        {
          if (!scan_unicode_escape (scan))
            return FALSE;
        }
      else if (scan->at < scan->end && *scan->at != '\0' && strchr ("\"\\/bfnrt", *scan->at) != NULL)
        scan->at++;
      else
        return fail (scan, JANK_JSON_NOT_JSON);
    }

  return accept (scan, '"') || fail (scan, JANK_JSON_NOT_JSON);
}

static gboolean
scan_digits (Scan *scan)
{
  const char *first = scan->at;

  while (scan->at < scan->end && g_ascii_isdigit (*scan->at))
    scan->at++;
  return scan->at > first || fail (scan, JANK_JSON_NOT_JSON);
}

static gboolean
scan_number (Scan *scan)
{
  accept (scan, '-');
  if (!accept (scan, '0') && !scan_digits (scan))
    return FALSE;
  if (accept (scan, '.') && !scan_digits (scan))
    return FALSE;
  if (accept (scan, 'e') || accept (scan, 'E'))
    {
      if (!accept (scan, '+'))
        accept (scan, '-');
      return scan_digits (scan);
    }
  return TRUE;
}

static gboolean
scan_scalar (Scan *scan)
{
  static const char *const words[] = { "true", "false", "null" };

  if (scan->at < scan->end && *scan->at == '"')
    return scan_string (scan);
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    {
      gsize n = strlen (words[i]);

      if ((gsize) (scan->end - scan->at) >= n && memcmp (scan->at, words[i], n) == 0)
        {
          scan->at += n;
          return TRUE;
        }
    }
  return scan_number (scan);
}

static gboolean
scan_member_name (Scan *scan)
{
  skip_space (scan);
  if (!scan_string (scan))
    return FALSE;
  skip_space (scan);
  return accept (scan, ':') || fail (scan, JANK_JSON_NOT_JSON);
}

static gboolean
push (Scan *scan, gboolean object)
{
  if (scan->depth == JANK_JSON_MAX_DEPTH)
    return fail (scan, JANK_JSON_TOO_DEEP);
  if (object)
    scan->objects |= 1u << scan->depth;
  else
    scan->objects &= ~(1u << scan->depth);
  scan->depth++;
  return TRUE;
}

/* Scans from the beginning of a value to the end of its first scalar or empty container. */
static gboolean
scan_down (Scan *scan)
{
  for (;;)
    {
      gboolean object;

      if (++scan->n_values > JANK_JSON_MAX_VALUES)
        return fail (scan, JANK_JSON_TOO_MANY);
      skip_space (scan);
      object = accept (scan, '{');
      if (!object && !accept (scan, '['))
        return scan_scalar (scan);
      if (!push (scan, object))
        return FALSE;
      skip_space (scan);
      if (accept (scan, object ? '}' : ']'))
        {
          scan->depth--;
          return TRUE;
        }
      if (object && !scan_member_name (scan))
        return FALSE;
    }
}

/* Scans from the end of a value to the beginning of the next, or out of all containers. */
static gboolean
scan_up (Scan *scan)
{
  while (scan->depth > 0)
    {
      gboolean object = (scan->objects >> (scan->depth - 1)) & 1;

      skip_space (scan);
      if (accept (scan, ','))
        return !object || scan_member_name (scan);
      if (!accept (scan, object ? '}' : ']'))
        return fail (scan, JANK_JSON_NOT_JSON);
      scan->depth--;
    }
  return TRUE;
}

JankJsonVerdict
jank_json_check (const char *text, gsize n_bytes, gsize *ret_offset)
{
  Scan scan = { .at = text, .end = text + n_bytes };
  const char *bad;

  if (n_bytes > JANK_JSON_MAX_BYTES)
    {
      *ret_offset = JANK_JSON_MAX_BYTES;
      return JANK_JSON_TOO_LONG;
    }
  if (!g_utf8_validate_len (text, n_bytes, &bad))
    {
      *ret_offset = (gsize) (bad - text);
      return JANK_JSON_NOT_UTF8;
    }

  do
    if (!scan_down (&scan) || !scan_up (&scan))
      break;
  while (scan.depth > 0);

  skip_space (&scan);
  if (scan.verdict == JANK_JSON_OK && scan.at < scan.end)
    scan.verdict = JANK_JSON_NOT_JSON;
  if (scan.verdict != JANK_JSON_OK)
    *ret_offset = (gsize) (scan.at - text);
  return scan.verdict;
}
