/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "unwind/jank-unwind-rows-private.h"

/* What libunwind made of one input: a byte that says where in the rest the function's entry begins, in steps of four;
 * then .eh_frame. The function is at FUZZ_CODE. */
typedef struct
{
  gboolean has_function, has_rules, is_signal_frame;
  JankStep step; /* only with has_rules: through a stack of garbage */
} FuzzResult;

#define FUZZ_CODE_BYTES 64
#define FUZZ_MAX_BYTES  8192

/* Where the rest of the input will be, and the function. */
guint64    fuzz_get_entries (void);
guint64    fuzz_get_code    (void);

FuzzResult fuzz_run         (const guint8 *data, gsize n_bytes);
int        LLVMFuzzerTestOneInput (const guint8 *data, gsize n_bytes);
