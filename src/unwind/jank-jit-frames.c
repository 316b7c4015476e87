/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: SpiderMonkey's frames. */

#include "unwind/jank-call-record-private.h"

#include <string.h>

#include "unwind/jank-engine-layout-private.h"
#include "unwind/jank-processor-private.h"

/* How far above the stack pointer the innermost frame may be: what it has for itself, or an alignment. */
#define MAX_SEARCH_BYTES (16 * 1024)
/* Looked at in all: where the copy ends before the entry, each frame would be a beginning. */
#define MAX_FRAMES       4096

#define TYPE_MASK  15
#define TYPE_ENTRY 3 /* the caller is the trampoline */
#define MAX_TYPE   11

/* A frame begins, from low addresses to high: [frame pointer], return address, descriptor. */

/* Sizes of mozjs 102's descriptor. */
#define HEADER_WORDS(descriptor) ((descriptor) >> 4 & 7)
#define FRAME_BYTES(descriptor)  ((descriptor) >> 8)

/* The frame at: its descriptor, and where its caller's is. */
static gboolean
jank_jit_frames_read_frame (const JankEngineLayout *layout, JankCodeMap *map, const JankStackCopy *copy, guint64 at,
                            guint64 *ret_descriptor, guint64 *ret_caller)
{
  guint64 words[3], descriptor, caller, code;

  if (!jank_stack_copy_read (copy, at, words, sizeof words))
    return FALSE;
  descriptor = words[layout->has_pointers ? 2 : 1];
  code = words[layout->has_pointers ? 1 : 0];
  caller = layout->has_pointers ? words[0] : at + 8 * HEADER_WORDS (descriptor) + FRAME_BYTES (descriptor);
  if (descriptor >> 32 != 0 || (descriptor & TYPE_MASK) > MAX_TYPE || caller % 8 != 0 || caller < at + 16 ||
      (!layout->has_pointers && HEADER_WORDS (descriptor) < 2) ||
      code < 65536 || code >> JANK_MEMORY_ADDRESS_BITS != 0 || jank_code_map_find (map, code) != JANK_MODULE_NONE)
    return FALSE;
  *ret_descriptor = descriptor;
  *ret_caller = caller;
  return TRUE;
}

/* The trampoline was called by the engine itself. */
static gboolean
jank_jit_frames_read_entry (const JankEngineLayout *layout, JankCodeMap *map, JankPageCache *pages,
                            const JankStackCopy *copy, guint64 at, JankCallRecord *ret_record)
{
  const char *path, *slash;
  guint64 words[2], target;
  guint32 module;

  at += layout->to_pointer;
  if (!jank_stack_copy_read (copy, at, words, sizeof words))
    return FALSE;
  module = jank_code_map_find (map, words[1]);
  path = module != JANK_MODULE_NONE ? jank_code_map_get (map, module)->path : NULL;
  slash = path != NULL ? strrchr (path, '/') : NULL;
  if (slash == NULL || !g_str_has_prefix (slash + 1, layout->library) ||
      jank_processor_classify_call (pages, words[1], &target) == JANK_CALL_NONE)
    return FALSE;
  *ret_record = (JankCallRecord) { .return_address = words[1], .at = at, .frame_pointer = words[0] };
  return TRUE;
}

static gboolean
jank_jit_frames_leave_compiled (const JankEngineLayout *layout, JankCodeMap *map, JankPageCache *pages,
                                const JankStackCopy *copy, guint64 at, guint *n_frames, JankCallRecord *ret_record)
{
  guint64 descriptor, caller;

  for (; *n_frames < MAX_FRAMES &&
       jank_jit_frames_read_frame (layout, map, copy, at, &descriptor, &caller); (*n_frames)++, at = caller)
    if ((descriptor & TYPE_MASK) == TYPE_ENTRY)
      return jank_jit_frames_read_entry (layout, map, pages, copy, caller, ret_record);
  return FALSE;
}

gboolean
jank_jit_frames_leave (JankCodeMap *map, JankPageCache *pages, const JankStackCopy *copy, guint64 sp,
                       JankCallRecord *ret_record)
{
  guint n_frames = 0;

  for (guint64 at = (sp + 7) & ~(guint64) 7; at - sp < MAX_SEARCH_BYTES; at += 8)
    for (gsize i = 0; jank_engine_layouts[i].library != NULL; i++)
      if (jank_jit_frames_leave_compiled (&jank_engine_layouts[i], map, pages, copy, at, &n_frames, ret_record))
        return TRUE;
  return FALSE;
}
