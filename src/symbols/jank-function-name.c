/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* libiberty reads the symbols; what it prints is left at MAX_BYTES_READ, as a hundred hostile bytes spell out a name of
 * exponential length. It allocates nothing that lasts, so that its callback can jump out. What it printed is shortened:
 * parameters, results and the parts of templates go. */

#include "symbols/jank-function-name-private.h"

#include <setjmp.h>
#include <string.h>
#include <glib/gi18n-lib.h>
#include <libiberty/demangle.h>

#include "base/jank-text-clean-private.h"

#define SLOT           "slot "
#define OPERATOR       "operator"
#define ANONYMOUS      "(anonymous namespace)"
#define MAX_BYTES_READ (16 * 1024)

typedef struct
{
  GString *text;
  jmp_buf  is_full;
} Reading;

static void
jank_function_name_read_cb (const char *part, size_t n, void *data)
{
  Reading *reading = data;

  if (reading->text->len + n > MAX_BYTES_READ)
    longjmp (reading->is_full, 1);
  g_string_append_len (reading->text, part, (gssize) n);
}

/* Returns: whether all of it was read */
static gboolean
jank_function_name_read (const char *symbol, GString *text, gboolean *ret_rust)
{
  Reading reading = { .text = text };

  if (setjmp (reading.is_full) != 0)
    return FALSE;
  *ret_rust = rust_demangle_callback (symbol, 0, jank_function_name_read_cb, &reading) != 0;
  if (*ret_rust)
    return TRUE;
  g_string_truncate (text, 0);
  return cplus_demangle_v3_callback (symbol, 0, jank_function_name_read_cb, &reading) != 0;
}

static gboolean
jank_function_name_is_letter (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '$';
}

/* Returns: how many bytes are "operator" and its sign; 0 if this is none */
static gsize
jank_function_name_measure_operator (const char *start, const char *at)
{
  static const char *const signs[] = {
    "<=>", "<<=", ">>=", "->*", "<<", ">>", "->", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "+=", "-=",
    "*=", "/=", "%=", "&=", "|=", "^=", "()", "[]", " new[]", " delete[]", " new", " delete", "+", "-", "*", "/",
    "%", "^", "&", "|", "~", "!", "=", "<", ">", ",", "",
  };
  gsize n = strlen (OPERATOR);
  guint i = 0;

  if (!g_str_has_prefix (at, OPERATOR) || jank_function_name_is_letter (at[n]) ||
      (at > start && jank_function_name_is_letter (at[-1])))
    return 0;
  while (!g_str_has_prefix (at + n, signs[i]))
    i++;
  return n + strlen (signs[i]);
}

/* at: a bracket. Returns: (nullable): what follows the one that closes it */
static const char *
jank_function_name_skip_group (const char *start, const char *at)
{
  static const char opening[] = "<([{", closing[] = ">)]}";
  char open[MAX_BYTES_READ];
  gsize depth = 0;

  for (; *at != '\0'; at++)
    {
      gsize n_operator = jank_function_name_measure_operator (start, at);
      const char *bracket = strchr (opening, *at);

      if (n_operator > 0)
        at += n_operator - 1;
      else if (g_str_has_prefix (at, "->"))
        at++;
      else if (bracket != NULL)
        open[depth++] = closing[bracket - opening];
      else if (strchr (closing, *at) != NULL && (depth == 0 || open[--depth] != *at))
        return NULL;
      else if (depth == 0)
        return at + 1;
    }
  return NULL;
}

/* at: (nullable), after the parameters of a function in which another is. */
static const char *
jank_function_name_skip_qualifiers (const char *at)
{
  static const char *const qualifiers[] = { " const", " volatile", " &&", " &" };

  for (guint i = 0; at != NULL && i < G_N_ELEMENTS (qualifiers); i++)
    if (g_str_has_prefix (at, qualifiers[i]))
      at += strlen (qualifiers[i]);
  return at;
}

/* "{lambda(int)#1}" and "{closure#0}" */
static const char *
jank_function_name_put_unnamed (GString *name, const char *start, const char *at, const char *format)
{
  g_string_append_printf (name, format, (int) strspn (at + 1, G_CSET_a_2_z G_CSET_A_2_Z), at + 1);
  return jank_function_name_skip_group (start, at);
}

