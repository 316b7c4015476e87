/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "unwind/jank-processor-private.h"

#include <string.h>

#include "base/jank-memory-private.h"

#define CALL_BYTES 7

static const guint8 endbr64[4] = { 0xf3, 0x0f, 0x1e, 0xfa };

/* Whether code is `call *r/m` of exactly n_bytes: FF /2, whose ModRM and SIB bytes give the length. */
static gboolean
jank_processor_x86_64_is_indirect_call (const guint8 *code, guint n_bytes)
{
  guint mod = code[1] >> 6, rm = code[1] & 7;
  gboolean has_sib = mod != 3 && rm == 4;
  guint expected = has_sib ? 3 : 2;

  if (code[0] != 0xff || (code[1] & 0x38) != 0x10 || n_bytes < expected)
    return FALSE;
  if (mod == 1)
    expected += 1;
  else if (mod == 2 || (mod == 0 && (has_sib ? (code[2] & 7) == 5 : rm == 5)))
    expected += 4;
  return n_bytes == expected;
}

/* `call rel32` is E8 and four bytes; `call *r/m` is FF /2 and two to seven bytes long; `call *slot(%rip)` among
 * those is FF 15 (Intel SDM, CALL). */
JankCallKind
jank_processor_classify_call (JankPageCache *pages, guint64 return_address, guint64 *ret_target)
{
  guint8 code[CALL_BYTES];
  gint32 offset;

  if (!jank_page_cache_read (pages, return_address - CALL_BYTES, code, CALL_BYTES))
    return JANK_CALL_NONE;
  if (code[CALL_BYTES - 5] == 0xe8)
    {
      memcpy (&offset, code + CALL_BYTES - 4, sizeof offset);
      *ret_target = return_address + (gint64) offset;
      return JANK_CALL_DIRECT;
    }
  if (code[CALL_BYTES - 6] == 0xff && code[CALL_BYTES - 5] == 0x15)
    {
      memcpy (&offset, code + CALL_BYTES - 4, sizeof offset);
      /* Past the cache: the loader fills the slot on the first call. */
      if (jank_memory_read_all (return_address + (guint64) (gint64) offset, ret_target, sizeof *ret_target))
        return JANK_CALL_SLOT;
    }
  for (guint n = 2; n <= CALL_BYTES; n++)
    if (jank_processor_x86_64_is_indirect_call (code + CALL_BYTES - n, n))
      return JANK_CALL_INDIRECT;
  return JANK_CALL_NONE;
}

/* An indirect jump, maybe behind `endbr64`. */
guint64
jank_processor_follow_plt (JankPageCache *pages, guint64 address)
{
  guint8 code[16];
  gint32 offset;
  guint64 target;
  guint at;

  if (!jank_page_cache_read (pages, address, code, sizeof code))
    return 0;
  at = memcmp (code, endbr64, sizeof endbr64) == 0 ? sizeof endbr64 : 0;
  at += code[at] == 0xf2; /* bnd */
  if (code[at] != 0xff || code[at + 1] != 0x25)
    return 0;
  memcpy (&offset, code + at + 2, sizeof offset);
  /* Past the cache: the loader fills the slot on the first call. */
  return jank_memory_read_all (address + at + 6 + (guint64) (gint64) offset, &target, sizeof target) ? target : 0;
}

gboolean
jank_processor_is_in_plt (JankPageCache *pages, guint64 pc)
{
  return FALSE;
}

/* Returns: the length of push %rbx (53) or push %r12 to %r15 (41 54 to 41 57); 0 for any other */
static guint
jank_processor_x86_64_measure_push (const guint8 *code)
{
  if (code[0] == 0x53)
    return 1;
  return code[0] == 0x41 && code[1] >= 0x54 && code[1] <= 0x57 ? 2 : 0;
}

/* Returns: the length of a `mov` from one register to another that changes neither stack nor frame pointer; 0 for
 * any other */
static guint
jank_processor_x86_64_measure_register_move (const guint8 *code)
{
  guint at = (code[0] & 0xf0) == 0x40 ? 1 : 0;
  guint rex = at == 1 ? code[0] : 0;
  guint rm = (code[at + 1] & 7) | (rex & 1) << 3, reg = (code[at + 1] >> 3 & 7) | (rex & 4) << 1;
  guint destination = code[at] == 0x89 ? rm : reg;

  if ((code[at] != 0x89 && code[at] != 0x8b) || code[at + 1] < 0xc0 || destination == 4 || destination == 5)
    return 0;
  return at + 2;
}

/* [endbr64] push %rbp; mov %rsp,%rbp; push …; [and $-16,%rsp]; sub $n,%rsp, with moves of arguments between the pushes.
 * The record is aligned: so is the stack where a function is called. */
gboolean
jank_processor_read_prologue (JankPageCache *pages, guint64 function, guint64 *ret_distance)
{
  guint8 code[56];
  guint64 distance = 0;
  gint32 n_bytes;
  guint at, n;

  if (!jank_page_cache_read (pages, function, code, sizeof code))
    return FALSE;
  at = memcmp (code, endbr64, sizeof endbr64) == 0 ? sizeof endbr64 : 0;
  if (memcmp (code + at, "\x55\x48\x89\xe5", 4) != 0 && memcmp (code + at, "\x55\x48\x8b\xec", 4) != 0)
    return FALSE;

  for (at += 4, n = 1; n > 0 && at < sizeof code - 16; at += n)
    {
      guint n_push = jank_processor_x86_64_measure_push (code + at);

      n = n_push > 0 ? n_push : jank_processor_x86_64_measure_register_move (code + at);
      distance += n_push > 0 ? 8 : 0;
    }
  if (memcmp (code + at, "\x48\x83\xe4\xf0", 4) == 0)
    {
      distance = (distance + 15) & ~G_GUINT64_CONSTANT (15);
      at += 4;
    }
  memcpy (&n_bytes, code + at + 3, sizeof n_bytes);
  if (memcmp (code + at, "\x48\x83\xec", 3) == 0)
    distance += code[at + 3];
  else if (memcmp (code + at, "\x48\x81\xec", 3) == 0)
    distance += (guint64) MAX (n_bytes, 0);
  *ret_distance = distance;
  return TRUE;
}

guint64
jank_processor_find_context (JankPageCache *pages, guint64 pc, guint64 sp)
{
  return 0;
}

/* A call pushes the return address, the function the frame pointer. */
guint64
jank_processor_find_sp (JankPageCache *pages, guint64 record, guint64 frame_pointer, guint64 function)
{
  return record + 16;
}
