/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "unwind/jank-unwinder-private.h"

#include "unwind/jank-cfi-private.h"
#include "unwind/jank-dwarf-expression-private.h"
#include "unwind/jank-call-record-private.h"
#include "unwind/jank-page-cache-private.h"
#include "unwind/jank-stack-copy-private.h"

#define N_PLACES 2048 /* a direct-mapped cache: 400 KB */

#define BIT(reg) (1u << (reg))

/* What a called function leaves as it was (x86-64 psABI, 3.2.1). */
#define CALLEE_SAVED (BIT (JANK_REG_RBX) | BIT (JANK_REG_RBP) | BIT (JANK_REG_R12) | BIT (JANK_REG_R13) | \
                      BIT (JANK_REG_R14) | BIT (JANK_REG_R15))

/* What the unwind table says of one address. */
typedef struct
{
  guint64    pc;       /* 0: empty */
  guint64    function; /* pc itself without an entry */
  gboolean   has_row, is_signal_frame;
  JankCfiRow row;
} Place;

typedef struct
{
  guint64 values[JANK_N_REGS];
  guint32 known;
} Registers;

typedef enum { STEP_CALLER, STEP_BASE, STEP_LOST } Step;

struct _JankUnwinder
{
  JankCodeMap         *map;
  JankPageCache       *pages;     /* (owned) */
  Place               *places;    /* (owned) of N_PLACES */
  guint                generation;

  /* during a run */
  const JankStackCopy *copy;
  Registers            regs;
  JankCall            calls[JANK_STACK_MAX_CALLS];
  guint64              cfas[JANK_STACK_MAX_CALLS];
  guint                n_calls;
};

JankUnwinder *
jank_unwinder_new (JankCodeMap *map)
{
  JankUnwinder *self = g_new0 (JankUnwinder, 1);

  self->map = map;
  self->pages = jank_page_cache_new ();
  self->places = g_new0 (Place, N_PLACES);
  return self;
}

void
jank_unwinder_free (JankUnwinder *self)
{
  jank_page_cache_free (self->pages);
  g_free (self->places);
  g_free (self);
}

/* What was learned of code that is gone. */
static void
forget_if_changed (JankUnwinder *self)
{
  if (self->generation == jank_code_map_get_generation (self->map))
    return;
  self->generation = jank_code_map_get_generation (self->map);
  jank_page_cache_flush (self->pages);
  for (guint i = 0; i < N_PLACES; i++)
    self->places[i].pc = 0;
}

static const Place *
find_place (JankUnwinder *self, guint64 pc, guint32 module)
{
  Place *place = &self->places[(pc ^ (pc >> 10) ^ (pc >> 20)) % N_PLACES];
  JankFde fde;

  if (place->pc == pc)
    return place;
  *place = (Place) { .pc = pc, .function = pc };
  if (module != JANK_MODULE_NONE &&
      jank_eh_frame_find (self->pages, jank_code_map_get (self->map, module), pc, &fde))
    {
      place->function = fde.start;
      place->is_signal_frame = fde.is_signal_frame;
      place->has_row = jank_cfi_run (self->pages, &fde, pc, &place->row);
    }
  return place;
}

static gboolean
is_known (const Registers *regs, guint64 reg)
{
  return reg < JANK_N_REGS && (regs->known & BIT (reg)) != 0;
}

static gboolean
find_cfa (JankUnwinder *self, const JankCfiRow *row, guint64 *ret_cfa)
{
  const Registers *regs = &self->regs;

  if (row->cfa_expression != 0)
    return jank_dwarf_expression_run (self->pages, self->copy, row->cfa_expression, regs->values, regs->known,
                                      FALSE, 0, ret_cfa);
  if (!is_known (regs, row->cfa_reg))
    return FALSE;
  *ret_cfa = regs->values[row->cfa_reg] + (guint64) row->cfa_offset;
  return TRUE;
}

/* The caller's value of reg. */
static gboolean
restore_reg (JankUnwinder *self, const JankCfiRow *row, guint reg, guint64 cfa, guint64 *ret_value)
{
  const Registers *regs = &self->regs;
  gint64 value = row->values[reg];
  guint64 address;

  switch ((JankCfiRuleKind) row->kinds[reg])
    {
    case JANK_RULE_UNSPECIFIED:
      *ret_value = reg == JANK_REG_RSP ? cfa : regs->values[reg];
      return reg == JANK_REG_RSP || ((BIT (reg) & CALLEE_SAVED) != 0 && is_known (regs, reg));
    case JANK_RULE_SAME:
      *ret_value = regs->values[reg];
      return is_known (regs, reg);
    case JANK_RULE_OFFSET:
      return jank_stack_copy_read (self->copy, cfa + (guint64) value, ret_value, sizeof *ret_value);
    case JANK_RULE_VAL_OFFSET:
      *ret_value = cfa + (guint64) value;
      return TRUE;
    case JANK_RULE_REGISTER:
      *ret_value = (guint64) value < JANK_N_REGS ? regs->values[value] : 0;
      return is_known (regs, (guint64) value);
    case JANK_RULE_EXPRESSION:
      return jank_dwarf_expression_run (self->pages, self->copy, (guint64) value, regs->values, regs->known,
                                        TRUE, cfa, &address) &&
             jank_stack_copy_read (self->copy, address, ret_value, sizeof *ret_value);
    case JANK_RULE_VAL_EXPRESSION:
      return jank_dwarf_expression_run (self->pages, self->copy, (guint64) value, regs->values, regs->known,
                                        TRUE, cfa, ret_value);
    case JANK_RULE_UNDEFINED:
    default:
      return FALSE;
    }
}

