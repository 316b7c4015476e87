/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: SpiderMonkey's notes of lines. A note is a byte of kind and distance in code from the note before;
 * operands follow, of 1 byte or of 4. Compiled code has a table of its calls, whose entries lead to bytecode. */

#include "javascript/jank-engine-private.h"

#include "base/jank-memory-private.h"

/* Before the bytecode. The notes behind it end where offsets of optional arrays begin, whose number is in two bits of
 * the header's last byte. */
#define HEADER_BYTES 33
enum { HEAD_END, HEAD_CODE };
#define OPTIONAL_AT    32
#define OPTIONAL_SHIFT 4
#define OPTIONAL_MASK  3
#define OPTIONAL_BYTES 4
#define MAX_BYTES    (1 << 24)

/* Compiled code: words before its table of calls, offsets of the table's begin and end in two of their halves; of an
 * entry, where the call returns to in the low half, and its place in the bytecode in the high one, below four bits. */
enum { COMPILED_BEGIN = 4, COMPILED_END = 4, COMPILED_WORDS = 7 };
#define COMPILED_PLACE 0xfffffff

/* Of a byte of a note: it is nothing but a distance. Of an operand: three bytes follow. */
#define IS_LONG 0x80

/* Kinds of notes that say something of lines, or have operands. */
typedef struct
{
  uint8_t n_operands[8];
  uint8_t next, next_with_column, set, set_with_column; /* lines; 0xff: no such kind */
  bool    ends_with_zero;
} Notes;

static const Notes notes_with_lines = { { 0, 0, 1, 0, 1, 0, 0, 0 }, 3, 0xff, 4, 0xff, true };
static const Notes notes_with_columns = { { 1, 0, 1, 1, 2, 0, 0, 0 }, 1, 2, 3, 4, false };

typedef struct
{
  uint64_t at, end;
  uint32_t n, used;
  uint8_t  bytes[512];
} Bytes;

static bool
jank_engine_next_byte (Bytes *self, uint8_t *ret_byte)
{
  if (self->used == self->n)
    {
      self->n = (uint32_t) (self->end - self->at < sizeof self->bytes ? self->end - self->at : sizeof self->bytes);
      self->used = 0;
      if (self->n == 0 || !jank_memory_read_all (self->at, self->bytes, self->n))
        return false;
      self->at += self->n;
    }
  *ret_byte = self->bytes[self->used++];
  return true;
}

static bool
jank_engine_next_operand (Bytes *self, uint32_t *ret_operand)
{
  uint8_t byte;

  if (!jank_engine_next_byte (self, &byte))
    return false;
  *ret_operand = byte;
  if ((byte & IS_LONG) == 0)
    return true;
  *ret_operand &= IS_LONG - 1;
  for (int i = 0; i < 3; i++)
    {
      if (!jank_engine_next_byte (self, &byte))
        return false;
      *ret_operand = *ret_operand << 8 | byte;
    }
  return true;
}

/* Returns: the line after the note */
static bool
jank_engine_follow_note (Bytes *bytes, const Notes *notes, uint8_t kind, uint32_t first_line, uint32_t *line)
{
  uint32_t operands[2];

  for (int i = 0; i < notes->n_operands[kind]; i++)
    if (!jank_engine_next_operand (bytes, &operands[i]))
      return false;
  if (kind == notes->next || kind == notes->next_with_column)
    (*line)++;
  else if (kind == notes->set || kind == notes->set_with_column)
    *line = first_line + operands[0];
  return true;
}

static bool
jank_engine_read_head (uint64_t code, uint64_t *ret_address, uint32_t *ret_head)
{
  uint64_t words[2];

  if (!jank_memory_read_all (code, words, sizeof words) ||
      !jank_memory_read_all (words[1], ret_head, 2 * sizeof *ret_head))
    return false;
  *ret_address = words[1];
  return ret_head[HEAD_END] <= MAX_BYTES && ret_head[HEAD_CODE] <= MAX_BYTES &&
         ret_head[HEAD_END] >= HEADER_BYTES + ret_head[HEAD_CODE];
}

bool
jank_engine_find_place (uint64_t code, uint64_t pc, uint32_t *ret_place)
{
  uint64_t address;
  uint32_t head[2];

  if (!jank_engine_read_head (code, &address, head) || pc - address - HEADER_BYTES >= head[HEAD_CODE])
    return false;
  *ret_place = (uint32_t) (pc - address - HEADER_BYTES);
  return true;
}

bool
jank_engine_find_compiled_place (uint64_t compiled, uint64_t returns, uint32_t *ret_place)
{
  uint64_t words[COMPILED_WORDS], code, entries[64];
  uint32_t begin, end;

  if (!jank_memory_read_all (compiled, words, sizeof words) || !jank_memory_read_all (words[0], &code, sizeof code))
    return false;
  begin = (uint32_t) words[COMPILED_BEGIN];
  end = (uint32_t) (words[COMPILED_END] >> 32);
  if (begin != sizeof words || end < begin || end > MAX_BYTES)
    return false;
  for (uint32_t n; begin + sizeof *entries <= end; begin += n * (uint32_t) sizeof *entries)
    {
      n = (end - begin) / (uint32_t) sizeof *entries;
      n = n < sizeof entries / sizeof *entries ? n : sizeof entries / sizeof *entries;
      if (!jank_memory_read_all (compiled + begin, entries, n * sizeof *entries))
        return false;
      for (uint32_t i = 0; i < n; i++)
        if (code + (uint32_t) entries[i] == returns)
          {
            *ret_place = (uint32_t) (entries[i] >> 32) & COMPILED_PLACE;
            return true;
          }
    }
  return false;
}

bool
jank_engine_find_line (uint64_t code, bool has_columns, uint32_t place, uint32_t first_line, uint32_t *ret_line)
{
  const Notes *notes = has_columns ? &notes_with_columns : &notes_with_lines;
  uint32_t head[2], line = first_line;
  uint64_t address, at = 0;
  Bytes bytes = { 0 };
  uint8_t note, optional;

  if (!jank_engine_read_head (code, &address, head) || place >= head[HEAD_CODE] ||
      !jank_memory_read_all (address + OPTIONAL_AT, &optional, sizeof optional))
    return false;
  bytes.at = address + HEADER_BYTES + head[HEAD_CODE];
  bytes.end = address + head[HEAD_END] - OPTIONAL_BYTES * (optional >> OPTIONAL_SHIFT & OPTIONAL_MASK);
  if (bytes.end < bytes.at)
    return false;
  while (jank_engine_next_byte (&bytes, &note) && !(note == 0 && notes->ends_with_zero))
    {
      at += note & IS_LONG ? note & (IS_LONG - 1) : note & 15;
      if (at > place)
        break;
      if ((note & IS_LONG) == 0 && !jank_engine_follow_note (&bytes, notes, note >> 4, first_line, &line))
        break;
    }
  *ret_line = line;
  return true;
}
