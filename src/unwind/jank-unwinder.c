/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "unwind/jank-unwinder-private.h"

#include "unwind/jank-call-record-private.h"
#include "unwind/jank-libunwind-private.h"
#include "unwind/jank-unwind-rows-private.h"

#define MAX_WALKS 3 /* while the files of a stack come and go */

/* What compiled code may have on the stack for itself, and how many callers of it are tried. */
#define MAX_COMPILED_BYTES (8 * 1024)
#define MAX_CALLERS        16

struct _JankUnwinder
{
  JankCodeMap         *map;
  JankPageCache       *pages;      /* (owned) */
  JankUnwindRows      *rows;       /* (owned) */
  guint                generation; /* of the map, when pages were read */

  /* during a run */
  const JankStackCopy *copy;
  guint64              pc, sp;
  gboolean             knows_fp;
  gboolean             is_interrupted; /* the caller was, by a signal: its pc is exact */
  guint                n_inner;    /* calls up to the compiled code whose caller is searched for; 0: none is */
  guint64              search_at, search_end;
  guint                n_searched;
  JankCall             calls[JANK_STACK_MAX_CALLS];
  guint                n_calls;
};

JankUnwinder *
jank_unwinder_new (JankCodeMap *map)
{
  JankUnwinder *self = g_new0 (JankUnwinder, 1);

  self->map = map;
  self->pages = jank_page_cache_new ();
  self->rows = jank_unwind_rows_new (map, self->pages);
  return self;
}

void
jank_unwinder_free (JankUnwinder *self)
{
  jank_unwind_rows_free (self->rows);
  jank_page_cache_free (self->pages);
  g_free (self);
}

void
jank_unwinder_prepare (void)
{
  jank_libunwind_open (NULL);
}

const GError *
jank_unwinder_get_error (const JankUnwinder *self)
{
  return jank_unwind_rows_get_error (self->rows);
}

static guint32
jank_unwinder_find_module (JankUnwinder *self, guint64 pc)
{
  guint32 module = jank_code_map_find (self->map, pc);

  if (self->generation != jank_code_map_get_generation (self->map))
    {
      self->generation = jank_code_map_get_generation (self->map);
      jank_page_cache_flush (self->pages);
    }
  return module;
}

/* Continues from a frame record: no other register is known. */
static void
jank_unwinder_enter_caller (JankUnwinder *self, const JankCallRecord *record)
{
  guint64 pc = record->return_address - 1;
  const JankUnwindRow *row = jank_unwind_rows_find (self->rows, pc, jank_unwinder_find_module (self, pc));
  guint64 registers[JANK_N_REGS] = {
    [JANK_REG_PC] = record->return_address, [JANK_REG_FP] = record->frame_pointer,
    [JANK_REG_SP] = jank_processor_find_sp (self->pages, record->at, record->frame_pointer, row->function),
  };

  jank_unwind_rows_begin (self->rows, self->copy, registers,
                          JANK_REG_BIT (JANK_REG_PC) | JANK_REG_BIT (JANK_REG_SP) | JANK_REG_BIT (JANK_REG_FP));
}

/* Code compiled at run time has no table, but often a frame pointer. */
static JankStep
jank_unwinder_step_by_frame_pointer (JankUnwinder *self)
{
  JankCallRecord record;
  guint64 frame_pointer;

  if (!jank_unwind_rows_get_register (self->rows, JANK_REG_FP, &frame_pointer) || frame_pointer < self->sp ||
      !jank_call_record_read (self->map, self->pages, self->copy, frame_pointer, &record))
    return JANK_STEP_LOST;
  jank_unwinder_enter_caller (self, &record);
  return JANK_STEP_CALLER;
}

/* The kernel does not show a blocked thread's frame pointer. Of a function that no table has, as in a static program,
 * nobody knows which call led to it. */
static JankStep
jank_unwinder_step_by_search (JankUnwinder *self, const JankUnwindRow *row)
{
  JankCallRecord record;

  if (self->knows_fp || (row->function == row->pc && !row->has_rules) ||
      !jank_call_record_find (self->map, self->pages, self->copy, row->function, self->sp, &record))
    return JANK_STEP_LOST;
  jank_unwinder_enter_caller (self, &record);
  return JANK_STEP_CALLER;
}

