/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Call frame information (DWARF 5, section 6.4): where a function, stopped at one address, keeps its
 * caller's registers. Watcher thread only. */

#pragma once

#include "unwind/jank-eh-frame-private.h"
#include "unwind/jank-stack-copy-private.h"

typedef enum
{
  JANK_RULE_UNSPECIFIED,  /* by the ABI: callee-saved registers keep their value, others are lost */
  JANK_RULE_UNDEFINED,
  JANK_RULE_SAME,
  JANK_RULE_OFFSET,       /* at CFA + value */
  JANK_RULE_VAL_OFFSET,   /* is CFA + value */
  JANK_RULE_REGISTER,     /* in register value */
  JANK_RULE_EXPRESSION,   /* at what the expression at address value gives */
  JANK_RULE_VAL_EXPRESSION,
} JankCfiRuleKind;

/* The canonical frame address, which is the caller's stack pointer, and one rule per register. */
typedef struct
{
  guint64  cfa_expression;      /* address of its length; 0: the register and offset below */
  guint64  cfa_reg;
  gint64   cfa_offset;
  gint64   values[JANK_N_REGS];
  guint8   kinds[JANK_N_REGS];  /* JankCfiRuleKind */
} JankCfiRow;

/* FALSE: damaged, or with instructions unknown here. */
gboolean jank_cfi_run (JankPageCache *pages, const JankFde *fde, guint64 pc, JankCfiRow *ret_row);
