/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "report/jank-report-builder-private.h"

#include <string.h>
#include <glib-object.h>

#include "base/jank-clock-private.h"
#include "base/jank-order-private.h"
#include "base/jank-text-clean-private.h"
#include "blame/jank-platform-private.h"
#include "unwind/jank-scripts-private.h"

static guint
jank_report_builder_hash_frame (gconstpointer data)
{
  return g_int64_hash (&((const JankCall *) data)->pc);
}

static gboolean
jank_report_builder_equal_frames (gconstpointer a, gconstpointer b)
{
  const JankCall *a_frame = a, *b_frame = b;

  return a_frame->pc == b_frame->pc && a_frame->module == b_frame->module;
}

static guint
jank_report_builder_count_frames (const JankStack *stack)
{
  return stack != NULL ? stack->n_calls : 0;
}

JankStack *
jank_report_builder_find_brief (const JankReportContext *context, const JankFrameVerdict *late)
{
  return context->briefs != NULL ? jank_brief_stacks_find (context->briefs, late->began_ns, late->ended_ns) : NULL;
}

static guint
jank_report_builder_count_brief_frames (const JankReportContext *context)
{
  const GArray *late_frames = context->frame_clock != NULL ? context->frame_clock->late_frames : NULL;
  guint n = 0;

  JANK_EACH_IN (JankReportLateFrame, late, late_frames)
    n += jank_report_builder_count_frames (jank_report_builder_find_brief (context, &late->verdict));
  return n;
}

void
jank_report_builder_init (JankReportBuilder *self, const JankStall *stall, JankCodeMap *map,
                          const JankReportContext *context)
{
  guint n_frames = 1 + 2 * JANK_STACK_MAX_CALLS; /* the source's callback, the path and its branches */

  *self = (JankReportBuilder) { .stall = stall, .map = map, .report = jank_report_new () };
  self->samples = stall->ring != NULL ? jank_sample_ring_get_all (stall->ring) : NULL;
  self->n_samples = stall->ring != NULL ? jank_sample_ring_get_size (stall->ring) : 0;
  for (guint i = 0; i < self->n_samples; i++)
    n_frames += jank_report_builder_count_frames (self->samples[i].stack);
  n_frames += jank_report_builder_count_brief_frames (context);
  n_frames += stall->n_works + stall->n_before;
  JANK_EACH_IN (JankSnapshotThread, thread, stall->threads != NULL ? stall->threads->threads : NULL)
    n_frames += jank_report_builder_count_frames (thread->sample.stack);
  if (stall->ledger != NULL)
    {
      self->rows = g_new (JankLedgerRow, JANK_LEDGER_SIZE + 1);
      self->n_rows = jank_source_ledger_read (stall->ledger, self->rows);
      n_frames += self->n_rows;
    }
  if (stall->tree != NULL)
    self->nodes = jank_call_tree_get_nodes (stall->tree, &self->n_nodes);

  self->calls = g_array_sized_new (FALSE, FALSE, sizeof (JankCall), n_frames);
  self->index = g_hash_table_new (jank_report_builder_hash_frame, jank_report_builder_equal_frames);
  self->stacks = g_ptr_array_new ();
  self->notes = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
}

void
jank_report_builder_clear (JankReportBuilder *self)
{
  if (self->symbols != NULL)
    jank_symbols_clear (self->symbols, self->calls->len);
  g_free (self->symbols);
  g_hash_table_unref (self->index);
  g_hash_table_unref (self->notes);
  g_array_unref (self->calls);
  g_ptr_array_unref (self->stacks);
  g_free (self->rows);
}

guint
jank_report_builder_add_call (JankReportBuilder *self, const JankCall *call)
{
  gpointer index;

  if (!g_hash_table_lookup_extended (self->index, call, NULL, &index))
    {
      index = GUINT_TO_POINTER (self->calls->len);
      g_array_append_vals (self->calls, call, 1);
      g_hash_table_insert (self->index, &g_array_index (self->calls, JankCall, GPOINTER_TO_UINT (index)), index);
    }
  return GPOINTER_TO_UINT (index);
}

gint
jank_report_builder_add_callback (JankReportBuilder *self, guint64 address)
{
  JankCall call = { .pc = address, .function = address };

  if (address == 0)
    return JANK_REPORT_NO_INDEX;
  call.module = jank_code_map_find (self->map, address);
  return (gint) jank_report_builder_add_call (self, &call);
}

