/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A function's entry in the unwind tables of a loaded file, found through its .eh_frame_hdr (LSB Core 10.6), and
 * checked before libunwind reads it. Watcher thread only. */

#pragma once

#include "unwind/jank-page-cache-private.h"

#define JANK_EH_ENTRY_MAX_BYTES 32768 /* the largest of 1,177 files on Debian 12 has 20,068 */

/* A copy of one entry, with the rest of its first and last 8 bytes. */
typedef struct
{
  guint64 address; /* of the entry */
  guint32 n_bytes; /* of the entry, with the length it begins with */
  _Alignas (8) guint8 bytes[JANK_EH_ENTRY_MAX_BYTES + 16]; /* from address rounded down */
} JankEhEntry;

typedef struct
{
  guint64     pair;            /* address of its row in .eh_frame_hdr: a table of one entry */
  guint64     function;        /* where it starts */
  guint64     n_code_bytes;    /* of the function */
  gboolean    is_signal_frame; /* the caller was interrupted: its pc is exact, not a return address */
  JankEhEntry own, common;     /* the function's entry, and the one that it shares with others */
} JankFde;

/* eh_frame_hdr: address, 0: none. FALSE: no entry holds pc, or it is damaged or in a form that is not known here. */
gboolean jank_eh_frame_find (JankPageCache *pages, guint64 eh_frame_hdr, guint64 pc, JankFde *ret_fde);
