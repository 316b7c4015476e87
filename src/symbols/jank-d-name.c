/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The D language's ABI, "Name Mangling". A function inside another is named after that one's name and type; an instance
 * of a template after its arguments. Types and values are only skipped: what they stand for is in no name. A reader
 * returns FALSE at an unknown construct. */

#include "symbols/jank-d-name-private.h"

#include <string.h>

#define MAX_DEPTH 48

/* Types are read twice where a function's may be part of a name: hostile ones again and again. */
#define MAX_STEPS 4096

typedef struct
{
  const char *begin, *at;
  guint       depth, n_steps;
} Reader;

static gboolean jank_d_name_read_name (Reader *self, GString *out);
static gboolean jank_d_name_read_path (Reader *self, GString *out);
static gboolean jank_d_name_skip_type (Reader *self);
static gboolean jank_d_name_skip_value (Reader *self);

static gboolean
jank_d_name_skip (Reader *self, const char *text)
{
  if (!g_str_has_prefix (self->at, text))
    return FALSE;
  self->at += strlen (text);
  return TRUE;
}

static gboolean
jank_d_name_read_number (Reader *self, gsize *ret_n)
{
  gsize n = 0;

  if (!g_ascii_isdigit (*self->at))
    return FALSE;
  for (; g_ascii_isdigit (*self->at); self->at++)
    n = MIN (n * 10 + (gsize) (*self->at - '0'), G_MAXINT);
  *ret_n = n;
  return TRUE;
}

/* "Qb": the same as so many bytes before; capital letters are the number's first digits.
 * Returns: (nullable): where that is */
static const char *
jank_d_name_read_reference (Reader *self)
{
  const char *from = self->at;
  gsize n = 0;

  for (self->at++; g_ascii_isupper (*self->at) && n < G_MAXINT; self->at++)
    n = n * 26 + (gsize) (*self->at - 'A');
  if (!g_ascii_islower (*self->at))
    return NULL;
  n = n * 26 + (gsize) (*self->at++ - 'a');
  return n > 0 && n <= (gsize) (from - self->begin) ? from - n : NULL;
}

/* Whether a name begins, or a reference to one. */
static gboolean
jank_d_name_is_name (const Reader *self)
{
  Reader reader = *self;
  const char *before = *self->at == 'Q' ? jank_d_name_read_reference (&reader) : self->at;

  return before != NULL && (g_ascii_isdigit (*before) || g_str_has_prefix (before, "__T") ||
                            g_str_has_prefix (before, "__U"));
}

static void
jank_d_name_skip_modifiers (Reader *self)
{
  while (jank_d_name_skip (self, "x") || jank_d_name_skip (self, "y") || jank_d_name_skip (self, "O") ||
         jank_d_name_skip (self, "Ng"))
    continue;
}

/* A name with its type, after the _D. */
static gboolean
jank_d_name_skip_symbol (Reader *self)
{
  if (!jank_d_name_read_path (self, NULL))
    return FALSE;
  if (jank_d_name_skip (self, "M"))
    jank_d_name_skip_modifiers (self);
  return jank_d_name_skip_type (self);
}

static gboolean
jank_d_name_skip_values (Reader *self)
{
  gsize n;
  gboolean known = jank_d_name_read_number (self, &n);

  while (known && n-- > 0)
    known = jank_d_name_skip_value (self);
  return known;
}

/* Of "i42", "e18P3", "a3_616263", "S2i1i2", "f_D3foo3barFZv". */
static gboolean
jank_d_name_skip_value (Reader *self)
{
  char c = *self->at;
  gsize n;

  if (++self->n_steps > MAX_STEPS || c == '\0')
    return FALSE;
  if (jank_d_name_skip (self, "f_D"))
    return jank_d_name_skip_symbol (self);
  if (strchr ("nNieacwdAS", c) != NULL)
    self->at++;
  switch (c)
    {
    case 'n':
      return TRUE;
    case 'e':
    case 'c':
      self->at += strspn (self->at, "0123456789ABCDEFNIP");
      return c == 'e' || jank_d_name_skip_value (self); /* "c1P0c1P0" */
    case 'a':
    case 'w':
    case 'd':
      if (!jank_d_name_read_number (self, &n) || !jank_d_name_skip (self, "_") || 2 * n > strnlen (self->at, 2 * n))
        return FALSE;
      self->at += 2 * n;
      return TRUE;
    case 'A':
    case 'S':
      return jank_d_name_skip_values (self);
    default:
      return jank_d_name_read_number (self, &n);
    }
}

static gboolean
jank_d_name_skip_args (Reader *self)
{
  gboolean known = TRUE;
  gsize n;

  while (known && *self->at != 'Z')
    {
      jank_d_name_skip (self, "H");
      if (jank_d_name_skip (self, "T"))
        known = jank_d_name_skip_type (self);
      else if (jank_d_name_skip (self, "V"))
        known = jank_d_name_skip_type (self) && jank_d_name_skip_value (self);
      else if (jank_d_name_skip (self, "S_D"))
        known = jank_d_name_skip_symbol (self);
      else if (jank_d_name_skip (self, "S"))
        known = jank_d_name_read_path (self, NULL);
      else if ((known = jank_d_name_skip (self, "X") && jank_d_name_read_number (self, &n) &&
                        n <= strnlen (self->at, n)))
        self->at += n;
    }
  return known && jank_d_name_skip (self, "Z");
}