static JankStep
jank_unwinder_step_out_of_compiled_code (JankUnwinder *self)
{
  JankCallRecord record;

  if (self->calls[self->n_calls - 1].module != JANK_MODULE_NONE ||
      !jank_jit_frames_leave (self->map, self->pages, self->copy, self->sp, &record))
    return JANK_STEP_LOST;
  jank_unwinder_enter_caller (self, &record);
  return JANK_STEP_CALLER;
}

/* The code that a signal interrupted, where the way back from the handler has no table. */
static JankStep
jank_unwinder_step_out_of_handler (JankUnwinder *self)
{
  guint64 context = jank_processor_find_context (self->pages, self->pc, self->sp);
  guint64 registers[JANK_N_REGS];

  self->is_interrupted = context != 0 && jank_stack_copy_read (self->copy, context, registers, sizeof registers);
  if (!self->is_interrupted)
    return JANK_STEP_LOST;
  jank_unwind_rows_begin (self->rows, self->copy, registers, JANK_REGS_ALL);
  return JANK_STEP_CALLER;
}

static JankStep
jank_unwinder_step (JankUnwinder *self, const JankUnwindRow *row, gboolean is_exact)
{
  guint64 sp = self->sp, frame_pointer;
  JankStep result = row->has_rules ? jank_unwind_rows_step (self->rows, row) : jank_unwinder_step_out_of_handler (self);

  /* On the way to another library there is no table where a call leaves its return address in a register. */
  if (result == JANK_STEP_LOST && !row->has_rules && is_exact && !JANK_CALL_PUSHES &&
      jank_processor_is_in_plt (self->pages, self->pc))
    result = jank_unwind_rows_step_by_register (self->rows);
  if (result == JANK_STEP_LOST && !row->has_rules)
    result = jank_unwinder_step_out_of_compiled_code (self);
  if (result == JANK_STEP_LOST && !row->has_rules)
    result = jank_unwinder_step_by_frame_pointer (self);
  if (result == JANK_STEP_LOST)
    result = jank_unwinder_step_by_search (self, row);
  if (result != JANK_STEP_CALLER)
    return result;
  if (!jank_unwind_rows_get_register (self->rows, JANK_REG_PC, &self->pc) ||
      !jank_unwind_rows_get_register (self->rows, JANK_REG_SP, &self->sp))
    return JANK_STEP_LOST;
  if (self->pc == 0)
    return JANK_STEP_BASE;
  self->knows_fp = self->knows_fp || jank_unwind_rows_get_register (self->rows, JANK_REG_FP, &frame_pointer);
  /* Callers are further up the stack, unless a signal handler has its own. */
  return self->sp > sp || (self->sp == sp &&
                           !JANK_CALL_PUSHES) || self->is_interrupted ? JANK_STEP_CALLER : JANK_STEP_LOST;
}

/* Compiled code has neither table nor frame pointer, as that of regular expressions. Of all return addresses above it
 * its own is the first from which a walk reaches the base. FALSE: there is none */
static gboolean
jank_unwinder_try_caller (JankUnwinder *self, guint64 sp)
{
  JankCallRecord record;
  guint64 registers[JANK_N_REGS] = { 0 };

  if (!JANK_CALL_PUSHES || (self->n_inner == 0 && self->calls[self->n_calls - 1].module != JANK_MODULE_NONE))
    return FALSE;
  if (self->n_inner == 0)
    {
      self->n_inner = self->n_calls;
      self->search_at = (sp + 7) & ~G_GUINT64_CONSTANT (7);
      self->search_end = self->search_at + MAX_COMPILED_BYTES;
    }
  self->n_calls = self->n_inner;
  if (self->n_searched++ == MAX_CALLERS || !jank_call_record_find_indirect (self->map, self->pages, self->copy,
                                                                            &self->search_at, self->search_end,
                                                                            &record))
    return FALSE;
  self->pc = registers[JANK_REG_PC] = record.return_address;
  self->sp = registers[JANK_REG_SP] = record.at + 2 * sizeof record.at;
  self->knows_fp = self->is_interrupted = FALSE;
  jank_unwind_rows_begin (self->rows, self->copy, registers, JANK_REG_BIT (JANK_REG_PC) | JANK_REG_BIT (JANK_REG_SP));
  return TRUE;
}

