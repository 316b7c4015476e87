/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Loaded into a Python program by ctypes, which asks what its C functions are called. */

#include "config.h"

#include "symbols/jank-method-tables-private.h"

#define EXPORTED __attribute__ ((visibility ("default")))

EXPORTED void method_names_begin (guint64 interpreter);
EXPORTED int  method_names_find  (guint64 function, char *ret_name, gsize n_bytes);

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
