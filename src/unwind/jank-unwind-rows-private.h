/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Rows of unwind tables: libunwind makes one for an address and applies it to every call there. They are kept
 * here, since libunwind's cache blocks and unblocks all signals for each call. Watcher thread only. */

#pragma once

#include "unwind/jank-code-map-private.h"
#include "unwind/jank-page-cache-private.h"
#include "unwind/jank-stack-copy-private.h"

typedef struct
{
  guint64  pc;              /* 0: empty */
  guint64  function;        /* where it starts; pc itself without an entry */
  guint32  module;          /* index into the code map */
  guint    generation;      /* of the code map; 0: the module has a build-id, which stands for its contents */
  gboolean is_signal_frame; /* the caller's pc is exact, not a return address */
  gboolean has_rules;       /* libunwind's part is there */
} JankUnwindRow;

typedef enum { JANK_STEP_CALLER, JANK_STEP_BASE, JANK_STEP_LOST } JankStep;

typedef struct _JankUnwindRows JankUnwindRows;

/* map and pages must outlive it. */
JankUnwindRows      *jank_unwind_rows_new          (JankCodeMap *map, JankPageCache *pages);
void                 jank_unwind_rows_free         (JankUnwindRows *self);

/* Why no row has rules; NULL: libunwind is there. */
const GError        *jank_unwind_rows_get_error    (const JankUnwindRows *self);

/* module: holds pc now. The row is valid until the next call. */
const JankUnwindRow *jank_unwind_rows_find         (JankUnwindRows *self, guint64 pc, guint32 module);

/* Whether rows were made since the last call. If so, a module may have been replaced meanwhile: compare the
 * build-ids, and forget all rows if one has changed. */
gboolean             jank_unwind_rows_take_new     (JankUnwindRows *self);
void                 jank_unwind_rows_forget       (JankUnwindRows *self);

/* Begins a walk. known: a bit for each register; copy must live until the next walk begins. */
void                 jank_unwind_rows_begin        (JankUnwindRows *self, const JankStackCopy *copy,
                                                    const guint64 *registers, guint64 known);
/* Applies a row that has rules. LOST leaves the registers undefined. */
JankStep             jank_unwind_rows_step         (JankUnwindRows *self, const JankUnwindRow *row);
/* Steps out of a function that has changed nothing since the walk began, by the register that has its return
 * address. */
JankStep             jank_unwind_rows_step_by_register (JankUnwindRows *self);
/* FALSE: not known. */
gboolean             jank_unwind_rows_get_register (JankUnwindRows *self, guint reg, guint64 *ret_value);
