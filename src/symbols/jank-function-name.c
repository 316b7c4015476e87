/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The Itanium C++ ABI's mangling, section 5.1, and Rust's legacy mangling, which is the same with escapes. A reader
 * returns FALSE at an unknown construct. `out` is NULL inside types, which are skipped. */

#include "symbols/jank-function-name-private.h"

#include <string.h>

#include "base/jank-text-clean-private.h"
#include "symbols/jank-rust-name-private.h"

#define SLOT      "slot "
#define MAX_DEPTH 48

typedef struct
{
  const char *at, *last; /* last: the innermost name, which constructors repeat */
  gsize       n_last;
  guint       depth;
} Reader;

static gboolean jank_function_name_read_name (Reader *self, GString *out);
static gboolean jank_function_name_read_encoding (Reader *self, GString *out);
static gboolean jank_function_name_skip_type (Reader *self);

static void
jank_function_name_put (GString *out, const char *text)
{
  if (out != NULL)
    g_string_append (out, text);
}

static void
jank_function_name_put_scope (GString *out)
{
  if (out != NULL && out->len > 0)
    g_string_append (out, "::");
}

static gboolean
jank_function_name_skip_char (Reader *self, char c)
{
  if (*self->at != c)
    return FALSE;
  self->at++;
  return TRUE;
}

static void
jank_function_name_skip_chars (Reader *self, const char *set)
{
  self->at += strspn (self->at, set);
}

