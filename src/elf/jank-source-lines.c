/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads through libdw of elfutils. */

#include "elf/jank-source-lines-private.h"

#include <dwarf.h>

#include "base/jank-hash-private.h"

/* Where distributions put debug files, and where Flatpak mounts them. */
#define FOLDERS "/usr/lib/debug:/app/lib/debug"
/* Of scopes in each other, against a broken file. */
#define MAX_DEPTH 128

struct _JankSourceLines
{
  char             *folders; /* (owned) */
  JankDebugServers *servers; /* (owned) (nullable) */
  GHashTable       *files;   /* (owned): build-id and path → JankDebugFile (nullable) */
  GHashTable       *places;  /* (owned): file, offset and whether with its symbol → JankSourcePlace */
};

/* Compilers name a source file relative to a folder that the unit names: ../src/main.c of /home/me/app/build; clang
 * joins both, and leaves the dots. Returns: (transfer full) (nullable) */
static char *
jank_source_lines_get_whole_path (Dwarf_Die *unit, const char *file)
{
  Dwarf_Attribute attribute;
  const char *folder = dwarf_formstring (dwarf_attr (unit, DW_AT_comp_dir, &attribute));

  if (file != NULL && g_path_is_absolute (file))
    return g_canonicalize_filename (file, NULL);
  return file != NULL && folder != NULL && g_path_is_absolute (folder) ? g_canonicalize_filename (file, folder)
                                                                       : g_strdup (file);
}

/* Where the inlined function was called: the place in the function around it. FALSE when that is not told. */
static gboolean
jank_source_lines_find_call (Dwarf_Die *inlined, Dwarf_Die *unit, char **ret_file, guint *ret_line)
{
  Dwarf_Attribute attribute;
  Dwarf_Files *files;
  Dwarf_Word file, line;
  size_t n_files;

  if (dwarf_formudata (dwarf_attr (inlined, DW_AT_call_line, &attribute), &line) != 0
      || dwarf_formudata (dwarf_attr (inlined, DW_AT_call_file, &attribute), &file) != 0
      || dwarf_getsrcfiles (unit, &files, &n_files) != 0 || file >= n_files)
    return FALSE;
  g_free (*ret_file);
  *ret_file = jank_source_lines_get_whole_path (unit, dwarf_filesrc (files, file, NULL, NULL));
  *ret_line = (guint) MIN (line, G_MAXINT);
  return TRUE;
}

/* Whether functions stand in it, and no code of its own: the language's, of Rust above all. */
static gboolean
jank_source_lines_is_scope_of_names (int tag)
{
  return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
         tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type;
}

/* The functions and blocks within parent that have code at address, innermost first. dwarf_getscopes() finds none in a
 * namespace. */
static void
jank_source_lines_find_scopes (Dwarf_Die *parent, Dwarf_Addr address, guint depth, GArray *scopes)
{
  Dwarf_Die child;

  if (depth == MAX_DEPTH || dwarf_child (parent, &child) != 0)
    return;
  do
    {
      gboolean has_code = !jank_source_lines_is_scope_of_names (dwarf_tag (&child));

      if (has_code && dwarf_haspc (&child, address) <= 0)
        continue;
      jank_source_lines_find_scopes (&child, address, depth + 1, scopes);
      if (has_code)
        g_array_append_val (scopes, child);
    }
  while (scopes->len == 0 && dwarf_siblingof (&child, &child) == 0);
}

/* Where the compiler put the unit's functions: with -gsplit-dwarf a file beside the object (.dwo). */
static Dwarf_Die
jank_source_lines_get_whole_unit (Dwarf_Die *unit)
{
  Dwarf_Die whole;
  uint8_t type;

  return dwarf_cu_info (unit->cu, NULL, &type, NULL, &whole, NULL, NULL, NULL) == 0 && type == DW_UT_skeleton &&
         whole.addr != NULL ? whole : *unit;
}

/* From the inside outward: each inlined function is at the point found so far; its caller is at the next one. */
static void
jank_source_lines_add_points (GArray *points, Dwarf_Die *unit, Dwarf_Addr address, JankSourcePoint point)
{
  g_autoptr (GArray) scopes = g_array_new (FALSE, FALSE, sizeof (Dwarf_Die));
  Dwarf_Die whole = jank_source_lines_get_whole_unit (unit);

  jank_source_lines_find_scopes (&whole, address, 0, scopes);
  for (guint i = 0; i < scopes->len; i++)
    {
      Dwarf_Die *scope = &g_array_index (scopes, Dwarf_Die, i);
      Dwarf_Attribute attribute;
      const char *name;
      int tag = dwarf_tag (scope);

      if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
        continue;
      /* As the linker calls it, where it has a name of that kind: namespaces and types are in it. */
      name = dwarf_formstring (dwarf_attr_integrate (scope, DW_AT_linkage_name, &attribute));
      point.function = g_strdup (name != NULL ? name : dwarf_diename (scope));
      if (tag == DW_TAG_subprogram)
        break;
      g_array_append_val (points, point);
      point = (JankSourcePoint) { NULL, g_strdup (point.file), point.line };
      if (!jank_source_lines_find_call (scope, unit, &point.file, &point.line))
        break;
    }
  g_array_append_val (points, point);
}

