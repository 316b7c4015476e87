/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Uses libdwfl of elfutils, one session for each module: addresses in a report count from the module's own file, so
 * two modules would overlap in one session. Paths come from a file that anybody may have written: only regular files
 * are opened. */

#include "config.h"

#include "text/jank-source-lines-private.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

static char *
build_id_to_text (Dwfl_Module *module)
{
  const unsigned char *bits;
  GElf_Addr address;
  gint n = dwfl_module_build_id (module, &bits, &address);
  GString *text = g_string_new (NULL);

  for (gint i = 0; i < n; i++)
    g_string_append_printf (text, "%02x", bits[i]);
  return g_string_free (text, FALSE);
}

/* Returns: (transfer none) (nullable): the file of module, when it is the one that ran */
static Dwfl_Module *
open_module (Dwfl *dwfl, const JankReportModule *module)
{
  Dwfl_Module *opened;
  g_autofree char *build_id = NULL;

  if (module->path == NULL || module->build_id == NULL || !g_path_is_absolute (module->path)
      || !g_file_test (module->path, G_FILE_TEST_IS_REGULAR))
    return NULL;
  dwfl_report_begin (dwfl);
  opened = dwfl_report_elf (dwfl, module->path, module->path, -1, 0, true);
  dwfl_report_end (dwfl, NULL, NULL);
  if (opened == NULL)
    return NULL;
  build_id = build_id_to_text (opened);
  return strcmp (build_id, module->build_id) == 0 ? opened : NULL;
}

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

/* From the inside outward: each inlined function is at the place found so far; its caller is at the next one. */
static void
add_scopes (JankReportCall *call, Dwarf_Die *unit, Dwarf_Addr address)
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
          if (call->symbol == NULL)
            call->symbol = g_strdup (name);
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
fill_call (JankReportCall *call, Dwfl_Module *module)
{
  Dwarf_Addr bias = 0;
  Dwarf_Die *unit = call->file == NULL ? find_unit (module, call->offset, &bias) : NULL;
  Dwarf_Line *line = unit != NULL ? dwarf_getsrc_die (unit, call->offset - bias) : NULL;
  const char *file = line != NULL ? dwarf_linesrc (line, NULL, NULL) : NULL;
  int number = 0;

  if (file == NULL)
    return;
  dwarf_lineno (line, &number);
  call->file = get_whole_path (unit, file);
  call->line = (guint) MAX (number, 0);
  add_scopes (call, unit, call->offset - bias);
}

static void
fill_module (JankReport *report, guint index)
{
  static char *debuginfo_path; /* NULL: where distributions put it */
  static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = &debuginfo_path,
  };
  Dwfl *dwfl = dwfl_begin (&callbacks);
  Dwfl_Module *module = dwfl != NULL ? open_module (dwfl, g_ptr_array_index (report->modules, index)) : NULL;

  for (guint i = 0; module != NULL && i < report->calls->len; i++)
    {
      JankReportCall *call = g_ptr_array_index (report->calls, i);

      if (call->module == (gint) index)
        fill_call (call, module);
    }
  if (dwfl != NULL)
    dwfl_end (dwfl);
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

void
jank_source_lines_fill (JankReport *report, JankSourceLinesMode mode)
{
  gint step = jank_report_find_culprit_step (report);

  /* libdwfl itself asks the servers whenever this is set. */
  if (mode == JANK_SOURCE_LINES_LOCAL)
    g_unsetenv ("DEBUGINFOD_URLS");
  for (guint i = 0; i < report->modules->len; i++)
    fill_module (report, i);
  fill_culprit (report, step);
  if (report->heaviest.path->len > 0)
    {
      guint deepest = (guint) g_array_index (report->heaviest.path, JankReportStep, report->heaviest.path->len - 1).call;

      g_free (report->heaviest.function);
      report->heaviest.function = jank_report_call_to_text (report, deepest);
    }
}
