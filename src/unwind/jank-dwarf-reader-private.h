/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A bounded cursor over unwind tables in this process's memory, read by safe copies. The first read past
 * the end, or of memory that is gone, sets `failed`; from then on everything reads as 0. Watcher thread
 * only. Encodings: DWARF 5, sections 7.6 (LEB128) and LSB Core 10.5 (pointers in .eh_frame). */

#pragma once

#include "unwind/jank-page-cache-private.h"

typedef struct
{
  JankPageCache *pages;
  guint64        at, end; /* addresses */
  gboolean       failed;
} JankDwarfReader;

/* DW_EH_PE_*, as far as they occur in .eh_frame of ELF files. */
enum { JANK_PE_OMIT = 0xff, JANK_PE_FORMAT = 0x0f, JANK_PE_BASE = 0x70, JANK_PE_PCREL = 0x10, JANK_PE_INDIRECT = 0x80 };

guint64 jank_dwarf_reader_fixed   (JankDwarfReader *self, gsize n_bytes);  /* 1, 2, 4 or 8 bytes, unsigned */
gint64  jank_dwarf_reader_signed  (JankDwarfReader *self, gsize n_bytes);
guint64 jank_dwarf_reader_uleb    (JankDwarfReader *self);
gint64  jank_dwarf_reader_sleb    (JankDwarfReader *self);

/* A pointer in one of the encodings above, relative to where it stands if that says so. */
guint64 jank_dwarf_reader_pointer (JankDwarfReader *self, guint8 encoding);
void    jank_dwarf_reader_skip    (JankDwarfReader *self, guint64 n_bytes);