/* A function that is called for two things is described by what they have in common. */
static void
jank_report_builder_add_notes (JankReportBuilder *self, const JankStack *stack)
{
  for (const JankNote *note = stack->notes; note != NULL; note = note->next)
    {
      char *known = g_hash_table_lookup (self->notes, &note->function);
      const char *end = known != NULL ? strstr (known, " on ") : NULL;
      gsize n = end != NULL ? (gsize) (end - known) : 0;

      if (known == NULL)
        g_hash_table_insert (self->notes, g_memdup2 (&note->function, sizeof note->function), g_strdup (note->text));
      else if (strcmp (known, note->text) != 0 && strncmp (known, note->text, n) == 0 && n > 0)
        known[n] = '\0';
      else if (strcmp (known, note->text) != 0 && !(g_str_has_prefix (note->text, known) && known[0] != '\0'))
        known[0] = '\0';
    }
}

const char *
jank_report_builder_find_served (JankReportBuilder *self)
{
  const guint64 source = JANK_NOTE_SOURCE;
  const char *text = g_hash_table_lookup (self->notes, &source);

  return text != NULL && text[0] != '\0' ? text : NULL;
}

gint
jank_report_builder_add_stack (JankReportBuilder *self, const JankStack *stack)
{
  JankReportStack *report_stack;

  if (stack == NULL)
    return JANK_REPORT_NO_INDEX;
  jank_report_builder_add_notes (self, stack);
  for (guint i = 0; i < self->stacks->len; i++)
    if (jank_stack_equal (g_ptr_array_index (self->stacks, i), stack))
      return (gint) i;

  report_stack = jank_report_stack_new ();
  report_stack->complete = stack->complete;
  for (guint i = 0; i < stack->n_calls; i++)
    {
      guint call = jank_report_builder_add_call (self, &stack->calls[i]);

      g_array_append_val (report_stack->calls, call);
    }
  g_ptr_array_add (self->report->stacks, report_stack);
  g_ptr_array_add (self->stacks, (gpointer) stack);
  return (gint) self->report->stacks->len - 1;
}

/* Index in the report of a module of the map; indices holds index + 1 of those that are in it. */
static gint
jank_report_builder_add_module (JankReportBuilder *self, guint32 module, guint *indices)
{
  if (indices[module] == 0)
    {
      const JankModule *loaded = jank_code_map_get (self->map, module);
      JankReportModule *report_module = jank_report_module_new ();

      report_module->path = loaded->path != NULL ? g_utf8_make_valid (loaded->path, -1) : NULL;
      report_module->build_id = jank_text_from_bits (loaded->build_id, loaded->n_build_id);
      report_module->base = loaded->base;
      g_ptr_array_add (self->report->modules, report_module);
      indices[module] = self->report->modules->len;
    }
  return (gint) indices[module] - 1;
}

JANK_ORDER_RISING (jank_report_builder_compare_slots, JankSlot, ->function)

/* Of the stall: what other threads do needs no description. Returns: (transfer full) of JankSlot, each function once,
 * in order */
static GArray *
jank_report_builder_get_nameless (JankReportBuilder *self)
{
  GArray *slots = g_array_new (FALSE, TRUE, sizeof (JankSlot));
  guint n = 0;

  for (guint i = 0; i < self->calls->len; i++)
    {
      const JankCall *call = &g_array_index (self->calls, JankCall, i);
      JankSlot slot = { .function = call->function };

      if (self->symbols[i].name == NULL && slot.function != 0 && call->module != JANK_MODULE_NONE
          && (i < self->first_of_threads || i >= self->end_of_threads))
        g_array_append_val (slots, slot);
    }
  g_array_sort (slots, jank_report_builder_compare_slots);
  for (guint i = 0; i < slots->len; i++)
    if (i == 0 ||
        jank_report_builder_compare_slots (&g_array_index (slots, JankSlot, i - 1),
                                           &g_array_index (slots, JankSlot, i)) != 0)
      g_array_index (slots, JankSlot, n++) = g_array_index (slots, JankSlot, i);
  g_array_set_size (slots, n);
  return slots;
}

static void
jank_report_builder_describe_noted (JankReportBuilder *self)
{
  for (guint i = 0; i < self->calls->len; i++)
    {
      guint64 function = g_array_index (self->calls, JankCall, i).function;
      const char *text = g_hash_table_lookup (self->notes, &function);

      if (self->symbols[i].name == NULL && text != NULL && text[0] != '\0')
        self->symbols[i] = (JankSymbol) { g_strdup (text), function, JANK_NAME_FROM_CALLER };
    }
}

static gboolean
jank_report_builder_has_python (JankReportBuilder *self)
{
  for (guint i = 0; i < self->calls->len; i++)
    {
      const JankScript *script = jank_call_get_script (self->map, &g_array_index (self->calls, JankCall, i));

      if (script != NULL && g_str_equal (script->language, "python"))
        return TRUE;
    }
  return FALSE;
}

