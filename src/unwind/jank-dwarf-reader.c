/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "unwind/jank-dwarf-reader-private.h"

#define MAX_LEB_BYTES 10

guint64
jank_dwarf_reader_fixed (JankDwarfReader *self, gsize n_bytes)
{
  guint64 value = 0; /* little-endian: the low bytes come first */

  if (self->failed || self->at > self->end || n_bytes > self->end - self->at ||
      !jank_page_cache_read (self->pages, self->at, &value, n_bytes))
    {
      self->failed = TRUE;
      return 0;
    }
  self->at += n_bytes;
  return value;
}

gint64
jank_dwarf_reader_signed (JankDwarfReader *self, gsize n_bytes)
{
  guint unused = 64 - 8 * (guint) n_bytes;

  return (gint64) (jank_dwarf_reader_fixed (self, n_bytes) << unused) >> unused;
}

static guint64
read_leb (JankDwarfReader *self, guint *ret_n_bits, guint8 *ret_last)
{
  guint64 value = 0;
  guint n_bits = 0;
  guint8 byte;

  do
    {
      byte = (guint8) jank_dwarf_reader_fixed (self, 1);
      if (n_bits < 64)
        value |= (guint64) (byte & 0x7f) << n_bits;
      n_bits += 7;
    }
  while ((byte & 0x80) != 0 && !self->failed && n_bits < 7 * MAX_LEB_BYTES);

  *ret_n_bits = n_bits;
  *ret_last = byte;
  return value;
}

guint64
jank_dwarf_reader_uleb (JankDwarfReader *self)
{
  guint n_bits;
  guint8 last;

  return read_leb (self, &n_bits, &last);
}

gint64
jank_dwarf_reader_sleb (JankDwarfReader *self)
{
  guint n_bits;
  guint8 last;
  guint64 value = read_leb (self, &n_bits, &last);

  if ((last & 0x40) != 0 && n_bits < 64)
    value |= ~(guint64) 0 << n_bits;
  return (gint64) value;
}

guint64
jank_dwarf_reader_pointer (JankDwarfReader *self, guint8 encoding)
{
  guint64 at = self->at;
  guint64 value;

  switch (encoding & JANK_PE_FORMAT)
    {
    case 0x00: case 0x04: case 0x0c: value = jank_dwarf_reader_fixed (self, 8); break;
    case 0x01: value = jank_dwarf_reader_uleb (self); break;
    case 0x02: value = jank_dwarf_reader_fixed (self, 2); break;
    case 0x03: value = jank_dwarf_reader_fixed (self, 4); break;
    case 0x09: value = (guint64) jank_dwarf_reader_sleb (self); break;
    case 0x0a: value = (guint64) jank_dwarf_reader_signed (self, 2); break;
    case 0x0b: value = (guint64) jank_dwarf_reader_signed (self, 4); break;
    default:
      self->failed = TRUE;
      return 0;
    }
  return (encoding & JANK_PE_BASE) == JANK_PE_PCREL ? value + at : value;
}

void
jank_dwarf_reader_skip (JankDwarfReader *self, guint64 n_bytes)
{
  if (self->at > self->end || n_bytes > self->end - self->at)
    self->failed = TRUE;
  else
    self->at += n_bytes;
}