static const char *
jank_function_name_put_operator (GString *name, const char *at, gsize n)
{
  g_string_append_len (name, at, (gssize) n);
  at += n;
  if (n == strlen (OPERATOR)) /* to a type */
    {
      g_string_append (name, " <…>");
      at += strcspn (at, "(");
    }
  /* Before the arguments of a template. */
  return *at == ' ' ? at + 1 : at;
}

/* What follows here and below: (nullable): what comes after it in the whole name; NULL if that is not understood. */
static const char *
jank_function_name_put_cplusplus (GString *name, const char *start, const char *at)
{
  gsize n_operator = jank_function_name_measure_operator (start, at);

  if (n_operator > 0)
    return jank_function_name_put_operator (name, at, n_operator);
  switch (*at)
    {
    case '{':
      return jank_function_name_put_unnamed (name, start, at, "{%.*s}");
    case '<':
      g_string_append (name, "<…>");
      return jank_function_name_skip_group (start, at);
    case '[':
      return jank_function_name_skip_group (start, at);
    case '(':
      if (!g_str_has_prefix (at, ANONYMOUS))
        return jank_function_name_skip_qualifiers (jank_function_name_skip_group (start, at));
      g_string_append (name, ANONYMOUS);
      return at + strlen (ANONYMOUS);
    case ' ': /* what it returns, or that it is a thunk */
      g_string_truncate (name, 0);
      return at + 1;
    default:
      g_string_append_c (name, *at);
      return at + 1;
    }
}

static const char *
jank_function_name_put_rust (GString *name, const char *start, const char *at)
{
  if (*at == '{' && at[1] != '{' && (at == start || at[-1] != '{'))
    return jank_function_name_put_unnamed (name, start, at, "{{%.*s}}");
  if (g_str_has_prefix (at, "::<") && !g_str_has_prefix (at, "::<impl "))
    return jank_function_name_skip_group (start, at + strlen ("::"));
  if (*at == '<' && at[1] != '\'' && at > start && jank_function_name_is_letter (at[-1]))
    return jank_function_name_skip_group (start, at);
  g_string_append_c (name, *at);
  return at + 1;
}

/* Without what GCC appends to its copies and parts of a C function. */
static char *
jank_function_name_cut (const char *symbol)
{
  static const char *const marks[] = { ".constprop.", ".isra.", ".part.", ".lto_priv." };
  const char *end = symbol + strlen (symbol);
  g_autofree char *name = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (marks); i++)
    {
      const char *mark = strstr (symbol, marks[i]);

      end = mark != NULL && mark > symbol ? MIN (mark, end) : end;
    }
  name = g_strndup (symbol, (gsize) (end - symbol));
  return jank_text_cut (name, JANK_FUNCTION_NAME_MAX_SHOWN);
}

char *
jank_function_name (const char *symbol)
{
  g_autoptr (GString) text = g_string_new (NULL), name = g_string_new (NULL);
  gboolean is_rust = FALSE;
  const char *at = NULL;

  if (g_strcmp0 (symbol, JANK_FUNCTION_FRAME) == 0)
    return g_strdup (_("style, layout or paint of GTK"));
  if (symbol != NULL && g_str_has_prefix (symbol, SLOT))
    symbol += strlen (SLOT);
  if (symbol == NULL || !(g_str_has_prefix (symbol, "_R") || g_str_has_prefix (symbol, "_Z")) ||
      strlen (symbol) > JANK_FUNCTION_NAME_MAX_BYTES)
    return jank_function_name_cut (symbol != NULL ? symbol : "");
  if (jank_function_name_read (symbol, text, &is_rust))
    for (at = text->str; at != NULL && *at != '\0';)
      at = is_rust ? jank_function_name_put_rust (name, text->str, at)
                   : jank_function_name_put_cplusplus (name, text->str, at);
  if (at == NULL || name->len == 0)
    return jank_text_cut (symbol, JANK_FUNCTION_NAME_MAX_SHOWN);
  return jank_text_cut (name->str, JANK_FUNCTION_NAME_MAX_SHOWN);
}