/* Returns: whether the walk reached the thread's base */
static gboolean
jank_unwinder_walk (JankUnwinder *self)
{
  gboolean is_exact = TRUE;

  self->n_calls = self->n_inner = self->n_searched = 0;
  self->pc = self->copy->regs[JANK_REG_PC];
  self->sp = self->copy->regs[JANK_REG_SP];
  self->knows_fp = (self->copy->known & JANK_REG_BIT (JANK_REG_FP)) != 0;
  jank_unwind_rows_begin (self->rows, self->copy, self->copy->regs, self->copy->known);
  while (self->n_calls < JANK_STACK_MAX_CALLS)
    {
      guint64 pc = self->pc - (is_exact ? 0 : 1);
      guint64 sp = self->sp;
      guint32 module = jank_unwinder_find_module (self, pc);
      const JankUnwindRow *row = jank_unwind_rows_find (self->rows, pc, module);
      JankStep result;

      self->calls[self->n_calls] = (JankCall) { .pc = pc, .function = row->function, .module = module };
      /* Compiled code has no functions that we know: else each instruction would be one. */
      if (module == JANK_MODULE_NONE)
        self->calls[self->n_calls].function = pc - pc % JANK_MEMORY_PAGE_BYTES;
      self->n_calls++;
      if (jank_unwinder_get_error (self) != NULL)
        return FALSE;
      self->is_interrupted = row->is_signal_frame;
      result = jank_unwinder_step (self, row, is_exact);
      if (result == JANK_STEP_BASE || (result == JANK_STEP_LOST && !jank_unwinder_try_caller (self, sp)))
        return result == JANK_STEP_BASE;
      is_exact = self->is_interrupted;
      self->calls[self->n_calls - 1].cfa = self->sp;
    }
  return FALSE;
}

/* Whether the modules of the stack are still the ones we know. */
static gboolean
jank_unwinder_verify (JankUnwinder *self)
{
  guint32 modules[JANK_STACK_MAX_CALLS];

  for (guint i = 0; i < self->n_calls; i++)
    modules[i] = self->calls[i].module;
  return jank_code_map_verify (self->map, modules, self->n_calls, jank_unwind_rows_take_new (self->rows));
}

/* Where a function of ours stands between two of the program's, the stack stays as it is without jankwatch: else one
 * problem would be two. */
static void
jank_unwinder_leave_out_own (JankUnwinder *self)
{
  guint n = 0;

  for (guint i = 0; i < self->n_calls; i++)
    {
      guint32 module = self->calls[i].module;

      if (module != JANK_MODULE_NONE && jank_code_map_get (self->map, module)->is_own &&
          /* The call that `run --slow` delays has a function of ours in front of it. */
          (n == 0 || self->calls[n - 1].function != (guintptr) clock_nanosleep))
        continue;
      self->calls[n++] = self->calls[i];
    }
  if (n > 0)
    self->n_calls = n;
}

/* The way to a function in another file is part of that function: an entry of the PLT has no name. */
static void
jank_unwinder_leave_plt (JankUnwinder *self)
{
  JankCall *call = &self->calls[0];
  guint64 target = jank_processor_follow_plt (self->pages, call->pc);
  guint32 module = target != 0 ? jank_unwinder_find_module (self, target) : JANK_MODULE_NONE;

  if (module != JANK_MODULE_NONE)
    *call = (JankCall) { .pc = target, .function = jank_unwind_rows_find (self->rows, target, module)->function,
                         .module = module, .cfa = call->cfa };
}

JankStack *
jank_unwinder_run (JankUnwinder *self, const JankStackCopy *copy)
{
  gboolean complete = FALSE, verified = FALSE;

  self->copy = copy;
  for (guint i = 0; i < MAX_WALKS && !verified; i++)
    {
      complete = jank_unwinder_walk (self);
      jank_unwinder_leave_plt (self);
      verified = jank_unwinder_verify (self);
      if (!verified)
        jank_unwind_rows_forget (self->rows);
    }
  self->copy = NULL;
  jank_unwinder_leave_out_own (self);
  return jank_stack_new (self->calls, self->n_calls, complete);
}
