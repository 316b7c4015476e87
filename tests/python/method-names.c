/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Loaded into a Python program by ctypes, which asks what its C functions are called. */

#include "base/jank-clock-private.h"
#include "symbols/jank-known-names-private.h"
#include "python/jank-method-tables-private.h"

#define EXPORTED __attribute__ ((visibility ("default")))

EXPORTED void method_names_begin (guint64 interpreter);
EXPORTED int  method_names_find  (guint64 function, char *ret_name, gsize n_bytes);
EXPORTED int  method_names_recall (const guint64 *functions, guint n, guint *ret_n_same, gint64 *ret_first_ns,
                                   gint64 *ret_again_ns);

static JankCodeMap *map;
static GHashTable *tables; /* (owned): module → (owned) JankMethodTables */

static void
free_tables (gpointer data)
{
  jank_method_tables_free (data);
}

/* interpreter: an address in its file */
EXPORTED void
method_names_begin (guint64 interpreter)
{
  map = jank_code_map_new ();
  tables = g_hash_table_new_full (NULL, NULL, NULL, free_tables);
  g_assert_cmpuint (jank_code_map_find (map, interpreter), !=, JANK_MODULE_NONE);
}

/* Returns: whether there is a name */
EXPORTED int
method_names_find (guint64 function, char *ret_name, gsize n_bytes)
{
  guint32 module = jank_code_map_find (map, function);
  g_autofree char *name = NULL;

  if (module == JANK_MODULE_NONE)
    return 0;
  if (!g_hash_table_contains (tables, GUINT_TO_POINTER (module)))
    g_hash_table_insert (tables, GUINT_TO_POINTER (module), jank_method_tables_new (map, module));
  name = jank_method_tables_find (g_hash_table_lookup (tables, GUINT_TO_POINTER (module)), function);
  return name != NULL && g_strlcpy (ret_name, name, n_bytes) < n_bytes;
}

static gint64
name_all (JankKnownNames *known, const JankCall *calls, guint n, JankSymbol *symbols)
{
  gint64 began_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID);

  jank_known_names_find_methods (known, map, 1, calls, n, symbols);
  return jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID) - began_ns;
}

/* Names all functions twice, as two reports would. Returns: the number of names */
EXPORTED int
method_names_recall (const guint64 *functions, guint n, guint *ret_n_same, gint64 *ret_first_ns, gint64 *ret_again_ns)
{
  g_autoptr (JankKnownNames) known = jank_known_names_new ();
  g_autofree JankCall *calls = g_new (JankCall, n);
  g_autofree JankSymbol *first = g_new0 (JankSymbol, n), *again = g_new0 (JankSymbol, n);
  int n_named = 0;

  *ret_n_same = 0;
  for (guint i = 0; i < n; i++)
    calls[i] = (JankCall) { .pc = functions[i], .function = functions[i], .module =
                            jank_code_map_find (map, functions[i]) };
  *ret_first_ns = name_all (known, calls, n, first);
  *ret_again_ns = name_all (known, calls, n, again);
  for (guint i = 0; i < n; i++)
    {
      *ret_n_same += g_strcmp0 (first[i].name, again[i].name) == 0;
      n_named += first[i].name != NULL;
    }
  jank_symbols_clear (first, n);
  jank_symbols_clear (again, n);
  return n_named;
}