/* "12_", "_", "1A_" */
static gboolean
jank_function_name_skip_sequence (Reader *self)
{
  jank_function_name_skip_chars (self, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  return jank_function_name_skip_char (self, '_');
}

/* "3foo" */
static gboolean
jank_function_name_read_source_name (Reader *self, GString *out)
{
  gsize n = 0;

  while (g_ascii_isdigit (*self->at) && n <= JANK_FUNCTION_NAME_MAX_BYTES)
    n = n * 10 + (gsize) (*self->at++ - '0');
  if (n == 0 || n > strnlen (self->at, n))
    return FALSE;
  self->last = self->at;
  self->n_last = n;
  self->at += n;
  if (out != NULL && g_str_has_prefix (self->last, "_GLOBAL__N"))
    g_string_append (out, "(anonymous namespace)");
  else if (out != NULL)
    g_string_append_len (out, self->last, (gssize) n);
  return TRUE;
}

static gboolean
jank_function_name_skip_types_until_end (Reader *self)
{
  while (*self->at != 'E')
    if (!jank_function_name_skip_type (self))
      return FALSE;
  return jank_function_name_skip_char (self, 'E');
}

/* Of "Lb1E", after the L. */
static gboolean
jank_function_name_skip_literal (Reader *self)
{
  if (g_str_has_prefix (self->at, "_Z"))
    {
      self->at += strlen ("_Z");
      return jank_function_name_read_encoding (self, NULL) && jank_function_name_skip_types_until_end (self);
    }
  if (!jank_function_name_skip_type (self))
    return FALSE;
  jank_function_name_skip_chars (self, "n0123456789abcdef_");
  return jank_function_name_skip_char (self, 'E');
}

/* After the I or J. */
static gboolean
jank_function_name_skip_template_args (Reader *self)
{
  gboolean known = ++self->depth <= MAX_DEPTH;

  while (known && *self->at != 'E')
    {
      if (jank_function_name_skip_char (self, 'L'))
        known = jank_function_name_skip_literal (self);
      else if (jank_function_name_skip_char (self, 'J'))
        known = jank_function_name_skip_template_args (self);
      else
        known = jank_function_name_skip_type (self);
    }
  self->depth--;
  return known && jank_function_name_skip_char (self, 'E');
}

static gboolean
jank_function_name_read_operator (Reader *self, GString *out)
{
  static const struct { char code[3]; const char *sign; } operators[] = {
    { "nw", " new" }, { "na", " new[]" }, { "dl", " delete" }, { "da", " delete[]" }, { "ps", "+" }, { "ng", "-" },
    { "ad", "&" }, { "de", "*" }, { "co", "~" }, { "pl", "+" }, { "mi", "-" }, { "ml", "*" }, { "dv",
                                                                                               "/" }, { "rm", "%" },
    { "an", "&" }, { "or", "|" }, { "eo", "^" }, { "aS", "=" }, { "pL", "+=" }, { "mI", "-=" }, { "mL", "*=" },
    { "dV", "/=" }, { "rM", "%=" }, { "aN", "&=" }, { "oR", "|=" }, { "eO", "^=" }, { "ls", "<<" }, { "rs", ">>" },
    { "lS", "<<=" }, { "rS", ">>=" }, { "eq", "==" }, { "ne", "!=" }, { "lt", "<" }, { "gt", ">" }, { "le", "<=" },
    { "ge", ">=" }, { "ss", "<=>" }, { "nt", "!" }, { "aa", "&&" }, { "oo", "||" }, { "pp", "++" }, { "mm", "--" },
    { "cm", "," }, { "pm", "->*" }, { "pt", "->" }, { "cl", "()" }, { "ix", "[]" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (operators); i++)
    if (g_str_has_prefix (self->at, operators[i].code))
      {
        self->at += 2;
        jank_function_name_put (out, "operator");
        jank_function_name_put (out, operators[i].sign);
        return TRUE;
      }
  if (!g_str_has_prefix (self->at, "cv"))
    return FALSE;
  self->at += 2;
  jank_function_name_put (out, "operator <…>");
  return jank_function_name_skip_type (self);
}

/* "UlvE0_", "Ut_" */
static gboolean
jank_function_name_read_unnamed (Reader *self, GString *out)
{
  gboolean is_lambda = self->at[1] == 'l';

  if (!is_lambda && self->at[1] != 't')
    return FALSE;
  self->at += 2;
  self->last = is_lambda ? "{lambda}" : "{unnamed}";
  self->n_last = strlen (self->last);
  jank_function_name_put (out, self->last);
  return (!is_lambda || jank_function_name_skip_types_until_end (self)) && jank_function_name_skip_sequence (self);
}

/* "C1" and "D2", after a name. */
static gboolean
jank_function_name_read_structor (Reader *self, GString *out)
{
  gboolean is_destructor = *self->at == 'D';

  if (self->last == NULL || !g_ascii_isdigit (self->at[1]))
    return FALSE;
  self->at += 2;
  jank_function_name_put (out, is_destructor ? "~" : "");
  if (out != NULL)
    g_string_append_len (out, self->last, (gssize) self->n_last);
  return TRUE;
}

static gboolean
jank_function_name_read_unqualified (Reader *self, GString *out)
{
  gboolean known;

  jank_function_name_skip_char (self, 'L');
  if (g_ascii_isdigit (*self->at))
    known = jank_function_name_read_source_name (self, out);
  else if (*self->at == 'U')
    known = jank_function_name_read_unnamed (self, out);
  else if (*self->at == 'C' || *self->at == 'D')
    known = jank_function_name_read_structor (self, out);
  else
    known = jank_function_name_read_operator (self, out);
  while (known && jank_function_name_skip_char (self, 'B'))
    known = jank_function_name_read_source_name (self, NULL);
  return known;
}

/* "St", "Sa", "S1_". What the last stands for is not kept; in a type it does not matter. */
static gboolean
jank_function_name_read_substitution (Reader *self, GString *out)
{
  static const struct { char code; const char *name; } known[] = {
    { 't', "std" }, { 'a', "std::allocator" }, { 'b', "std::basic_string" }, { 's', "std::string" },
    { 'i', "std::istream" }, { 'o', "std::ostream" }, { 'd', "std::iostream" },
  };

  self->at++;
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (jank_function_name_skip_char (self, known[i].code))
      {
        jank_function_name_put (out, known[i].name);
        self->last = strrchr (known[i].name, ':') != NULL ? strrchr (known[i].name, ':') + 1 : known[i].name;
        self->n_last = strlen (self->last);
        return TRUE;
      }
  return out == NULL && jank_function_name_skip_sequence (self);
}

static gboolean
jank_function_name_read_args (Reader *self, GString *out)
{
  if (!jank_function_name_skip_char (self, 'I'))
    return TRUE;
  jank_function_name_put (out, "<…>");
  return jank_function_name_skip_template_args (self);
}

/* After the N. */
static gboolean
jank_function_name_read_nested (Reader *self, GString *out)
{
  gboolean known = TRUE;

  jank_function_name_skip_chars (self, "rVKRO");
  while (known && *self->at != 'E')
    {
      if (*self->at == 'I')
        known = out == NULL || out->len > 0 ? jank_function_name_read_args (self, out) : FALSE;
      else if (jank_function_name_skip_char (self, 'M'))
        continue;
      else if (*self->at == 'T')
        known = out == NULL && jank_function_name_skip_type (self);
      else
        {
          jank_function_name_put_scope (out);
          known = *self->at == 'S' ? jank_function_name_read_substitution (self, out)
                                   : jank_function_name_read_unqualified (self, out);
        }
    }
  return known && jank_function_name_skip_char (self, 'E');
}

/* A local name, after the Z: the function with its parameters, E, and the name. */
static gboolean
jank_function_name_read_local (Reader *self, GString *out)
{
  if (!jank_function_name_read_encoding (self, out) || !jank_function_name_skip_types_until_end (self))
    return FALSE;
  if (jank_function_name_skip_char (self, 's'))
    return TRUE;
  if (jank_function_name_skip_char (self, 'd') && !jank_function_name_skip_sequence (self))
    return FALSE;
  jank_function_name_put_scope (out);
  if (!jank_function_name_read_name (self, out))
    return FALSE;
  if (jank_function_name_skip_char (self, '_'))
    jank_function_name_skip_chars (self, "_0123456789");
  return TRUE;
}

static gboolean
jank_function_name_read_plain_name (Reader *self, GString *out)
{
  GString *inner = NULL;
  gboolean known;

  if (jank_function_name_skip_char (self, 'Z'))
    return jank_function_name_read_local (self, out);
  if (jank_function_name_skip_char (self, 'N'))
    {
      inner = out != NULL ? g_string_new (NULL) : NULL;
      known = jank_function_name_read_nested (self, inner);
      jank_function_name_put (out, inner != NULL ? inner->str : "");
      if (inner != NULL)
        g_string_free (inner, TRUE);
      return known;
    }
  if (*self->at == 'S')
    {
      gboolean is_std = self->at[1] == 't';

      if (!jank_function_name_read_substitution (self, out))
        return FALSE;
      if (is_std)
        jank_function_name_put (out, "::");
      return (!is_std || jank_function_name_read_unqualified (self, out)) && jank_function_name_read_args (self, out);
    }
  return jank_function_name_read_unqualified (self, out) && jank_function_name_read_args (self, out);
}

static gboolean
jank_function_name_read_name (Reader *self, GString *out)
{
  gboolean known = ++self->depth <= MAX_DEPTH && jank_function_name_read_plain_name (self, out);

  self->depth--;
  return known;
}

/* A function's name, without its parameters. A thunk is named after the function it calls. */
static gboolean
jank_function_name_read_encoding (Reader *self, GString *out)
{
  guint n_offsets = g_str_has_prefix (self->at, "Th") ? 1 : g_str_has_prefix (self->at, "Tv") ? 2 : 0;

  if (n_offsets > 0)
    self->at += 2;
  for (guint i = 0; i < n_offsets; i++)
    {
      jank_function_name_skip_char (self, 'n');
      jank_function_name_skip_chars (self, "0123456789");
      if (!jank_function_name_skip_char (self, '_'))
        return FALSE;
    }
  return jank_function_name_read_name (self, out);
}

static gboolean
jank_function_name_skip_d_type (Reader *self)
{
  if (*self->at != '\0' && strchr ("deafhisucn", *self->at) != NULL)
    {
      self->at++;
      return TRUE;
    }
  return (jank_function_name_skip_char (self, 'p') ||
          jank_function_name_skip_char (self, 'o')) && jank_function_name_skip_type (self);
}

static gboolean
jank_function_name_skip_plain_type (Reader *self)
{
  char c = *self->at;

  if (c != '\0' && strchr ("vwbcahstijlmxynofdegz", c) != NULL)
    return jank_function_name_skip_char (self, c);
  if (c == 'N' || c == 'Z' || c == 'S' || g_ascii_isdigit (c))
    return jank_function_name_read_name (self, NULL);
  if (c == '\0' || strchr ("rVKPROCGDFAMT", c) == NULL)
    return FALSE;
  self->at++;
  switch (c)
    {
    case 'D':
      return jank_function_name_skip_d_type (self);
    case 'F':
      jank_function_name_skip_char (self, 'Y');
      return jank_function_name_skip_types_until_end (self);
    case 'A':
      return jank_function_name_skip_sequence (self) && jank_function_name_skip_type (self);
    case 'M':
      return jank_function_name_skip_type (self) && jank_function_name_skip_type (self);
    case 'T':
      return jank_function_name_skip_sequence (self) && jank_function_name_read_args (self, NULL);
    default:
      return jank_function_name_skip_type (self);
    }
}

static gboolean
jank_function_name_skip_type (Reader *self)
{
  const char *last = self->last;
  gsize n_last = self->n_last;
  gboolean known = ++self->depth <= MAX_DEPTH && jank_function_name_skip_plain_type (self);

  self->depth--;
  /* After the S_ of a template, its arguments. */
  known = known && (*self->at != 'I' || jank_function_name_read_args (self, NULL));
  self->last = last;
  self->n_last = n_last;
  return known;
}

/* Rust names end with a hash and contain escapes. */
static gboolean
jank_function_name_strip_hash (GString *name)
{
  const gsize n_hash = strlen ("::h0123456789abcdef");
  const char *hash = name->len > n_hash ? name->str + name->len - n_hash : NULL;

  if (hash == NULL || !g_str_has_prefix (hash, "::h") || strspn (hash + 3, "0123456789abcdef") != 16)
    return FALSE;
  g_string_truncate (name, (gsize) (hash - name->str));
  return TRUE;
}

static void
jank_function_name_unescape_rust (GString *name)
{
  static const struct { const char *escape, *text; } escapes[] = {
    { "::_$", "::$" }, { "$LT$", "<" }, { "$GT$", ">" }, { "$RF$", "&" }, { "$BP$", "*" }, { "$LP$", "(" },
    { "$RP$", ")" }, { "$C$", "," }, { "$SP$", "@" }, { "$u20$", " " }, { "$u22$", "\"" }, { "$u27$", "'" },
    { "$u2b$", "+" }, { "$u3b$", ";" }, { "$u5b$", "[" }, { "$u5d$", "]" }, { "$u7b$", "{" }, { "$u7d$", "}" },
    { "$u7e$", "~" }, { "..", "::" },
  };

  if (g_str_has_prefix (name->str, "_$"))
    g_string_erase (name, 0, 1);
  for (guint i = 0; i < G_N_ELEMENTS (escapes); i++)
    g_string_replace (name, escapes[i].escape, escapes[i].text, 0);
}

/* Without what GCC appends to its copies and parts of a C function. */
static char *
jank_function_name_cut (const char *symbol)
{
  static const char *const marks[] = { ".constprop.", ".isra.", ".part.", ".lto_priv." };
  gsize n = strlen (symbol);
  g_autofree char *name = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (marks); i++)
    {
      const char *mark = strstr (symbol, marks[i]);

      n = mark != NULL && mark > symbol ? MIN (n, (gsize) (mark - symbol)) : n;
    }
  name = g_strndup (symbol, n);
  return jank_text_cut (name, JANK_FUNCTION_NAME_MAX_SHOWN);
}

char *
jank_function_name (const char *symbol)
{
  g_autoptr (GString) name = NULL;
  Reader reader = { 0 };
  gboolean is_rust;

  if (symbol != NULL && g_str_has_prefix (symbol, SLOT))
    symbol += strlen (SLOT);
  is_rust = symbol != NULL && g_str_has_prefix (symbol, "_R");
  if (symbol == NULL || !(is_rust || g_str_has_prefix (symbol, "_Z")) ||
      strlen (symbol) > JANK_FUNCTION_NAME_MAX_BYTES)
    return jank_function_name_cut (symbol != NULL ? symbol : "");
  reader.at = symbol + strlen ("_Z");
  name = g_string_new (NULL);
  if (is_rust ? (reader.at = jank_rust_name_read (symbol, name)) == NULL
              : !jank_function_name_read_encoding (&reader, name))
    g_string_truncate (name, 0);
  if (name->len == 0)
    return jank_text_cut (symbol, JANK_FUNCTION_NAME_MAX_SHOWN);
  if (jank_function_name_strip_hash (name))
    jank_function_name_unescape_rust (name);
  return jank_text_cut (name->str, JANK_FUNCTION_NAME_MAX_SHOWN);
}
