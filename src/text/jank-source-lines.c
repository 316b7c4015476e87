/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads names and lines through libdw of elfutils. */

#include "config.h"

#include "text/jank-source-lines-private.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/jank-hash-private.h"
#include "elf/jank-debug-file-private.h"

/* Where distributions put debug files, and where Flatpak mounts them. */
#define FOLDERS "/usr/lib/debug:/app/lib/debug"

struct _JankSourceLines
{
  char             *folders; /* (owned) */
  JankDebugServers *servers; /* (owned) (nullable) */
  GHashTable       *files;   /* (owned): build-id and path → JankDebugFile (nullable) */
  GHashTable       *places;  /* (owned): file, offset and whether it has a name → JankReportCall: what the file adds */
};

/* Compilers name a source file relative to a folder that the unit names: ../src/main.c of /home/me/app/build; clang
 * joins both, and leaves the dots. Returns: (transfer full) (nullable) */
static char *
get_whole_path (Dwarf_Die *unit, const char *file)
{
  Dwarf_Attribute attribute;
  const char *folder = dwarf_formstring (dwarf_attr (unit, DW_AT_comp_dir, &attribute));

  if (file != NULL && g_path_is_absolute (file))
    return g_canonicalize_filename (file, NULL);
  if (file != NULL && folder != NULL && g_path_is_absolute (folder))
    return g_canonicalize_filename (file, folder);
  return g_strdup (file);
}

/* Where the inlined function was called: the place in the function around it. FALSE when that is not told. */
static gboolean
find_call (Dwarf_Die *inlined, Dwarf_Die *unit, char **ret_file, guint *ret_line)
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
  *ret_file = get_whole_path (unit, dwarf_filesrc (files, file, NULL, NULL));
  *ret_line = (guint) MIN (line, G_MAXINT);
  return TRUE;
}

/* The DIEs around the innermost place of unit, innermost first; freed with free(). */
static gint
find_scopes (Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die **ret_scopes)
{
  Dwarf_Die *around = NULL;
  Dwarf_Die innermost;
  gint n = dwarf_getscopes (unit, address, &around);

  if (n <= 0)
    return 0;
  innermost = around[0];
  free (around);
  n = dwarf_getscopes_die (&innermost, ret_scopes);
  return MAX (n, 0);
}

/* A symbol is better than a description. */
static gboolean
has_symbol (const JankReportCall *call)
{
  return call->symbol != NULL && !jank_name_from_is_description (call->name_from);
}

static void
set_symbol (JankReportCall *call, const char *name, guint64 offset, JankNameFrom from)
{
  g_free (call->symbol);
  call->symbol = g_strdup (name);
  call->symbol_offset = offset;
  call->name_from = from;
}

/* From the inside outward: each inlined function is at the place found so far; its caller is at the next one. */
static void
add_scopes (JankReportCall *call, Dwarf_Die *unit, Dwarf_Addr address, JankNameFrom origin)
{
  Dwarf_Die *scopes = NULL;
  gint n = find_scopes (unit, address, &scopes);

  for (gint i = 0; i < n; i++)
    {
      const char *name = dwarf_diename (&scopes[i]);

      if (dwarf_tag (&scopes[i]) == DW_TAG_inlined_subroutine)
        {
          JankReportInlined *inlined = jank_report_inlined_new ();

          inlined->symbol = g_strdup (name);
          inlined->file = g_strdup (call->file);
          inlined->line = call->line;
          g_ptr_array_add (call->inlined, inlined);
          if (!find_call (&scopes[i], unit, &call->file, &call->line))
            break;
        }
      else if (dwarf_tag (&scopes[i]) == DW_TAG_subprogram)
        {
          if (name != NULL && !has_symbol (call))
            set_symbol (call, name, call->symbol_offset, origin);
          break;
        }
    }
  free (scopes);
}

/* The compilation unit of address. clang and rustc write no table of addresses (.debug_aranges), so each unit is
 * asked. */
static Dwarf_Die *
find_unit (Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *ret_bias)
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
fill_symbol (JankReportCall *call, JankDebugFile *file)
{
  JankDebugSymbol symbol;

  if (jank_debug_file_find_symbol (file, call->offset, &symbol))
    set_symbol (call, symbol.name, symbol.offset, symbol.from);
}

static void
fill_line (JankReportCall *call, JankDebugFile *debug_file)
{
  Dwarf_Addr bias = 0;
  Dwarf_Die *unit = find_unit (jank_debug_file_get_module (debug_file), call->offset, &bias);
  Dwarf_Line *line = unit != NULL ? dwarf_getsrc_die (unit, call->offset - bias) : NULL;
  const char *file = line != NULL ? dwarf_linesrc (line, NULL, NULL) : NULL;
  int number = 0;

  if (file == NULL)
    return;
  dwarf_lineno (line, &number);
  call->file = get_whole_path (unit, file);
  call->line = (guint) MAX (number, 0);
  add_scopes (call, unit, call->offset - bias, jank_debug_file_get_origin (debug_file));
}

/* Returns: (transfer none) (nullable): of a module of a report, opened once */
static JankDebugFile *
get_file (JankSourceLines *self, const JankReportModule *module)
{
  g_autofree char *key = NULL;
  gpointer file;

  if (module->build_id == NULL)
    return NULL;
  key = g_strdup_printf ("%s %s", module->build_id, module->path != NULL ? module->path : "");
  if (!g_hash_table_lookup_extended (self->files, key, NULL, &file))
    {
      file = jank_debug_file_new (module->path, module->build_id, self->folders, self->servers);
      g_hash_table_insert (self->files, g_steal_pointer (&key), file);
    }
  return file;
}

