/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Instructions are those of the Arm Architecture Reference Manual (A-profile), C6.2. */

#include "unwind/jank-processor-private.h"

#include "base/jank-memory-private.h"

#define WORD_BYTES     4
#define PROLOGUE_WORDS 24

/* signal frame (arch/arm64, struct rt_sigframe): siginfo of 128 bytes; in ucontext, flags, link, stack, 128 bytes of
 * mask, and, from a multiple of 16, the fault's address before the registers. */
#define CONTEXT_BYTES (128 + 176 + 8)

/* The signed number in n_bits of an instruction from bit `from`. */
static gint64
jank_processor_aarch64_get_signed (guint32 word, guint from, guint n_bits)
{
  return (gint64) ((guint64) word << (64 - from - n_bits)) >> (64 - n_bits);
}

static gboolean
jank_processor_aarch64_read_word (JankPageCache *pages, guint64 address, guint32 *ret_word)
{
  return address % WORD_BYTES == 0 && jank_page_cache_read (pages, address, ret_word, sizeof *ret_word);
}

/* `bl`; `blr` and its kin that check a signature. */
JankCallKind
jank_processor_classify_call (JankPageCache *pages, guint64 return_address, guint64 *ret_target)
{
  guint64 at = return_address - WORD_BYTES;
  guint32 word;

  if (!jank_processor_aarch64_read_word (pages, at, &word))
    return JANK_CALL_NONE;
  if ((word & 0xfc000000) == 0x94000000)
    {
      *ret_target = at + (guint64) jank_processor_aarch64_get_signed (word, 0, 26) * WORD_BYTES;
      return JANK_CALL_DIRECT;
    }
  return (word & 0xfefff000) == 0xd63f0000 ? JANK_CALL_INDIRECT : JANK_CALL_NONE;
}

/* [bti c]; adrp x16, page; ldr x17, [x16, #offset]; … */
guint64
jank_processor_follow_plt (JankPageCache *pages, guint64 address)
{
  guint32 words[3];
  guint64 page, target;
  guint at;

  if (address % WORD_BYTES != 0 || !jank_page_cache_read (pages, address, words, sizeof words))
    return 0;
  at = words[0] == 0xd503245f ? 1 : 0;
  if ((words[at] & 0x9f00001f) != 0x90000010 || (words[at + 1] & 0xffc003ff) != 0xf9400211)
    return 0;
  page = (guint64) jank_processor_aarch64_get_signed (words[at], 5, 19) << 2 | (words[at] >> 29 & 3);
  page = ((address + at * WORD_BYTES) >> 12 << 12) + (page << 12);
  /* Past the cache: the loader fills the slot on the first call. */
  return jank_memory_read_all (page + (words[at + 1] >> 10 & 0xfff) * 8, &target, sizeof target) ? target : 0;
}

/* Behind the two come an `add` and the `br`. */
gboolean
jank_processor_is_in_plt (JankPageCache *pages, guint64 pc)
{
  for (guint64 at = pc; at != pc - 5 * WORD_BYTES; at -= WORD_BYTES)
    if (jank_processor_follow_plt (pages, at) != 0)
      return TRUE;
  return FALSE;
}

static gboolean
jank_processor_aarch64_ends_prologue (guint32 word)
{
  return (word & 0x7c000000) == 0x14000000 || (word & 0x7c000000) == 0x34000000 || (word & 0xff000000) == 0x54000000 ||
         (word & 0xff000000) == 0xd4000000 || (word & 0xfe000000) == 0xd6000000;
}

/* stp x29, x30, [sp, #-n]! or, behind sub sp, sp, #n, stp x29, x30, [sp, #m]: with other instructions between and
 * after. */
gboolean
jank_processor_read_prologue (JankPageCache *pages, guint64 function, guint64 *ret_distance)
{
  gboolean has_record = FALSE;
  guint64 distance = 0;
  guint32 word;

  for (guint i = 0; i < PROLOGUE_WORDS &&
       jank_processor_aarch64_read_word (pages, function + i * WORD_BYTES,
                                         &word) && !jank_processor_aarch64_ends_prologue (word); i++)
    {
      gboolean stores = (word & 0xffc07fff) == 0xa9007bfd, pushes = (word & 0xffc07fff) == 0xa9807bfd;

      if (stores || pushes)
        {
          has_record = TRUE;
          distance = stores ? (guint64) jank_processor_aarch64_get_signed (word, 15, 7) * 8 : 0;
        }
      else if (has_record && (word & 0xff8003ff) == 0xd10003ff)
        distance += (guint64) (word >> 10 & 0xfff) << ((word >> 22 & 1) * 12);
    }
  *ret_distance = distance;
  return has_record && (gint64) distance >= 0;
}

/* mov x8, #139; svc #0: rt_sigreturn(). The kernel's has no tables, so that nobody unwinds it by them. */
guint64
jank_processor_find_context (JankPageCache *pages, guint64 pc, guint64 sp)
{
  static const guint32 trampoline[2] = { 0xd2801168, 0xd4000001 };
  guint32 words[2];

  return pc % WORD_BYTES == 0 && jank_page_cache_read (pages, pc, words, sizeof words) && words[0] == trampoline[0] &&
         words[1] == trampoline[1] ? sp + CONTEXT_BYTES : 0;
}

/* A record is at the lower end of its frame or above what the frame has for the functions that it calls: the
 * caller's stack pointer is as far below the caller's own record. */
guint64
jank_processor_find_sp (JankPageCache *pages, guint64 record, guint64 frame_pointer, guint64 function)
{
  guint64 least = record + 16, distance;

  if (function == 0 || frame_pointer < least || !jank_processor_read_prologue (pages, function, &distance) ||
      distance > frame_pointer - least)
    return least;
  return frame_pointer - distance;
}