/* The compilation unit of address. clang and rustc write no table of addresses (.debug_aranges), so each unit is
 * asked. */
static Dwarf_Die *
jank_source_lines_find_unit (Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *ret_bias)
{
  Dwarf_Die *unit = dwfl_module_addrdie (module, address, ret_bias);

  if (unit != NULL)
    return unit;
  while ((unit = dwfl_module_nextcu (module, unit, ret_bias)) != NULL)
    if (dwarf_haspc (unit, address - *ret_bias) > 0)
      return unit;
  return NULL;
}

static void
jank_source_lines_find_points (GArray *points, JankDebugFile *debug_file, guint64 offset)
{
  Dwarf_Addr bias = 0;
  Dwarf_Die *unit = jank_source_lines_find_unit (jank_debug_file_get_module (debug_file), offset, &bias);
  Dwarf_Line *line = unit != NULL ? dwarf_getsrc_die (unit, offset - bias) : NULL;
  const char *file = line != NULL ? dwarf_linesrc (line, NULL, NULL) : NULL;
  int number = 0;

  if (file == NULL)
    return;
  dwarf_lineno (line, &number);
  jank_source_lines_add_points (points, unit, offset - bias,
                                (JankSourcePoint) { NULL, jank_source_lines_get_whole_path (unit, file),
                                                    MAX (number, 0) });
}

static void
jank_source_lines_clear_point (gpointer data)
{
  JankSourcePoint *point = data;

  g_free (point->function);
  g_free (point->file);
}

static JankSourcePlace *
jank_source_lines_new_place (JankDebugFile *file, guint64 offset, gboolean with_symbol)
{
  JankSourcePlace *place = g_new0 (JankSourcePlace, 1);

  place->points = g_array_new (FALSE, FALSE, sizeof (JankSourcePoint));
  g_array_set_clear_func (place->points, jank_source_lines_clear_point);
  if (with_symbol)
    jank_debug_file_find_symbol (file, offset, &place->symbol);
  jank_source_lines_find_points (place->points, file, offset);
  place->points_from = jank_debug_file_get_origin (file);
  return place;
}

static void
jank_source_lines_free_place (gpointer data)
{
  JankSourcePlace *place = data;

  g_array_unref (place->points);
  g_free (place);
}

/* Returns: (transfer none) (nullable): opened once */
static JankDebugFile *
jank_source_lines_get_file (JankSourceLines *self, const char *path, const char *build_id)
{
  g_autofree char *key = g_strdup_printf ("%s %s", build_id, path != NULL ? path : "");
  gpointer file;

  if (!g_hash_table_lookup_extended (self->files, key, NULL, &file))
    {
      file = jank_debug_file_new (path, build_id, self->folders, self->servers);
      g_hash_table_insert (self->files, g_steal_pointer (&key), file);
    }
  return file;
}

static void
jank_source_lines_free_file (gpointer file)
{
  g_clear_pointer ((JankDebugFile **) &file, jank_debug_file_free);
}

JankSourceLines *
jank_source_lines_new (JankSourceLinesMode mode, const char *folders)
{
  JankSourceLines *self = g_new0 (JankSourceLines, 1);

  self->folders = g_strdup (folders != NULL ? folders : FOLDERS);
  self->files = g_hash_table_new_full (jank_hash_text, g_str_equal, g_free, jank_source_lines_free_file);
  self->places = g_hash_table_new_full (jank_hash_text, g_str_equal, g_free, jank_source_lines_free_place);
  if (mode == JANK_SOURCE_LINES_DEBUGINFOD)
    self->servers = jank_debug_servers_new ();
  /* libdwfl itself asks the servers whenever this is set. */
  g_unsetenv ("DEBUGINFOD_URLS");
  return self;
}

void
jank_source_lines_free (JankSourceLines *self)
{
  g_hash_table_unref (self->places);
  g_hash_table_unref (self->files);
  g_clear_pointer (&self->servers, jank_debug_servers_free);
  g_free (self->folders);
  g_free (self);
}

/* A file is searched from its beginning for each place, and reports of one program have the same places. */
const JankSourcePlace *
jank_source_lines_find (JankSourceLines *self,
                        const char      *path,
                        const char      *build_id,
                        guint64          offset,
                        gboolean         with_symbol)
{
  JankDebugFile *file = jank_source_lines_get_file (self, path, build_id);
  g_autofree char *key = NULL;
  JankSourcePlace *place;

  if (file == NULL)
    return NULL;
  key = g_strdup_printf ("%p %" G_GINT64_MODIFIER "x %d", (void *) file, offset, with_symbol);
  place = g_hash_table_lookup (self->places, key);
  if (place == NULL)
    {
      place = jank_source_lines_new_place (file, offset, with_symbol);
      g_hash_table_insert (self->places, g_steal_pointer (&key), place);
    }
  return place;
}

const char *
jank_source_lines_get_trouble (JankSourceLines *self)
{
  return self->servers != NULL ? jank_debug_servers_get_trouble (self->servers) : NULL;
}
