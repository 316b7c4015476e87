/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "sample/jank-frame-record-private.h"

#include <string.h>

#include "sample/jank-stack-copy-private.h"

#define MAX_SEARCH_BYTES (32 * 1024)
#define CALL_BYTES       7

typedef enum { CALL_NONE, CALL_INDIRECT, CALL_DIRECT } CallKind;

/* `call rel32` is E8 and four bytes; `call *r/m` is FF /2 with two to seven bytes (Intel SDM, CALL). */
static CallKind
classify_call (JankPageCache *pages, guint64 return_address, guint64 *ret_target)
{
  guint8 code[CALL_BYTES];
  gint32 offset;

  if (!jank_page_cache_read (pages, return_address - CALL_BYTES, code, CALL_BYTES))
    return CALL_NONE;
  if (code[CALL_BYTES - 5] == 0xe8)
    {
      memcpy (&offset, code + CALL_BYTES - 4, sizeof offset);
      *ret_target = return_address + (gint64) offset;
      return CALL_DIRECT;
    }
  for (guint n = 2; n <= CALL_BYTES; n++)
    if (code[CALL_BYTES - n] == 0xff && (code[CALL_BYTES - n + 1] & 0x38) == 0x10)
      return CALL_INDIRECT;
  return CALL_NONE;
}

/* A PLT entry: an indirect jump, maybe behind `endbr64`. */
static gboolean
is_plt_entry (JankPageCache *pages, guint64 address)
{
  static const guint8 endbr64[4] = { 0xf3, 0x0f, 0x1e, 0xfa };
  guint8 code[8];
  guint at;

  if (!jank_page_cache_read (pages, address, code, sizeof code))
    return FALSE;
  at = memcmp (code, endbr64, sizeof endbr64) == 0 ? sizeof endbr64 : 0;
  at += code[at] == 0xf2; /* bnd */
  return code[at] == 0xff && code[at + 1] == 0x25;
}

static gboolean
fits (JankCodeMap *map, JankPageCache *pages, guint64 return_address, guint64 function)
{
  guint64 target = 0;

  if (return_address < 4096 || jank_code_map_find (map, return_address) == JANK_MODULE_NONE)
    return FALSE;
  switch (classify_call (pages, return_address, &target))
    {
    case CALL_DIRECT:   return target == function || is_plt_entry (pages, target);
    case CALL_INDIRECT: return TRUE;
    default:            return FALSE;
    }
}

/* How far above the stack pointer the record is, once the prologue has run, in the form that compilers
 * give it: [endbr64] push %rbp; mov %rsp,%rbp; push …; sub $n,%rsp. False for any other. */
static gboolean
read_prologue (JankPageCache *pages, guint64 function, guint64 *ret_distance)
{
  static const guint8 endbr64[4] = { 0xf3, 0x0f, 0x1e, 0xfa };
  static const guint8 set_frame[2][4] = { { 0x55, 0x48, 0x89, 0xe5 }, { 0x55, 0x48, 0x8b, 0xec } };
  guint8 code[32];
  guint64 distance = 0;
  gint32 n_bytes;
  guint at;

  if (!jank_page_cache_read (pages, function, code, sizeof code))
    return FALSE;
  at = memcmp (code, endbr64, sizeof endbr64) == 0 ? sizeof endbr64 : 0;
  if (memcmp (code + at, set_frame[0], 4) != 0 && memcmp (code + at, set_frame[1], 4) != 0)
    return FALSE;
  at += 4;

  /* push %rbx is 53; push %r12 to %r15 is 41 54 to 41 57. */
  for (;; distance += 8)
    if (code[at] == 0x53)
      at += 1;
    else if (code[at] == 0x41 && code[at + 1] >= 0x54 && code[at + 1] <= 0x57)
      at += 2;
    else
      break;

  if (code[at] == 0x48 && code[at + 1] == 0x83 && code[at + 2] == 0xec)
    distance += code[at + 3];
  else if (code[at] == 0x48 && code[at + 1] == 0x81 && code[at + 2] == 0xec)
    {
      memcpy (&n_bytes, code + at + 3, sizeof n_bytes);
      if (n_bytes < 0)
        return FALSE;
      distance += (guint64) n_bytes;
    }
  *ret_distance = distance;
  return TRUE;
}

static gboolean
read_record (const JankStackCopy *copy, guint64 at, JankFrameRecord *ret_record)
{
  guint64 words[2];

  if (!jank_stack_copy_read (copy, at, words, sizeof words))
    return FALSE;
  *ret_record = (JankFrameRecord) { .return_address = words[1], .sp = at + sizeof words, .frame_pointer = words[0] };
  return TRUE;
}

gboolean
jank_frame_record_find (JankCodeMap *map, JankPageCache *pages, const JankStackCopy *copy,
                        guint64 function, guint64 sp, JankFrameRecord *ret_record)
{
  guint64 distance;

  if (read_prologue (pages, function, &distance) && read_record (copy, sp + distance, ret_record) &&
      fits (map, pages, ret_record->return_address, function))
    return TRUE;

  for (guint64 at = (sp + 7) & ~(guint64) 7; at - sp < MAX_SEARCH_BYTES && read_record (copy, at, ret_record); at += 8)
    {
      guint64 frame_pointer = ret_record->frame_pointer;

      /* In code that keeps frame pointers they point up the stack, or to nothing at its base. */
      if (frame_pointer > 1 && (frame_pointer <= at || (copy->base != 0 && frame_pointer >= copy->base)))
        continue;
      if (fits (map, pages, ret_record->return_address, function))
        return TRUE;
    }
  return FALSE;
}
