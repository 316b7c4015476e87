/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "unwind/jank-dwarf-expression-private.h"

#include "unwind/jank-dwarf-reader-private.h"
#include "unwind/jank-stack-copy-private.h"

#define MAX_VALUES     16
#define MAX_OPERATIONS 256

/* DW_OP_* */
enum
{
  OP_DEREF = 0x06, OP_CONST1U = 0x08, OP_CONST1S, OP_CONST2U, OP_CONST2S, OP_CONST4U, OP_CONST4S, OP_CONST8U,
  OP_CONST8S, OP_CONSTU, OP_CONSTS, OP_DUP, OP_DROP, OP_OVER, OP_SWAP = 0x16,
  OP_AND = 0x1a, OP_MINUS = 0x1c, OP_MUL = 0x1e, OP_OR = 0x21, OP_PLUS, OP_PLUS_UCONST, OP_SHL, OP_SHR,
  OP_EQ = 0x29, OP_GE, OP_GT, OP_LE, OP_LT, OP_NE,
  OP_LIT0 = 0x30, OP_LIT31 = 0x4f, OP_BREG0 = 0x70, OP_BREG31 = 0x8f,
};

typedef struct
{
  JankDwarfReader      reader;
  const JankStackCopy *copy;
  const guint64       *regs;
  guint32              known;
  guint64              values[MAX_VALUES];
  guint                n_values;
} Machine;

static gboolean
push (Machine *self, guint64 value)
{
  if (self->n_values == MAX_VALUES)
    return FALSE;
  self->values[self->n_values++] = value;
  return TRUE;
}

static gboolean
push_constant (Machine *self, guint8 op)
{
  JankDwarfReader *reader = &self->reader;

  switch (op)
    {
    case OP_CONST1U: return push (self, jank_dwarf_reader_fixed (reader, 1));
    case OP_CONST1S: return push (self, (guint64) jank_dwarf_reader_signed (reader, 1));
    case OP_CONST2U: return push (self, jank_dwarf_reader_fixed (reader, 2));
    case OP_CONST2S: return push (self, (guint64) jank_dwarf_reader_signed (reader, 2));
    case OP_CONST4U: return push (self, jank_dwarf_reader_fixed (reader, 4));
    case OP_CONST4S: return push (self, (guint64) jank_dwarf_reader_signed (reader, 4));
    case OP_CONST8U:
    case OP_CONST8S: return push (self, jank_dwarf_reader_fixed (reader, 8));
    case OP_CONSTU:  return push (self, jank_dwarf_reader_uleb (reader));
    case OP_CONSTS:  return push (self, (guint64) jank_dwarf_reader_sleb (reader));
    default:         return FALSE;
    }
}

static gboolean
calculate (guint8 op, guint64 a, guint64 b, guint64 *ret_value)
{
  switch (op)
    {
    case OP_AND:   *ret_value = a & b; return TRUE;
    case OP_OR:    *ret_value = a | b; return TRUE;
    case OP_PLUS:  *ret_value = a + b; return TRUE;
    case OP_MINUS: *ret_value = a - b; return TRUE;
    case OP_MUL:   *ret_value = a * b; return TRUE;
    case OP_SHL:   *ret_value = b < 64 ? a << b : 0; return TRUE;
    case OP_SHR:   *ret_value = b < 64 ? a >> b : 0; return TRUE;
    case OP_EQ:    *ret_value = a == b; return TRUE;
    case OP_NE:    *ret_value = a != b; return TRUE;
    case OP_GE:    *ret_value = (gint64) a >= (gint64) b; return TRUE;
    case OP_GT:    *ret_value = (gint64) a > (gint64) b; return TRUE;
    case OP_LE:    *ret_value = (gint64) a <= (gint64) b; return TRUE;
    case OP_LT:    *ret_value = (gint64) a < (gint64) b; return TRUE;
    default:       return FALSE;
    }
}

static gboolean
run_binary (Machine *self, guint8 op)
{
  if (self->n_values < 2)
    return FALSE;
  self->n_values--;
  return calculate (op, self->values[self->n_values - 1], self->values[self->n_values],
                    &self->values[self->n_values - 1]);
}

static gboolean
run_unary (Machine *self, guint8 op)
{
  guint64 *top;

  if (self->n_values < 1)
    return FALSE;
  top = &self->values[self->n_values - 1];
  switch (op)
    {
    case OP_DEREF:
      return jank_stack_copy_read (self->copy, *top, top, sizeof *top);
    case OP_PLUS_UCONST:
      *top += jank_dwarf_reader_uleb (&self->reader);
      return TRUE;
    case OP_DUP:
      return push (self, *top);
    case OP_DROP:
      self->n_values--;
      return TRUE;
    default:
      return FALSE;
    }
}

static gboolean
run_one (Machine *self)
{
  guint8 op = (guint8) jank_dwarf_reader_fixed (&self->reader, 1);
  guint reg;

  if (op >= OP_LIT0 && op <= OP_LIT31)
    return push (self, op - OP_LIT0);
  if (op >= OP_BREG0 && op <= OP_BREG31)
    {
      reg = op - OP_BREG0;
      return reg < JANK_N_REGS && (self->known & (1u << reg)) != 0 &&
             push (self, self->regs[reg] + (guint64) jank_dwarf_reader_sleb (&self->reader));
    }
  if (op >= OP_CONST1U && op <= OP_CONSTS)
    return push_constant (self, op);
  if (op == OP_DEREF || op == OP_PLUS_UCONST || op == OP_DUP || op == OP_DROP)
    return run_unary (self, op);
  return run_binary (self, op);
}

gboolean
jank_dwarf_expression_run (JankPageCache *pages, const JankStackCopy *copy, guint64 address,
                           const guint64 *regs, guint32 known, gboolean push_cfa, guint64 cfa, guint64 *ret_value)
{
  Machine machine = {
    .reader = { .pages = pages, .at = address, .end = address + 10 },
    .copy = copy,
    .regs = regs,
    .known = known,
  };
  guint64 n_bytes = jank_dwarf_reader_uleb (&machine.reader);

  if (push_cfa)
    push (&machine, cfa);
  machine.reader.end = machine.reader.at + n_bytes;
  for (guint i = 0; i < MAX_OPERATIONS && machine.reader.at < machine.reader.end; i++)
    if (!run_one (&machine) || machine.reader.failed)
      return FALSE;
  if (machine.reader.failed || machine.n_values == 0)
    return FALSE;
  *ret_value = machine.values[machine.n_values - 1];
  return TRUE;
}
