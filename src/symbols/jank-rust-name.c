/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Rust's v0 mangling (RFC 2603). A reader returns FALSE at an unknown construct. `out` is NULL where nothing is
 * shown. Generic arguments are left out, as older symbols have none. */

#include "symbols/jank-rust-name-private.h"

#include <string.h>

#define MAX_DEPTH 48
/* Symbols refer back to parts of themselves, so that what they stand for can be huge. */
#define MAX_STEPS 1000
#define MAX_BYTES 4096

typedef struct
{
  const char *begin, *at; /* begin: references count from there */
  guint       depth, n_steps;
} Reader;

typedef gboolean (*Read) (Reader *self, GString *out);

static gboolean jank_rust_name_read_path (Reader *self, GString *out);
static gboolean jank_rust_name_read_type (Reader *self, GString *out);

static gboolean
jank_rust_name_skip (Reader *self, char c)
{
  if (*self->at != c)
    return FALSE;
  self->at++;
  return TRUE;
}

static gboolean
jank_rust_name_put (GString *out, const char *text, gsize n)
{
  if (out != NULL)
    g_string_append_len (out, text, (gssize) n);
  return out == NULL || out->len <= MAX_BYTES;
}

static gboolean
jank_rust_name_put_text (GString *out, const char *text)
{
  return jank_rust_name_put (out, text, strlen (text));
}

/* "_": 0, "0_": 1, "Z_": 62 */
static gboolean
jank_rust_name_read_number (Reader *self, gsize *ret_number)
{
  static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  gsize n = 0;
  gboolean has_digits = *self->at != '_';

  for (const char *digit; *self->at != '\0' && (digit = strchr (digits, *self->at)) != NULL; self->at++)
    n = n * 62 + (gsize) (digit - digits);
  *ret_number = n + has_digits;
  return jank_rust_name_skip (self, '_');
}

/* What may stand before a name, a type or a lifetime. */
static gboolean
jank_rust_name_skip_number (Reader *self, char mark)
{
  gsize number;

  return !jank_rust_name_skip (self, mark) || jank_rust_name_read_number (self, &number);
}

/* "s_3foo", "3foo", "5_1foo2"; an empty one gives nothing. */
static gboolean
jank_rust_name_read_name (Reader *self, GString *out, const char *scope)
{
  gsize n = 0;

  if (!jank_rust_name_skip_number (self, 's'))
    return FALSE;
  jank_rust_name_skip (self, 'u');
  if (!g_ascii_isdigit (*self->at))
    return FALSE;
  if (!jank_rust_name_skip (self, '0'))
    while (g_ascii_isdigit (*self->at) && n <= MAX_BYTES)
      n = n * 10 + (gsize) (*self->at++ - '0');
  jank_rust_name_skip (self, '_');
  if (n > strnlen (self->at, n))
    return FALSE;
  self->at += n;
  return n == 0 || (jank_rust_name_put_text (out, scope) &&
                    jank_rust_name_put (out, self->at - n, n));
}

/* After the B: the same as stands at that place. */
static gboolean
jank_rust_name_read_again (Reader *self, GString *out, Read read)
{
  const char *end;
  gsize place;
  gboolean known;

  if (!jank_rust_name_read_number (self, &place) || place >= (gsize) (self->at - self->begin))
    return FALSE;
  if (out == NULL)
    return TRUE;
  end = self->at;
  self->at = self->begin + place;
  known = read (self, out);
  self->at = end;
  return known;
}

static gboolean
jank_rust_name_read_plain_const (Reader *self, GString *out)
{
  if (jank_rust_name_skip (self, 'B'))
    return jank_rust_name_read_again (self, out, jank_rust_name_read_plain_const);
  if (jank_rust_name_skip (self, 'p'))
    return TRUE;
  if (!g_ascii_islower (*self->at))
    return FALSE;
  self->at++;
  self->at += strspn (self->at, "n0123456789abcdef");
  return jank_rust_name_skip (self, '_');
}

static gboolean
jank_rust_name_skip_args (Reader *self)
{
  while (*self->at != '\0' && *self->at != 'E')
    if (!(*self->at == 'L' ? jank_rust_name_skip_number (self, 'L')
          : jank_rust_name_skip (self, 'K') ? jank_rust_name_read_plain_const (self, NULL)
          : jank_rust_name_read_type (self, NULL)))
      return FALSE;
  return jank_rust_name_skip (self, 'E');
}

/* After the N: closures, constants and shims have a capital letter, mostly no name. */
static gboolean
jank_rust_name_read_nested (Reader *self, GString *out)
{
  char kind = *self->at;
  gboolean has_name = g_ascii_islower (kind);

  if (!g_ascii_isalpha (kind))
    return FALSE;
  self->at++;
  return jank_rust_name_read_path (self, out) &&
         (has_name || jank_rust_name_put_text (out, kind == 'C' ? "::{{closure}}"
                                                             : kind == 'K' ? "::{{const}}" : "::{{shim}}")) &&
         jank_rust_name_read_name (self, out, has_name ? "::" : ":");
}

/* After the M, X or Y: "<T>", "<T as Trait>". */
static gboolean
jank_rust_name_read_impl (Reader *self, GString *out, char kind)
{
  if (kind != 'Y' && !(jank_rust_name_skip_number (self, 's') &&
                       jank_rust_name_read_path (self, NULL)))
    return FALSE;
  if (!jank_rust_name_put_text (out, "<") || !jank_rust_name_read_type (self, out))
    return FALSE;
  if (kind != 'M' && !(jank_rust_name_put_text (out, " as ") &&
                       jank_rust_name_read_path (self, out)))
    return FALSE;
  return jank_rust_name_put_text (out, ">");
}

