/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The few DWARF expressions (DWARF 5, section 2.5) that stand in unwind tables: procedure linkage tables,
 * realigned stacks, signal frames. Watcher thread only. */

#pragma once

#include "unwind/jank-page-cache-private.h"
#include "unwind/jank-stack-copy-private.h"

/* The expression at address, whose length stands before it, over the registers in regs, of which `known`
 * has a bit each, and the copied stack. push_cfa: cfa is on the stack of values at first.
 * FALSE: damaged, an operation unknown here, or a register or memory that is not known. */
gboolean jank_dwarf_expression_run (JankPageCache *pages, const JankStackCopy *copy, guint64 address,
                                    const guint64 *regs, guint32 known, gboolean push_cfa, guint64 cfa,
                                    guint64 *ret_value);