/* Of a platform's function, a place without a name tells less than the named functions around it. */
static gboolean
jank_report_builder_is_description (JankReportBuilder *self, guint call, const char *description)
{
  guint32 module = g_array_index (self->calls, JankCall, call).module;
  const char *path = module < jank_code_map_get_n_modules (self->map)
                     ? jank_code_map_get (self->map, module)->path : NULL;

  return description != NULL && (!g_str_has_prefix (description, JANK_SLOT_METHOD) ||
                                 path == NULL || !jank_platform_contains (path));
}

/* What no symbol table names may have a place in the type system. */
static void
jank_report_builder_describe_nameless (JankReportBuilder *self, JankKnownNames *known)
{
  g_autoptr (GArray) slots = jank_report_builder_get_nameless (self);
  guint32 module = jank_code_map_find (self->map, (guintptr) g_object_new);
  guint at;

  if (slots->len == 0 || module == JANK_MODULE_NONE)
    return;
  jank_known_names_describe (known, jank_code_map_get (self->map, module)->start,
                             jank_code_map_get (self->map, module)->end, jank_code_map_get_generation (self->map),
                             jank_clock_now_ns (), (JankSlot *) (void *) slots->data, slots->len);
  for (guint i = 0; i < self->calls->len; i++)
    {
      JankSlot wanted = { .function = g_array_index (self->calls, JankCall, i).function };

      if (self->symbols[i].name != NULL ||
          !g_array_binary_search (slots, &wanted, jank_report_builder_compare_slots, &at)
          || !jank_report_builder_is_description (self, i, g_array_index (slots, JankSlot, at).description))
        continue;
      self->symbols[i] = (JankSymbol) { g_strdup (g_array_index (slots, JankSlot, at).description), wanted.function,
                                        JANK_NAME_FROM_TYPE_SYSTEM };
    }
  for (guint i = 0; i < slots->len; i++)
    g_free (g_array_index (slots, JankSlot, i).description);
}

/* The file of a script's source is its module. */
static gint
jank_report_builder_add_source_file (JankReport *report, const char *file)
{
  JankReportModule *module;

  for (guint i = 0; i < report->modules->len; i++)
    if (g_strcmp0 (((JankReportModule *) g_ptr_array_index (report->modules, i))->path, file) == 0)
      return (gint) i;
  module = jank_report_module_new ();
  module->path = g_strdup (file);
  g_ptr_array_add (report->modules, module);
  return (gint) report->modules->len - 1;
}

static void
jank_report_builder_fill_script (JankReportBuilder *self, JankReportCall *call, const JankCall *from)
{
  guint line = JANK_SCRIPT_LINE (from);
  const JankScript *script = jank_call_get_script (self->map, from);

  if (script == NULL)
    return;
  call->module = jank_report_builder_add_source_file (self->report, script->file);
  call->language = g_strdup (script->language);
  /* What is no function has no line, and the interpreter's own file. */
  call->file = line > 0 ? g_strdup (script->file) : NULL;
  call->line = line;
}

void
jank_report_builder_resolve (JankReportBuilder *self, JankKnownNames *known)
{
  const JankCall *calls = (const JankCall *) (void *) self->calls->data;
  guint n_modules = jank_code_map_get_n_modules (self->map);
  g_autofree guint *indices = g_new0 (guint, n_modules);

  self->symbols = g_new0 (JankSymbol, self->calls->len);
  jank_symbols_resolve (self->map, calls, self->calls->len, self->symbols);
  /* C functions that Python calls. */
  if (jank_report_builder_has_python (self))
    jank_known_names_find_methods (known, self->map, jank_clock_now_ns (), calls, self->calls->len, self->symbols);
  jank_report_builder_describe_noted (self);
  jank_report_builder_describe_nameless (self, known);

  for (guint i = 0; i < self->calls->len; i++)
    {
      JankReportCall *call = jank_report_call_new ();
      gboolean named = self->symbols[i].name != NULL;

      call->offset = calls[i].pc;
      if (calls[i].module < n_modules)
        {
          call->module = jank_report_builder_add_module (self, calls[i].module, indices);
          call->offset -= jank_code_map_get (self->map, calls[i].module)->base;
        }
      jank_report_builder_fill_script (self, call, &calls[i]);
      call->symbol = g_strdup (self->symbols[i].name);
      call->name_from = self->symbols[i].from;
      call->symbol_offset = calls[i].pc - (named ? self->symbols[i].start : calls[i].function);
      g_ptr_array_add (self->report->calls, call);
    }
}
