/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "unwind/jank-eh-frame-private.h"

#include <string.h>

#include "unwind/jank-processor-private.h"

#define MAX_LEB_BYTES   10
#define MAX_LETTERS     8
#define MAX_KEPT        4  /* letters that libunwind reads; it ignores the rest */
#define MAX_REMEMBERED  64 /* states: libunwind never gives their memory back */

/* DW_EH_PE_* (LSB Core 10.5) */
enum { PE_FORMAT = 0x0f, PE_BASE = 0x70, PE_ALIGNED = 0x50, PE_OMIT = 0xff };

/* DW_CFA_* (DWARF 5, 6.4.2). Those with one of the two high bits hold an operand in the others. */
enum { CFA_HIGH = 0xc0, CFA_ADVANCE = 0x40, CFA_OFFSET = 0x80, CFA_NOP = 0x00, CFA_ADVANCE1 = 0x02, CFA_ADVANCE4 = 0x04,
       CFA_REMEMBER = 0x0a, CFA_RESTORE_STATE = 0x0b, CFA_DEF_CFA = 0x0c, CFA_DEF_CFA_EXPRESSION = 0x0f,
       CFA_DEF_CFA_SF = 0x12, CFA_AARCH64_NEGATE_RA_STATE = 0x2d };

/* Operands of the instructions without high bits. Digit: that many bytes; u: LEB128 of either sign; r: a register as
 * LEB128; b: a block. Other instructions are refused, and DW_CFA_set_loc, which no compiler writes. */
static const char *const operands[] = {
  [0x00] = "", [0x02] = "1", [0x03] = "2", [0x04] = "4", [0x05] = "uu", [0x06] = "u", [0x07] = "u", [0x08] = "u",
  [0x09] = "rr", [0x0a] = "", [0x0b] = "", [0x0c] = "ru", [0x0d] = "r", [0x0e] = "u", [0x0f] = "b", [0x10] = "ub",
  [0x11] = "uu", [0x12] = "ru", [0x13] = "u", [0x14] = "uu", [0x15] = "uu", [0x16] = "ub", [0x2d] = "", [0x2e] = "u",
  [0x2f] = "uu",
};

/* .eh_frame_hdr in the one form that linkers write: a sorted table of pairs of 32-bit offsets from its own start. */
typedef struct
{
  guint8  version, frame_encoding, count_encoding, table_encoding;
  gint32  frame;
  guint32 n_entries;
} Header;

typedef struct
{
  gint32 start, fde;
} Pair;

typedef struct
{
  guint8       *at;
  const guint8 *end;
  gboolean      failed; /* from then on everything reads as 0 */
} Cursor;

static void
jank_eh_frame_skip (Cursor *self, guint64 n_bytes)
{
  if (self->failed || n_bytes > (guint64) (self->end - self->at))
    self->failed = TRUE;
  else
    self->at += n_bytes;
}

static guint64
jank_eh_frame_read_fixed (Cursor *self, gsize n_bytes)
{
  const guint8 *from = self->at;
  guint64 value = 0; /* little-endian: the low bytes come first */

  jank_eh_frame_skip (self, n_bytes);
  if (!self->failed)
    memcpy (&value, from, n_bytes);
  return value;
}

static guint64
jank_eh_frame_read_leb (Cursor *self)
{
  guint64 value = 0;
  guint8 byte = 0x80;

  for (guint i = 0; i < MAX_LEB_BYTES && (byte & 0x80) != 0; i++)
    {
      byte = (guint8) jank_eh_frame_read_fixed (self, 1);
      value |= (guint64) (byte & 0x7f) << (7 * i);
    }
  self->failed |= (byte & 0x80) != 0;
  return value;
}

static guint64
jank_eh_frame_read_pointer (Cursor *self, guint8 encoding)
{
  static const guint8 sizes[16] = { [0x0] = 8, [0x2] = 2, [0x3] = 4, [0x4] = 8, [0xa] = 2, [0xb] = 4, [0xc] = 8 };
  guint8 size = sizes[encoding & PE_FORMAT];

  if (encoding == PE_OMIT)
    return 0;
  self->failed |= size == 0 || (encoding & PE_BASE) == PE_ALIGNED;
  return jank_eh_frame_read_fixed (self, size);
}