/* "3foo", "__T3fooTiZ", and, until 2018, "10__T3fooTiZ". */
static gboolean
jank_d_name_read_plain (Reader *self, GString *out)
{
  gboolean is_sized = g_ascii_isdigit (*self->at), known = is_sized;
  const char *name;
  gsize n = 0;

  if (is_sized && (!jank_d_name_read_number (self, &n) || n == 0 || n > strnlen (self->at, n)))
    return FALSE;
  name = self->at;
  if (jank_d_name_skip (self, "__T") || jank_d_name_skip (self, "__U"))
    {
      known = jank_d_name_read_name (self, out) && (is_sized || jank_d_name_skip_args (self));
      if (out != NULL)
        g_string_append (out, "!(…)");
    }
  else if (out != NULL && n == strlen ("__ctor") && g_str_has_prefix (name, "__ctor"))
    g_string_append (out, "this");
  else if (out != NULL && n == strlen ("__dtor") && g_str_has_prefix (name, "__dtor"))
    g_string_append (out, "~this");
  else if (out != NULL)
    g_string_append_len (out, name, (gssize) n);
  if (is_sized)
    self->at = name + n;
  return known;
}

static gboolean
jank_d_name_read_name (Reader *self, GString *out)
{
  gboolean known = ++self->depth <= MAX_DEPTH && ++self->n_steps <= MAX_STEPS && jank_d_name_is_name (self);

  if (known && *self->at == 'Q')
    {
      Reader before = *self;

      before.at = jank_d_name_read_reference (self);
      known = jank_d_name_read_plain (&before, out);
      self->n_steps = before.n_steps;
    }
  else if (known)
    known = jank_d_name_read_plain (self, out);
  self->depth--;
  return known;
}

/* A function's type but for what it returns. */
static gboolean
jank_d_name_skip_function (Reader *self)
{
  gboolean known = *self->at != '\0' && strchr ("FUWVRY", *self->at) != NULL;

  if (known)
    self->at++;
  while (known && *self->at == 'N' && self->at[1] != '\0' && strchr ("abcdefijlm", self->at[1]) != NULL)
    self->at += 2;
  while (known && *self->at != 'X' && *self->at != 'Y' && *self->at != 'Z')
    {
      while (jank_d_name_skip (self, "Nk") || (*self->at != '\0' && strchr ("IJKLM", *self->at) != NULL))
        self->at += strspn (self->at, "IJKLM");
      known = jank_d_name_skip_type (self);
    }
  if (known)
    self->at++;
  return known;
}

/* "3app6Window4load": but a function's type only where another name follows. */
static gboolean
jank_d_name_read_path (Reader *self, GString *out)
{
  do
    {
      const char *end;

      self->at += strspn (self->at, "0"); /* without a name */
      if (!jank_d_name_read_name (self, out))
        return FALSE;
      end = self->at;
      if (jank_d_name_skip (self, "M"))
        jank_d_name_skip_modifiers (self);
      if (!jank_d_name_is_name (self) && (!jank_d_name_skip_function (self) || !jank_d_name_is_name (self)))
        self->at = end;
      if (out != NULL && jank_d_name_is_name (self))
        g_string_append_c (out, '.');
    }
  while (jank_d_name_is_name (self));
  return TRUE;
}

static gboolean
jank_d_name_skip_plain_type (Reader *self)
{
  char c = *self->at;
  gsize n;

  if (c == '\0')
    return FALSE;
  if (c == 'Q')
    return jank_d_name_read_reference (self) != NULL;
  if (strchr ("FUWVRY", c) != NULL)
    return jank_d_name_skip_function (self) && jank_d_name_skip_type (self);
  self->at++;
  if (strchr ("vghstiklmfdeopjqrcbauwn", c) != NULL)
    return TRUE;
  switch (c)
    {
    case 'z':
      return jank_d_name_skip (self, "i") || jank_d_name_skip (self, "k");
    case 'N':
      return jank_d_name_skip (self, "n") || ((jank_d_name_skip (self, "g") || jank_d_name_skip (self, "h")) &&
                                              jank_d_name_skip_type (self));
    case 'x':
    case 'y':
    case 'O':
    case 'A':
    case 'P':
      return jank_d_name_skip_type (self);
    case 'D':
      jank_d_name_skip_modifiers (self);
      return jank_d_name_skip_type (self);
    case 'G':
      return jank_d_name_read_number (self, &n) && jank_d_name_skip_type (self);
    case 'H':
      return jank_d_name_skip_type (self) && jank_d_name_skip_type (self);
    case 'C':
    case 'S':
    case 'E':
    case 'T':
    case 'I':
      return jank_d_name_read_path (self, NULL);
    case 'B':
      while (*self->at != 'Z')
        if (!jank_d_name_skip_type (self))
          return FALSE;
      return jank_d_name_skip (self, "Z");
    default:
      return FALSE;
    }
}

static gboolean
jank_d_name_skip_type (Reader *self)
{
  gboolean known = ++self->depth <= MAX_DEPTH && ++self->n_steps <= MAX_STEPS && jank_d_name_skip_plain_type (self);

  self->depth--;
  return known;
}

gboolean
jank_d_name_read (const char *symbol, GString *out)
{
  Reader reader = { symbol, symbol, 0, 0 };
  gsize n;

  /* What an interface's caller comes by. */
  if (jank_d_name_skip (&reader, "Thn") &&
      (!jank_d_name_read_number (&reader, &n) || !jank_d_name_skip (&reader, "_")))
    return FALSE;
  return jank_d_name_read_path (&reader, out);
}
