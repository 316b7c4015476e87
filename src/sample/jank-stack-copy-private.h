/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reading a copied stack. Watcher thread only. */

#pragma once

#include <string.h>
#include <glib.h>

#include "sample/jank-signal-sigsafe-private.h"

static inline gboolean
jank_stack_copy_read (const JankStackCopy *copy, guint64 address, gpointer buffer, gsize n_bytes)
{
  guint64 offset = address - copy->address;

  if (address < copy->address || offset > copy->n_bytes || n_bytes > copy->n_bytes - offset)
    return FALSE;
  memcpy (buffer, copy->bytes + offset, n_bytes);
  return TRUE;
}