/* Begins behind the entry's length. */
static Cursor
jank_eh_frame_enter (JankEhEntry *entry)
{
  guint8 *start = entry->bytes + entry->address % 8;
  Cursor cursor = { start, start + MIN (entry->n_bytes, JANK_EH_ENTRY_MAX_BYTES), FALSE };

  cursor.failed = jank_eh_frame_read_fixed (&cursor, 4) + 4 != entry->n_bytes;
  return cursor;
}

/* Reads an augmentation by its letters, as libunwind does. Its stated size must agree. */
static void
jank_eh_frame_read_augmentation (Cursor *cursor, const char *letters, guint8 *ret_encoding,
                                 gboolean *ret_is_signal_frame)
{
  guint64 n_bytes = jank_eh_frame_read_leb (cursor);
  const guint8 *start = cursor->at;

  for (guint i = 1; letters[i] != '\0'; i++)
    if (letters[i] == 'S')
      *ret_is_signal_frame = TRUE;
    else if (letters[i] == 'R' && i < MAX_KEPT)
      *ret_encoding = (guint8) jank_eh_frame_read_fixed (cursor, 1);
    else if (letters[i] == 'L' && i < MAX_KEPT)
      jank_eh_frame_skip (cursor, 1);
    else if (letters[i] == 'P' && i < MAX_KEPT)
      jank_eh_frame_read_pointer (cursor, (guint8) jank_eh_frame_read_fixed (cursor, 1));
    else
      cursor->failed |= letters[i] != 'B';
  cursor->failed |= (guint64) (cursor->at - start) != n_bytes;
}

/* The common entry up to its instructions. */
static void
jank_eh_frame_read_common (Cursor *cursor, guint8 *ret_encoding, gboolean *ret_is_signal_frame)
{
  char letters[MAX_LETTERS + 1] = "";
  guint64 id = jank_eh_frame_read_fixed (cursor, 4);
  guint64 version = jank_eh_frame_read_fixed (cursor, 1);
  guint64 return_register;

  for (guint i = 0; i <= MAX_LETTERS && (letters[i] = (char) jank_eh_frame_read_fixed (cursor, 1)) != '\0'; i++)
    cursor->failed |= i == MAX_LETTERS;
  jank_eh_frame_read_leb (cursor);
  jank_eh_frame_read_leb (cursor);
  return_register = version == 1 ? jank_eh_frame_read_fixed (cursor, 1) : jank_eh_frame_read_leb (cursor);
  cursor->failed |= id != 0 || (version != 1 && version != 3) || letters[0] != 'z' ||
                    return_register != JANK_REG_RETURN;
  if (!cursor->failed)
    jank_eh_frame_read_augmentation (cursor, letters, ret_encoding, ret_is_signal_frame);
}

static void
jank_eh_frame_skip_operands (Cursor *cursor, const char *kinds)
{
  for (; *kinds != '\0'; kinds++)
    if (*kinds == 'b')
      jank_eh_frame_skip (cursor, jank_eh_frame_read_leb (cursor));
    else if (*kinds == 'r')
      cursor->failed |= jank_eh_frame_read_leb (cursor) >= JANK_N_REGS;
    else if (*kinds == 'u')
      jank_eh_frame_read_leb (cursor);
    else
      jank_eh_frame_skip (cursor, (guint64) (*kinds - '0'));
}

/* has_cfa: whether the CFA is defined. libunwind assumes so in every row.
 *
 * That return addresses are signed from here on (pointer authentication) is hidden from libunwind, which knows it
 * since 1.8 only: the signature is taken off every return address (JANK_CODE_BITS). */
static void
jank_eh_frame_check_instructions (Cursor *cursor, gboolean *has_cfa)
{
  guint n_remembered = 0;

  while (cursor->at < cursor->end && !cursor->failed)
    {
      guint8 byte = (guint8) jank_eh_frame_read_fixed (cursor, 1);
      guint8 high = byte & CFA_HIGH;

      if (high == CFA_OFFSET)
        jank_eh_frame_read_leb (cursor);
      if (high == 0 && (byte >= G_N_ELEMENTS (operands) || operands[byte] == NULL))
        cursor->failed = TRUE;
      else if (high == 0)
        jank_eh_frame_skip_operands (cursor, operands[byte]);

      if (byte == CFA_DEF_CFA || byte == CFA_DEF_CFA_SF || byte == CFA_DEF_CFA_EXPRESSION)
        *has_cfa = TRUE;
      else if (high == CFA_ADVANCE || (byte >= CFA_ADVANCE1 && byte <= CFA_ADVANCE4))
        cursor->failed |= !*has_cfa;
      else if (byte == CFA_AARCH64_NEGATE_RA_STATE)
        cursor->at[-1] = CFA_NOP;
      else if (byte == CFA_REMEMBER)
        cursor->failed |= !*has_cfa || n_remembered++ == MAX_REMEMBERED;
      else if (byte == CFA_RESTORE_STATE)
        cursor->failed |= n_remembered-- == 0;
    }
}

