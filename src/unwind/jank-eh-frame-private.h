/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The unwind table entry of a function, found through a loaded file's .eh_frame_hdr (LSB Core 10.6).
 * Watcher thread only. */

#pragma once

#include "unwind/jank-code-map-private.h"
#include "unwind/jank-page-cache-private.h"

/* A frame description entry with what it needs of its common information entry. */
typedef struct
{
  guint64  start, end;                /* addresses of the function */
  guint64  code_align;
  gint64   data_align;
  guint64  return_reg;
  guint64  common_at, common_end;     /* instructions that every function of the entry begins with */
  guint64  at, end_at;                /* its own instructions */
  gboolean is_signal_frame;           /* the instruction pointer is exact, not a return address */
} JankFde;

/* FALSE: the module has no table, or none of its entries holds pc. */
gboolean jank_eh_frame_find (JankPageCache *pages, const JankModule *module, guint64 pc, JankFde *ret_fde);