/* A file is searched from its beginning for each place, and reports of one program have the same places. */
static const JankReportCall *
get_place (JankSourceLines *self, JankDebugFile *file, const JankReportCall *call)
{
  gboolean named = has_symbol (call);
  char *key = g_strdup_printf ("%p %" G_GINT64_MODIFIER "x %d", (void *) file, call->offset, named);
  JankReportCall *place = g_hash_table_lookup (self->places, key);

  if (place != NULL)
    {
      g_free (key);
      return place;
    }
  place = jank_report_call_new ();
  place->offset = call->offset;
  place->symbol_offset = call->symbol_offset;
  if (!named)
    fill_symbol (place, file);
  fill_line (place, file);
  g_hash_table_insert (self->places, key, place);
  return place;
}

static void
fill_call (JankSourceLines *self, JankReport *report, guint i)
{
  JankReportCall *call = g_ptr_array_index (report->calls, i);
  JankDebugFile *file = call->module != JANK_REPORT_NO_INDEX
                        ? get_file (self, g_ptr_array_index (report->modules, call->module)) : NULL;
  const JankReportCall *place;

  if (file == NULL)
    return;
  place = get_place (self, file, call);
  if (!has_symbol (call) && place->symbol != NULL)
    set_symbol (call, place->symbol, place->symbol_offset, place->name_from);
  if (call->file != NULL || place->file == NULL)
    return;
  call->file = g_strdup (place->file);
  call->line = place->line;
  for (guint j = 0; j < place->inlined->len; j++)
    {
      const JankReportInlined *known = g_ptr_array_index (place->inlined, j);
      JankReportInlined *inlined = jank_report_inlined_new ();

      inlined->symbol = g_strdup (known->symbol);
      inlined->file = g_strdup (known->file);
      inlined->line = known->line;
      g_ptr_array_add (call->inlined, inlined);
    }
}

static gboolean
same_function (const JankReportCall *a, const JankReportCall *b)
{
  return a->module == b->module && a->offset - a->symbol_offset == b->offset - b->symbol_offset;
}

/* The place in the culprit where most of its samples were: the line to look at. */
static guint
find_heaviest_place (JankReport *report, guint culprit)
{
  const JankReportCall *function = g_ptr_array_index (report->calls, culprit);
  g_autofree double *weights = g_new0 (double, report->calls->len);
  guint best = culprit;

  for (guint i = 0; i < report->samples->len; i++)
    {
      const JankReportSample *sample = g_ptr_array_index (report->samples, i);
      const JankReportStack *stack;
      guint k = 0;

      if (sample->stack == JANK_REPORT_NO_INDEX)
        continue;
      stack = g_ptr_array_index (report->stacks, sample->stack);
      while (k < stack->calls->len
             && !same_function (g_ptr_array_index (report->calls, g_array_index (stack->calls, guint, k)), function))
        k++;
      if (k == stack->calls->len)
        continue;
      weights[g_array_index (stack->calls, guint, k)] += (double) sample->weight_ns;
    }
  for (guint i = 0; i < report->calls->len; i++)
    if (weights[i] > weights[best])
      best = i;
  return best;
}

static void
fill_culprit (JankReport *report, gint step)
{
  guint call, place;
  const JankReportCall *at;

  if (step == JANK_REPORT_NO_INDEX)
    return;
  call = (guint) g_array_index (report->heaviest.path, JankReportStep, step).call;
  place = find_heaviest_place (report, call);
  at = g_ptr_array_index (report->calls, place);
  g_free (report->culprit.function);
  report->culprit.function = jank_report_call_to_text (report, call);
  if (report->culprit.file != NULL || at->file == NULL)
    return;
  report->culprit.file = g_strdup (at->file);
  report->culprit.line = at->line;
}

static void
fill_heaviest (JankReport *report)
{
  const GArray *path = report->heaviest.path;

  if (path->len == 0)
    return;
  g_free (report->heaviest.function);
  report->heaviest.function = jank_report_call_to_text (report, (guint) g_array_index (path, JankReportStep,
                                                                                         path->len - 1).call);
}

static void
free_file (gpointer file)
{
  g_clear_pointer ((JankDebugFile **) &file, jank_debug_file_free);
}

JankSourceLines *
jank_source_lines_new (JankSourceLinesMode mode, const char *folders)
{
  JankSourceLines *self = g_new0 (JankSourceLines, 1);

  self->folders = g_strdup (folders != NULL ? folders : FOLDERS);
  self->files = g_hash_table_new_full (jank_hash_text, g_str_equal, g_free, free_file);
  self->places = g_hash_table_new_full (jank_hash_text, g_str_equal, g_free, jank_report_call_free);
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

void
jank_source_lines_fill (JankSourceLines *self, JankReport *report)
{
  gint step = jank_report_find_culprit_step (report);

  for (guint i = 0; i < report->calls->len; i++)
    fill_call (self, report, i);
  fill_culprit (report, step);
  fill_heaviest (report);
  jank_table_clean (&jank_report_table, report);
}

void
jank_source_lines_fill_culprit (JankSourceLines *self, JankReport *report)
{
  gint step = jank_report_find_culprit_step (report);
  guint call;

  if (step == JANK_REPORT_NO_INDEX)
    return;
  call = (guint) g_array_index (report->heaviest.path, JankReportStep, step).call;
  if (has_symbol (g_ptr_array_index (report->calls, call)))
    return;
  fill_call (self, report, call);
  fill_culprit (report, step);
  jank_table_clean (&jank_report_table, report);
}

const char *
jank_source_lines_get_trouble (JankSourceLines *self)
{
  return self->servers != NULL ? jank_debug_servers_get_trouble (self->servers) : NULL;
}