/* libunwind trusts its tables: it indexes by the register of DW_CFA_register and by the return column without a
 * check. */
static gboolean
jank_eh_frame_check_fde (JankFde *fde)
{
  Cursor own = jank_eh_frame_enter (&fde->own), common = jank_eh_frame_enter (&fde->common);
  guint8 encoding = 0;
  gboolean has_cfa = FALSE;

  fde->is_signal_frame = FALSE;
  jank_eh_frame_read_common (&common, &encoding, &fde->is_signal_frame);
  jank_eh_frame_check_instructions (&common, &has_cfa);

  jank_eh_frame_skip (&own, 4);
  jank_eh_frame_read_pointer (&own, encoding);
  fde->n_code_bytes = jank_eh_frame_read_pointer (&own, encoding & PE_FORMAT);
  jank_eh_frame_skip (&own, jank_eh_frame_read_leb (&own));
  jank_eh_frame_check_instructions (&own, &has_cfa);
  return has_cfa && !own.failed && !common.failed;
}

/* The last pair that begins at pc or before. */
static gboolean
jank_eh_frame_find_pair (JankPageCache *pages, guint64 eh_frame_hdr, guint64 pc, guint64 *ret_address, Pair *ret_pair)
{
  guint64 table = eh_frame_hdr + sizeof (Header);
  guint32 low = 0, high;
  Header header;

  if (!jank_page_cache_read (pages, eh_frame_hdr, &header, sizeof header) ||
      header.version != 1 || header.count_encoding != 0x03 || header.table_encoding != 0x3b || header.n_entries == 0)
    return FALSE;
  for (high = header.n_entries; high - low > 1;)
    {
      guint32 middle = low + (high - low) / 2;

      if (!jank_page_cache_read (pages, table + (guint64) middle * sizeof *ret_pair, ret_pair, sizeof *ret_pair))
        return FALSE;
      if (eh_frame_hdr + (guint64) (gint64) ret_pair->start <= pc)
        low = middle;
      else
        high = middle;
    }
  *ret_address = table + (guint64) low * sizeof *ret_pair;
  return jank_page_cache_read (pages, *ret_address, ret_pair, sizeof *ret_pair);
}

static gboolean
jank_eh_frame_copy_entry (JankPageCache *pages, guint64 address, JankEhEntry *entry)
{
  guint64 from = address & ~(guint64) 7;
  guint32 length;

  if (!jank_page_cache_read (pages, address, &length, sizeof length) ||
      length > JANK_EH_ENTRY_MAX_BYTES - sizeof length)
    return FALSE;
  entry->address = address;
  entry->n_bytes = length + (guint32) sizeof length;
  return jank_page_cache_read (pages, from, entry->bytes, (address - from + entry->n_bytes + 7) & ~(guint64) 7);
}

gboolean
jank_eh_frame_find (JankPageCache *pages, guint64 eh_frame_hdr, guint64 pc, JankFde *ret_fde)
{
  JankEhEntry *own = &ret_fde->own;
  guint32 distance;
  Pair pair;

  if (eh_frame_hdr == 0 || !jank_eh_frame_find_pair (pages, eh_frame_hdr, pc, &ret_fde->pair, &pair) ||
      !jank_eh_frame_copy_entry (pages, eh_frame_hdr + (guint64) (gint64) pair.fde, own))
    return FALSE;
  memcpy (&distance, own->bytes + own->address % 8 + 4, sizeof distance);
  ret_fde->function = eh_frame_hdr + (guint64) (gint64) pair.start;
  return distance != 0 && jank_eh_frame_copy_entry (pages, own->address + 4 - distance, &ret_fde->common) &&
         jank_eh_frame_check_fde (ret_fde) && pc - ret_fde->function < ret_fde->n_code_bytes;
}
