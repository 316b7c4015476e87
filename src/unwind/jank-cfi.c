/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "unwind/jank-cfi-private.h"

#include "unwind/jank-dwarf-reader-private.h"

#define MAX_REMEMBERED   8
#define MAX_INSTRUCTIONS 100000

/* DW_CFA_*; the first three hold an operand in their low six bits. */
enum
{
  CFA_ADVANCE_LOC = 0x40, CFA_OFFSET = 0x80, CFA_RESTORE = 0xc0,
  CFA_NOP = 0x00, CFA_SET_LOC, CFA_ADVANCE_LOC1, CFA_ADVANCE_LOC2, CFA_ADVANCE_LOC4, CFA_OFFSET_EXTENDED,
  CFA_RESTORE_EXTENDED, CFA_UNDEFINED, CFA_SAME_VALUE, CFA_REGISTER, CFA_REMEMBER_STATE, CFA_RESTORE_STATE,
  CFA_DEF_CFA, CFA_DEF_CFA_REGISTER, CFA_DEF_CFA_OFFSET, CFA_DEF_CFA_EXPRESSION, CFA_EXPRESSION,
  CFA_OFFSET_EXTENDED_SF, CFA_DEF_CFA_SF, CFA_DEF_CFA_OFFSET_SF, CFA_VAL_OFFSET, CFA_VAL_OFFSET_SF,
  CFA_VAL_EXPRESSION,
  CFA_GNU_ARGS_SIZE = 0x2e, CFA_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

typedef struct
{
  JankDwarfReader  reader;
  const JankFde   *fde;
  guint64          location;
  JankCfiRow       row;
  JankCfiRow       initial;                    /* after the common instructions */
  JankCfiRow       remembered[MAX_REMEMBERED];
  guint            n_remembered;
} Machine;

static void
set_rule (Machine *self, guint64 reg, JankCfiRuleKind kind, gint64 value)
{
  if (reg < JANK_N_REGS)
    {
      self->row.kinds[reg] = (guint8) kind;
      self->row.values[reg] = value;
    }
}

static void
set_cfa (Machine *self, guint64 reg, gint64 offset)
{
  self->row.cfa_expression = 0;
  self->row.cfa_reg = reg;
  self->row.cfa_offset = offset;
}

static void
skip_block (JankDwarfReader *reader)
{
  jank_dwarf_reader_skip (reader, jank_dwarf_reader_uleb (reader));
}

static void
restore (Machine *self, guint64 reg)
{
  if (reg < JANK_N_REGS)
    set_rule (self, reg, self->initial.kinds[reg], self->initial.values[reg]);
}

static gboolean
run_state (Machine *self, guint8 opcode)
{
  if (opcode == CFA_REMEMBER_STATE && self->n_remembered < MAX_REMEMBERED)
    self->remembered[self->n_remembered++] = self->row;
  else if (opcode == CFA_RESTORE_STATE && self->n_remembered > 0)
    self->row = self->remembered[--self->n_remembered];
  else
    return FALSE;
  return TRUE;
}

static gboolean
run_cfa (Machine *self, guint8 opcode)
{
  JankDwarfReader *reader = &self->reader;
  gint64 align = self->fde->data_align;
  guint64 reg;

  switch (opcode)
    {
    case CFA_DEF_CFA:
      reg = jank_dwarf_reader_uleb (reader);
      set_cfa (self, reg, (gint64) jank_dwarf_reader_uleb (reader));
      return TRUE;
    case CFA_DEF_CFA_SF:
      reg = jank_dwarf_reader_uleb (reader);
      set_cfa (self, reg, jank_dwarf_reader_sleb (reader) * align);
      return TRUE;
    case CFA_DEF_CFA_REGISTER:
      self->row.cfa_reg = jank_dwarf_reader_uleb (reader);
      return TRUE;
    case CFA_DEF_CFA_OFFSET:
      self->row.cfa_offset = (gint64) jank_dwarf_reader_uleb (reader);
      return TRUE;
    case CFA_DEF_CFA_OFFSET_SF:
      self->row.cfa_offset = jank_dwarf_reader_sleb (reader) * align;
      return TRUE;
    case CFA_DEF_CFA_EXPRESSION:
      self->row.cfa_expression = reader->at;
      skip_block (reader);
      return TRUE;
    default:
      return FALSE;
    }
}

static gboolean
run_register (Machine *self, guint8 opcode)
{
  JankDwarfReader *reader = &self->reader;
  gint64 align = self->fde->data_align;
  guint64 reg = jank_dwarf_reader_uleb (reader);

  switch (opcode)
    {
    case CFA_OFFSET_EXTENDED:
      set_rule (self, reg, JANK_RULE_OFFSET, (gint64) jank_dwarf_reader_uleb (reader) * align);
      return TRUE;
    case CFA_OFFSET_EXTENDED_SF:
      set_rule (self, reg, JANK_RULE_OFFSET, jank_dwarf_reader_sleb (reader) * align);
      return TRUE;
    case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
      set_rule (self, reg, JANK_RULE_OFFSET, -(gint64) jank_dwarf_reader_uleb (reader) * align);
      return TRUE;
    case CFA_VAL_OFFSET:
      set_rule (self, reg, JANK_RULE_VAL_OFFSET, (gint64) jank_dwarf_reader_uleb (reader) * align);
      return TRUE;
    case CFA_VAL_OFFSET_SF:
      set_rule (self, reg, JANK_RULE_VAL_OFFSET, jank_dwarf_reader_sleb (reader) * align);
      return TRUE;
    case CFA_REGISTER:
      set_rule (self, reg, JANK_RULE_REGISTER, (gint64) jank_dwarf_reader_uleb (reader));
      return TRUE;
    case CFA_EXPRESSION:
    case CFA_VAL_EXPRESSION:
      set_rule (self, reg, opcode == CFA_EXPRESSION ? JANK_RULE_EXPRESSION : JANK_RULE_VAL_EXPRESSION, (gint64) reader->at);
      skip_block (reader);
      return TRUE;
    case CFA_RESTORE_EXTENDED:
      restore (self, reg);
      return TRUE;
    case CFA_UNDEFINED:
      set_rule (self, reg, JANK_RULE_UNDEFINED, 0);
      return TRUE;
    case CFA_SAME_VALUE:
      set_rule (self, reg, JANK_RULE_SAME, 0);
      return TRUE;
    default:
      return FALSE;
    }
}

static gboolean
run_one (Machine *self)
{
  JankDwarfReader *reader = &self->reader;
  guint8 opcode = (guint8) jank_dwarf_reader_fixed (reader, 1);
  guint8 operand = opcode & 0x3f;

  switch (opcode & 0xc0)
    {
    case CFA_ADVANCE_LOC:
      self->location += operand * self->fde->code_align;
      return TRUE;
    case CFA_OFFSET:
      set_rule (self, operand, JANK_RULE_OFFSET, (gint64) jank_dwarf_reader_uleb (reader) * self->fde->data_align);
      return TRUE;
    case CFA_RESTORE:
      restore (self, operand);
      return TRUE;
    default:
      break;
    }

  switch (opcode)
    {
    case CFA_NOP:
      return TRUE;
    case CFA_ADVANCE_LOC1:
      self->location += jank_dwarf_reader_fixed (reader, 1) * self->fde->code_align;
      return TRUE;
    case CFA_ADVANCE_LOC2:
      self->location += jank_dwarf_reader_fixed (reader, 2) * self->fde->code_align;
      return TRUE;
    case CFA_ADVANCE_LOC4:
      self->location += jank_dwarf_reader_fixed (reader, 4) * self->fde->code_align;
      return TRUE;
    case CFA_GNU_ARGS_SIZE:
      jank_dwarf_reader_uleb (reader);
      return TRUE;
    case CFA_REMEMBER_STATE:
    case CFA_RESTORE_STATE:
      return run_state (self, opcode);
    case CFA_DEF_CFA: case CFA_DEF_CFA_SF: case CFA_DEF_CFA_REGISTER: case CFA_DEF_CFA_OFFSET:
    case CFA_DEF_CFA_OFFSET_SF: case CFA_DEF_CFA_EXPRESSION:
      return run_cfa (self, opcode);
    default:
      return run_register (self, opcode);
    }
}

/* Runs until the row for pc is complete: instructions up to the first one that is for a later address. */
static gboolean
run_until (Machine *self, guint64 at, guint64 end, guint64 pc)
{
  self->reader.at = at;
  self->reader.end = end;
  for (guint i = 0; i < MAX_INSTRUCTIONS && self->reader.at < end; i++)
    {
      /* What advances the location changes nothing else. */
      if (!run_one (self) || self->reader.failed)
        return FALSE;
      if (self->location > pc)
        break;
    }
  return TRUE;
}

gboolean
jank_cfi_run (JankPageCache *pages, const JankFde *fde, guint64 pc, JankCfiRow *ret_row)
{
  Machine machine = { .reader = { .pages = pages }, .fde = fde, .location = fde->start };

  if (fde->return_reg != JANK_REG_RIP ||
      !run_until (&machine, fde->common_at, fde->common_end, G_MAXUINT64))
    return FALSE;
  machine.initial = machine.row;
  machine.location = fde->start;
  if (!run_until (&machine, fde->at, fde->end_at, pc))
    return FALSE;
  *ret_row = machine.row;
  return TRUE;
}
