/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "unwind/jank-eh-frame-private.h"

#include "unwind/jank-dwarf-reader-private.h"

#define MAX_AUGMENTATION_BYTES 8
#define MAX_ENTRY_BYTES        (1 << 20)

/* .eh_frame_hdr in the one form that linkers write: a sorted table of pairs of 32-bit offsets from its
 * own start. */
typedef struct
{
  guint8  version, frame_encoding, count_encoding, table_encoding;
  gint32  frame;
  guint32 n_entries;
} Header;

typedef struct
{
  gint32 start, fde;
} Entry;

static gboolean
find_entry (JankPageCache *pages, const JankModule *module, guint64 pc, guint64 *ret_fde)
{
  guint64 table = module->eh_frame_hdr + sizeof (Header);
  guint32 low = 0, high;
  Header header;
  Entry entry;

  if (!jank_page_cache_read (pages, module->eh_frame_hdr, &header, sizeof header) ||
      header.version != 1 || header.count_encoding != 0x03 || header.table_encoding != 0x3b)
    return FALSE;

  /* The last entry that begins at pc or before. */
  for (high = header.n_entries; high - low > 1;)
    {
      guint32 middle = low + (high - low) / 2;

      if (!jank_page_cache_read (pages, table + (guint64) middle * sizeof entry, &entry, sizeof entry))
        return FALSE;
      if (module->eh_frame_hdr + (gint64) entry.start <= pc)
        low = middle;
      else
        high = middle;
    }
  if (high == 0 || !jank_page_cache_read (pages, table + (guint64) low * sizeof entry, &entry, sizeof entry))
    return FALSE;
  *ret_fde = module->eh_frame_hdr + (gint64) entry.fde;
  return TRUE;
}

/* Sets the reader to the contents of the entry at address. Returns the address of its second word. */
static guint64
enter (JankDwarfReader *reader, guint64 address)
{
  guint64 length;

  reader->at = address;
  reader->end = address + 12;
  length = jank_dwarf_reader_fixed (reader, 4);
  if (length == 0xffffffff)
    length = jank_dwarf_reader_fixed (reader, 8);
  if (length < 4 || length > MAX_ENTRY_BYTES)
    reader->failed = TRUE;
  reader->end = reader->at + length;
  return reader->at;
}

static void
read_augmentation (JankDwarfReader *reader, const char *letters, JankFde *fde, guint8 *ret_encoding)
{
  guint64 n_bytes = jank_dwarf_reader_uleb (reader);
  guint64 end = reader->at + n_bytes;

  for (const char *letter = letters; *letter != '\0' && !reader->failed; letter++)
    switch (*letter)
      {
      case 'R':
        *ret_encoding = (guint8) jank_dwarf_reader_fixed (reader, 1);
        break;
      case 'L':
        jank_dwarf_reader_fixed (reader, 1);
        break;
      case 'P':
        jank_dwarf_reader_pointer (reader, (guint8) jank_dwarf_reader_fixed (reader, 1));
        break;
      case 'S':
        fde->is_signal_frame = TRUE;
        break;
      default:
        break;
      }
  reader->at = end;
}

/* The common information entry. */
static gboolean
read_common (JankPageCache *pages, guint64 address, JankFde *fde, guint8 *ret_encoding, gboolean *ret_has_size)
{
  JankDwarfReader reader = { .pages = pages };
  char letters[MAX_AUGMENTATION_BYTES + 1] = "";
  guint64 version;

  enter (&reader, address);
  if (jank_dwarf_reader_fixed (&reader, 4) != 0)
    return FALSE;
  version = jank_dwarf_reader_fixed (&reader, 1);
  for (guint i = 0; i < MAX_AUGMENTATION_BYTES; i++)
    if ((letters[i] = (char) jank_dwarf_reader_fixed (&reader, 1)) == '\0')
      break;
  if ((version != 1 && version != 3) || letters[MAX_AUGMENTATION_BYTES - 1] != '\0')
    return FALSE;

  fde->code_align = jank_dwarf_reader_uleb (&reader);
  fde->data_align = jank_dwarf_reader_sleb (&reader);
  fde->return_reg = version == 1 ? jank_dwarf_reader_fixed (&reader, 1) : jank_dwarf_reader_uleb (&reader);
  *ret_encoding = 0;
  *ret_has_size = letters[0] == 'z';
  if (*ret_has_size)
    read_augmentation (&reader, letters + 1, fde, ret_encoding);
  else if (letters[0] != '\0')
    return FALSE;
  fde->common_at = reader.at;
  fde->common_end = reader.end;
  return !reader.failed && reader.at <= reader.end;
}

gboolean
jank_eh_frame_find (JankPageCache *pages, const JankModule *module, guint64 pc, JankFde *ret_fde)
{
  JankDwarfReader reader = { .pages = pages };
  JankFde fde = { 0 };
  guint64 address, word_at, distance;
  gboolean has_size;
  guint8 encoding;

  if (module->eh_frame_hdr == 0 || !find_entry (pages, module, pc, &address))
    return FALSE;
  word_at = enter (&reader, address);
  distance = jank_dwarf_reader_fixed (&reader, 4);
  if (reader.failed || distance == 0 || !read_common (pages, word_at - distance, &fde, &encoding, &has_size))
    return FALSE;

  fde.start = jank_dwarf_reader_pointer (&reader, encoding);
  fde.end = fde.start + jank_dwarf_reader_pointer (&reader, encoding & JANK_PE_FORMAT);
  if (has_size)
    jank_dwarf_reader_skip (&reader, jank_dwarf_reader_uleb (&reader));
  fde.at = reader.at;
  fde.end_at = reader.end;
  if (reader.failed || pc < fde.start || pc >= fde.end)
    return FALSE;
  *ret_fde = fde;
  return TRUE;
}