static gboolean
jank_rust_name_read_plain_path (Reader *self, GString *out)
{
  char kind = *self->at;

  if (kind == '\0' || strchr ("CNIMXYB", kind) == NULL)
    return FALSE;
  self->at++;
  switch (kind)
    {
    case 'C':
      return jank_rust_name_read_name (self, out, "");
    case 'N':
      return jank_rust_name_read_nested (self, out);
    case 'I':
      return jank_rust_name_read_path (self, out) && jank_rust_name_skip_args (self);
    case 'B':
      return jank_rust_name_read_again (self, out, jank_rust_name_read_path);
    default:
      return jank_rust_name_read_impl (self, out, kind);
    }
}

static gboolean
jank_rust_name_read_path (Reader *self, GString *out)
{
  gboolean known = ++self->depth <= MAX_DEPTH && ++self->n_steps <= MAX_STEPS &&
                   jank_rust_name_read_plain_path (self, out);

  self->depth--;
  return known;
}

/* After the F: lifetimes, "unsafe" and ABI, parameters, E, and what it returns. */
static gboolean
jank_rust_name_read_function (Reader *self, GString *out)
{
  if (!jank_rust_name_skip_number (self, 'G'))
    return FALSE;
  jank_rust_name_skip (self, 'U');
  if (jank_rust_name_skip (self, 'K') && !jank_rust_name_skip (self, 'C') &&
      !jank_rust_name_read_name (self, NULL, ""))
    return FALSE;
  return jank_rust_name_skip_args (self) && jank_rust_name_read_type (self, NULL) &&
         jank_rust_name_put_text (out, "fn");
}

/* After the D: lifetimes, traits, each with the types that it is bound to, E, and a lifetime. */
static gboolean
jank_rust_name_read_dyn (Reader *self, GString *out)
{
  const char *before = "dyn ";

  if (!jank_rust_name_skip_number (self, 'G'))
    return FALSE;
  for (; *self->at != 'E'; before = " + ")
    {
      if (!jank_rust_name_put_text (out, before) || !jank_rust_name_read_path (self, out))
        return FALSE;
      while (jank_rust_name_skip (self, 'p'))
        if (!jank_rust_name_read_name (self, NULL, "") || !jank_rust_name_read_type (self, NULL))
          return FALSE;
    }
  self->at++;
  return *self->at == 'L' && jank_rust_name_skip_number (self, 'L');
}

static gboolean
jank_rust_name_read_tuple (Reader *self, GString *out)
{
  const char *before = "(";

  for (; *self->at != 'E'; before = ", ")
    if (!jank_rust_name_put_text (out, before) || !jank_rust_name_read_type (self, out))
      return FALSE;
  self->at++;
  return jank_rust_name_put_text (out, before[0] == '(' ? "()" : ")");
}

/* Returns: (nullable) */
static const char *
jank_rust_name_get_basic (char letter)
{
  static const char *const names[] = { "i8", "bool", "char", "f64", "str", "f32", NULL, "u8", "isize", "usize", NULL,
                                       "i32", "u32", "i128", "u128", "_", NULL, NULL, "i16", "u16", "()", "...", NULL,
                                       "i64", "u64", "!" };

  return g_ascii_islower (letter) ? names[letter - 'a'] : NULL;
}

static gboolean
jank_rust_name_read_plain_type (Reader *self, GString *out)
{
  const char *basic = jank_rust_name_get_basic (*self->at);
  char kind = *self->at;

  if (basic == NULL && (kind == '\0' || strchr ("ASTRQPOFDB", kind) == NULL))
    return jank_rust_name_read_path (self, out);
  self->at++;
  switch (kind)
    {
    case 'A':
    case 'S':
      return jank_rust_name_put_text (out, "[") && jank_rust_name_read_type (self, out) &&
             (kind == 'S' || jank_rust_name_read_plain_const (self, NULL)) &&
             jank_rust_name_put_text (out, "]");
    case 'T':
      return jank_rust_name_read_tuple (self, out);
    case 'R':
    case 'Q':
      return jank_rust_name_skip_number (self, 'L') &&
             jank_rust_name_put_text (out, kind == 'R' ? "&" : "&mut ") &&
             jank_rust_name_read_type (self, out);
    case 'P':
    case 'O':
      return jank_rust_name_put_text (out, kind == 'P' ? "*const " : "*mut ") &&
             jank_rust_name_read_type (self, out);
    case 'F':
      return jank_rust_name_read_function (self, out);
    case 'D':
      return jank_rust_name_read_dyn (self, out);
    case 'B':
      return jank_rust_name_read_again (self, out, jank_rust_name_read_type);
    default:
      return jank_rust_name_put_text (out, basic);
    }
}

static gboolean
jank_rust_name_read_type (Reader *self, GString *out)
{
  gboolean known = ++self->depth <= MAX_DEPTH && ++self->n_steps <= MAX_STEPS &&
                   jank_rust_name_read_plain_type (self, out);

  self->depth--;
  return known;
}

const char *
jank_rust_name_read (const char *symbol, GString *name)
{
  Reader self = { .begin = symbol + strlen ("_R"), .at = symbol + strlen ("_R") };

  if (!jank_rust_name_read_path (&self, name))
    return NULL;
  /* The crate that a generic function was made for. */
  if (*self.at != '\0' && strchr (".$", *self.at) == NULL && !jank_rust_name_read_path (&self, NULL))
    return NULL;
  return self.at;
}
