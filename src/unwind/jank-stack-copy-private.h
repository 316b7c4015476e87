/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A thread's registers and a copy of its stack: all that unwinding needs. */

#pragma once

#include <stdint.h>
#include <string.h>
#include <glib.h>

#include "unwind/jank-processor-private.h"

/* A single function's buffer may have 64 KB, as GdkPixbuf's of a file does; what calls it is behind that. */
#define JANK_COPY_MAX_BYTES (128 * 1024)

typedef struct
{
  uint64_t regs[JANK_N_REGS];
  uint64_t known;         /* bit per register */
  uint64_t address;       /* of bytes[0] in the thread's stack */
  uint32_t n_bytes;
  uint64_t base;          /* highest address of the stack, 0 unknown */
  uint64_t emission;      /* GObject's innermost record of one, 0 none or unknown */
  _Alignas (16) uint8_t bytes[JANK_COPY_MAX_BYTES];
} JankStackCopy;

static inline gboolean
jank_stack_copy_read (const JankStackCopy *copy, guint64 address, gpointer buffer, gsize n_bytes)
{
  guint64 offset = address - copy->address;

  if (address < copy->address || offset > copy->n_bytes || n_bytes > copy->n_bytes - offset)
    return FALSE;
  memcpy (buffer, copy->bytes + offset, n_bytes);
  return TRUE;
}