static Step
step_by_table (JankUnwinder *self, const Place *place)
{
  Registers caller = { .known = 0 };
  guint64 cfa;

  if (place->row.kinds[JANK_REG_RIP] == JANK_RULE_UNDEFINED)
    return STEP_BASE;
  if (!find_cfa (self, &place->row, &cfa))
    return STEP_LOST;
  for (guint reg = 0; reg < JANK_N_REGS; reg++)
    if (restore_reg (self, &place->row, reg, cfa, &caller.values[reg]))
      caller.known |= BIT (reg);
  if (!is_known (&caller, JANK_REG_RIP) || !is_known (&caller, JANK_REG_RSP))
    return STEP_LOST;
  self->regs = caller;
  return STEP_CALLER;
}

/* Code without a table that keeps a frame pointer: %rbp points at the caller's, below the return address. */
static Step
step_by_frame_pointer (JankUnwinder *self)
{
  guint64 frame = self->regs.values[JANK_REG_RBP];
  guint64 words[2];

  if (!is_known (&self->regs, JANK_REG_RBP) || frame < self->regs.values[JANK_REG_RSP] ||
      !jank_stack_copy_read (self->copy, frame, words, sizeof words))
    return STEP_LOST;
  self->regs.values[JANK_REG_RBP] = words[0];
  self->regs.values[JANK_REG_RIP] = words[1];
  self->regs.values[JANK_REG_RSP] = frame + sizeof words;
  self->regs.known = BIT (JANK_REG_RBP) | BIT (JANK_REG_RIP) | BIT (JANK_REG_RSP);
  return STEP_CALLER;
}

/* The saved frame record that fits the function, where its frame pointer is not known. */
static Step
step_by_record (JankUnwinder *self, guint64 function)
{
  JankCallRecord record;

  if (is_known (&self->regs, JANK_REG_RBP) ||
      !jank_call_record_find (self->map, self->pages, self->copy, function, self->regs.values[JANK_REG_RSP], &record))
    return STEP_LOST;
  self->regs.values[JANK_REG_RIP] = record.return_address;
  self->regs.values[JANK_REG_RSP] = record.sp;
  self->regs.values[JANK_REG_RBP] = record.frame_pointer;
  self->regs.known = BIT (JANK_REG_RBP) | BIT (JANK_REG_RIP) | BIT (JANK_REG_RSP);
  return STEP_CALLER;
}

static Step
step (JankUnwinder *self, const Place *place)
{
  guint64 sp = self->regs.values[JANK_REG_RSP];
  Step result = place->has_row ? step_by_table (self, place) : step_by_frame_pointer (self);

  if (result == STEP_LOST)
    result = step_by_record (self, place->function);
  if (result != STEP_CALLER)
    return result;
  if (self->regs.values[JANK_REG_RIP] == 0)
    return STEP_BASE;
  /* Up the stack only, but for a handler on a stack of its own. */
  return self->regs.values[JANK_REG_RSP] > sp || place->is_signal_frame ? STEP_CALLER : STEP_LOST;
}

/* Fills calls. Returns: whether the thread's base was reached */
static gboolean
walk (JankUnwinder *self)
{
  gboolean is_exact = TRUE;

  self->n_calls = 0;
  memcpy (self->regs.values, self->copy->regs, sizeof self->regs.values);
  self->regs.known = self->copy->known;
  while (self->n_calls < JANK_STACK_MAX_CALLS)
    {
      guint64 pc = self->regs.values[JANK_REG_RIP] - (is_exact ? 0 : 1);
      guint32 module = jank_code_map_find (self->map, pc);
      const Place *place = find_place (self, pc, module);
      Step result;

      self->calls[self->n_calls] = (JankCall) { pc, place->function, module };
      self->cfas[self->n_calls++] = 0;
      is_exact = place->is_signal_frame;
      result = step (self, place);
      if (result != STEP_CALLER)
        return result == STEP_BASE;
      self->cfas[self->n_calls - 1] = self->regs.values[JANK_REG_RSP];
    }
  return FALSE;
}

/* Whether every module that was walked through is still the one we know. */
static gboolean
verify (JankUnwinder *self)
{
  guint32 modules[JANK_CODE_MAP_MAX_VERIFY];
  guint n_modules = 0;

  for (guint i = 0; i < self->n_calls && n_modules < G_N_ELEMENTS (modules); i++)
    {
      guint32 module = self->calls[i].module;
      guint j = 0;

      while (j < n_modules && modules[j] != module)
        j++;
      if (j == n_modules && module != JANK_MODULE_NONE)
        modules[n_modules++] = module;
    }
  return jank_code_map_verify (self->map, modules, n_modules);
}

JankStack *
jank_unwinder_run (JankUnwinder *self, const JankStackCopy *copy)
{
  gboolean complete;

  self->copy = copy;
  forget_if_changed (self);
  complete = walk (self);
  if (!verify (self))
    {
      forget_if_changed (self);
      complete = walk (self);
    }
  self->copy = NULL;
  return jank_stack_new (self->calls, self->n_calls, complete);
}

const guint64 *
jank_unwinder_get_cfas (const JankUnwinder *self)
{
  return self->cfas;
}
