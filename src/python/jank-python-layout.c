/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: CPython's calls. */

#include "config.h"

#include "python/jank-python-walk-private.h"

#include <string.h>

#include "base/jank-memory-private.h"

/* The words of _PyInterpreterFrame that jank_python_walk() reads. */
#define MAX_FRAME_BYTES 80

static const JankPythonLayout layout_3_11 = {
  .interpreters = 40, .next_interpreter = 0, .threads = 16,
  .next_thread = 8, .native_id = 160, .chunk = 296, .frames = 56,
  .has_c_frames = TRUE, .c_frame = 8,
  .code = 32, .previous = 48, .instruction = 56, .mark = 68,
  .first_line = 72, .file = 112, .name = 128, .lines = 136, .n_code_bytes = 184,
  .ascii = 48, .compact = 72, .bytes = 32,
};

static const JankPythonLayout layout_3_12 = {
  .interpreters = 40, .next_interpreter = 0, .threads = 72,
  .next_thread = 8, .native_id = 144, .chunk = 232, .frames = 56,
  .has_c_frames = TRUE, .c_frame = 0,
  .code = 0, .previous = 8, .instruction = 56, .mark = 70, .entry_owner = 3,
  .first_line = 68, .file = 112, .name = 128, .lines = 136, .n_code_bytes = 192,
  .ascii = 40, .compact = 56, .bytes = 32,
};

/* _Py_DebugOffsets of 3.13, up to what we need. */
typedef struct
{
  char    cookie[8];
  guint64 version, free_threaded;
  struct { guint64 size, finalizing, interpreters_head; } runtime;
  struct { guint64 size, id, next, threads_head, others[9]; } interpreter;
  struct { guint64 size, prev, next, interp, current_frame, thread_id, native_thread_id, datastack_chunk, status; } thread;
  struct { guint64 size, previous, executable, instr_ptr, localsplus, owner; } frame;
  struct { guint64 size, filename, name, qualname, linetable, firstlineno, others[3], co_code_adaptive; } code;
  struct { guint64 object[2], type[4], tuple[3], list[3], dict[3], real[2], integer[3]; } others;
  struct { guint64 size, ob_size, ob_sval; } bytes;
  struct { guint64 size, state, length, asciiobject_size; } unicode;
} DebugOffsets;

static gboolean
is_frame_word (guint64 offset)
{
  return offset % sizeof (guint64) == 0 && offset < MAX_FRAME_BYTES;
}

static gboolean
is_before_code (const DebugOffsets *offsets, guint64 offset)
{
  return offset + sizeof (guint64) <= offsets->code.co_code_adaptive;
}

/* Real offsets are far smaller. A larger one shows that the layout is not what we assume. */
static gboolean
are_small (const DebugOffsets *offsets)
{
  const guint64 *words = &offsets->runtime.size, *end = (const guint64 *) (const void *) (offsets + 1);

  for (; words < end; words++)
    if (*words > G_MAXINT32)
      return FALSE;
  return MAX (offsets->interpreter.threads_head, offsets->interpreter.next) <= G_MAXUINT16 &&
         offsets->runtime.interpreters_head <= G_MAXUINT16 && offsets->thread.size <= G_MAXUINT16 &&
         offsets->thread.datastack_chunk > offsets->thread.current_frame && offsets->code.size <= G_MAXUINT16 &&
         is_before_code (offsets, offsets->code.firstlineno) && is_before_code (offsets, offsets->code.filename) &&
         is_before_code (offsets, offsets->code.qualname) && is_before_code (offsets, offsets->code.linetable) &&
         is_frame_word (offsets->frame.previous) && is_frame_word (offsets->frame.executable) &&
         is_frame_word (offsets->frame.instr_ptr) && offsets->frame.owner < MAX_FRAME_BYTES;
}

static gboolean
read_debug_offsets (guint64 runtime, JankPythonLayout *ret_layout)
{
  DebugOffsets offsets;

  if (!jank_memory_read_all (runtime, &offsets, sizeof offsets) ||
      memcmp (offsets.cookie, "xdebugpy", sizeof offsets.cookie) != 0 || offsets.free_threaded != 0 ||
      !are_small (&offsets))
    return FALSE;
  *ret_layout = (JankPythonLayout) {
    .interpreters = (guint16) offsets.runtime.interpreters_head,
    .next_interpreter = (guint16) offsets.interpreter.next, .threads = (guint16) offsets.interpreter.threads_head,
    .next_thread = (guint16) offsets.thread.next, .native_id = (guint16) offsets.thread.native_thread_id,
    .chunk = (guint16) offsets.thread.datastack_chunk, .frames = (guint16) offsets.thread.current_frame,
    .code = (guint16) offsets.frame.executable, .previous = (guint16) offsets.frame.previous,
    .instruction = (guint16) offsets.frame.instr_ptr, .mark = (guint16) offsets.frame.owner, .entry_owner = 3,
    .first_line = (guint16) offsets.code.firstlineno, .file = (guint16) offsets.code.filename,
    .name = (guint16) offsets.code.qualname, .lines = (guint16) offsets.code.linetable,
    .n_code_bytes = (guint16) offsets.code.co_code_adaptive,
    /* The UTF-8 length and address follow the part shared with ASCII text. */
    .ascii = (guint16) offsets.unicode.asciiobject_size,
    .compact = (guint16) (offsets.unicode.asciiobject_size + 2 * sizeof (guint64)),
    .bytes = (guint16) offsets.bytes.ob_sval,
  };
  return TRUE;
}

/* FALSE: the four fields are too far apart to be copied together. */
static gboolean
find_identity (JankPythonLayout *layout)
{
  guint16 low = MIN (MIN (layout->first_line, layout->lines), MIN (layout->file, layout->name)) & ~7;
  guint16 high = MAX (MAX (layout->first_line, layout->lines), MAX (layout->file, layout->name)) + sizeof (guint64);

  layout->identity = low;
  layout->n_identity_bytes = (guint16) ((high - low) & ~7);
  return layout->n_identity_bytes <= JANK_PYTHON_CODE_WORDS * sizeof (guint64);
}

static gboolean
find_layout (guint64 version, guint64 runtime, JankPythonLayout *ret_layout)
{
  switch (version >> 16)
    {
    case 0x30b:
      *ret_layout = layout_3_11;
      return TRUE;
    case 0x30c:
      *ret_layout = layout_3_12;
      return TRUE;
    case 0x30d:
      return read_debug_offsets (runtime, ret_layout);
    default:
      return FALSE;
    }
}

gboolean
jank_python_layout_find (guint64 version, guint64 runtime, JankPythonLayout *ret_layout)
{
  return find_layout (version, runtime, ret_layout) && find_identity (ret_layout);
}
