/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "unwind/jank-call-record-private.h"

#include "unwind/jank-processor-private.h"

#define MAX_SEARCH_BYTES (32 * 1024)

/* JANK_CALL_NONE also outside of known code: the bytes of data may be those of a call. */
static JankCallKind
jank_call_record_classify (JankCodeMap *map, JankPageCache *pages, guint64 return_address, guint64 *ret_target)
{
  const JankModule *module = return_address >= JANK_MEMORY_PAGE_BYTES
                               ? jank_code_map_get (map, jank_code_map_find (map, return_address)) : NULL;

  if (module == NULL || return_address < module->code_start || return_address > module->code_end)
    return JANK_CALL_NONE;
  return jank_processor_classify_call (pages, return_address, ret_target);
}

/* How far the callee may have jumped on before it came to the function. */
typedef enum { JANK_REACH_NOWHERE, JANK_REACH_FILE, JANK_REACH_ANYWHERE } JankReach;

static gboolean
jank_call_record_fits (JankCodeMap *map, JankPageCache *pages, guint64 return_address, guint64 function,
                       JankReach reach)
{
  guint64 target = 0;
  JankCallKind kind = jank_call_record_classify (map, pages, return_address, &target);

  if (kind == JANK_CALL_NONE || kind == JANK_CALL_INDIRECT)
    return kind == JANK_CALL_INDIRECT && reach > JANK_REACH_NOWHERE;
  if (target == function || reach == JANK_REACH_NOWHERE)
    return target == function;
  if (kind == JANK_CALL_DIRECT)
    target = jank_processor_follow_plt (pages, target);
  return target != 0 && (reach == JANK_REACH_ANYWHERE ||
                         jank_code_map_find (map, target) == jank_code_map_find (map, function));
}

static gboolean
jank_call_record_read_record (const JankStackCopy *copy, guint64 at, JankCallRecord *ret_record)
{
  guint64 words[2];

  if (!jank_stack_copy_read (copy, at, words, sizeof words))
    return FALSE;
  *ret_record = (JankCallRecord) { .return_address = words[1] & JANK_CODE_BITS, .at = at, .frame_pointer = words[0] };
  return TRUE;
}

gboolean
jank_call_record_read (JankCodeMap *map, JankPageCache *pages, const JankStackCopy *copy, guint64 frame_pointer,
                       JankCallRecord *ret_record)
{
  guint64 target;

  return jank_call_record_read_record (copy, frame_pointer, ret_record) &&
         jank_call_record_classify (map, pages, ret_record->return_address, &target) != JANK_CALL_NONE;
}

gboolean
jank_call_record_find (JankCodeMap *map, JankPageCache *pages, const JankStackCopy *copy,
                       guint64 function, guint64 sp, JankCallRecord *ret_record)
{
  JankCallRecord by_prologue = { 0 };
  guint64 distance;
  gboolean has_prologue = jank_processor_read_prologue (pages, function, &distance) &&
                          jank_call_record_read (map, pages, copy, sp + distance, &by_prologue);

  *ret_record = by_prologue;
  if (has_prologue && jank_call_record_fits (map, pages, by_prologue.return_address, function, JANK_REACH_ANYWHERE))
    return TRUE;

  for (guint64 at = (sp + 7) & ~(guint64) 7; at - sp < MAX_SEARCH_BYTES &&
       jank_call_record_read_record (copy, at, ret_record); at += 8)
    {
      guint64 frame_pointer = ret_record->frame_pointer;

      /* Saved frame pointers point up the stack; the one at the base is 0. */
      if (frame_pointer > 1 && (frame_pointer <= at || (copy->base != 0 && frame_pointer >= copy->base)))
        continue;
      if (jank_call_record_fits (map, pages, ret_record->return_address, function,
                                 has_prologue ? JANK_REACH_NOWHERE : JANK_REACH_FILE))
        return TRUE;
    }
  /* The callee did something before it jumped on, as compilers end functions. */
  *ret_record = by_prologue;
  return has_prologue;
}

gboolean
jank_call_record_find_indirect (JankCodeMap *map, JankPageCache *pages, const JankStackCopy *copy, guint64 *at,
                                guint64 end, JankCallRecord *ret_record)
{
  guint64 address, target;

  while (*at < end && jank_stack_copy_read (copy, *at, &address, sizeof address))
    {
      JankCallKind kind = jank_call_record_classify (map, pages, address, &target);

      *at += sizeof address;
      if (kind != JANK_CALL_INDIRECT && kind != JANK_CALL_SLOT)
        continue;
      *ret_record = (JankCallRecord) { .return_address = address, .at = *at - 2 * sizeof address };
      return TRUE;
    }
  return FALSE;
}
