/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: CPython's calls. */

#include "python/jank-python-walk-private.h"

#include <string.h>

#include "base/jank-memory-private.h"

/* Of _PyInterpreterFrame, which jank_python_walk() reads. */
#define MAX_FRAME_BYTES (JANK_PYTHON_FRAME_WORDS * sizeof (guint64))

static const JankPythonLayout layout_3_11 = {
  .interpreters = 40, .next_interpreter = 0, .threads = 16, .collector = 648, .collecting = 200,
  .next_thread = 8, .native_id = 160, .chunk = 296, .frames = 56,
  .has_c_frames = TRUE, .c_frame = 8,
  .code = 32, .previous = 48, .instruction = 56, .mark = 68,
  .first_line = 72, .file = 112, .name = 128, .lines = 136, .n_code_bytes = 184,
  .owner = 69, .variables = 72, .n_variables = 76, .names = 32, .exceptions = 40, .on_delete = 192,
  .ascii = 48, .compact = 72, .bytes = 32,
};

static const JankPythonLayout layout_3_12 = {
  .interpreters = 40, .next_interpreter = 0, .threads = 72, .collector = 112, .collecting = 200,
  .next_thread = 8, .native_id = 144, .chunk = 232, .frames = 56,
  .has_c_frames = TRUE, .c_frame = 0,
  .code = 0, .previous = 8, .instruction = 56, .mark = 70, .entry_owner = 3,
  .first_line = 68, .file = 112, .name = 128, .lines = 136, .n_code_bytes = 192,
  .owner = 70, .variables = 72, .n_variables = 72, .names = 32, .exceptions = 40, .on_delete = 176,
  .ascii = 40, .compact = 56, .bytes = 32,
};

/* _Py_DebugOffsets, an array of words: where its parts begin that we need. What we need of a part stands at the same
 * place in all versions. */
typedef struct
{
  guint8 thread, frame, code, bytes, text, collector; /* the last one 0: the collector and locks are of another kind */
} DebugParts;

/* By minor version, from 3.13 on. */
#define FIRST_DESCRIBED 13
static const DebugParts described[] = {
  { .thread = 19, .frame = 28, .code = 34, .bytes = 64, .text = 67, .collector = 71 },
  { .thread = 22, .frame = 31, .code = 39, .bytes = 74, .text = 77 },
};

enum { COOKIE = 0, FREE_THREADED = 2, INTERPRETERS_HEAD = 5, INTERPRETER_NEXT = 8, INTERPRETER_THREADS = 9,
      INTERPRETER_COLLECTOR = 10 };
enum { THREAD_SIZE = 0, THREAD_NEXT = 2, THREAD_FRAME = 4, THREAD_NATIVE_ID = 6, THREAD_CHUNK = 7 };
enum { FRAME_PREVIOUS = 1, FRAME_EXECUTABLE = 2, FRAME_INSTRUCTION = 3, FRAME_VARIABLES = 4, FRAME_OWNER = 5 };
enum { CODE_SIZE = 0, CODE_FILE = 1, CODE_QUALIFIED_NAME = 3, CODE_LINES = 4, CODE_FIRST_LINE = 5,
      CODE_INSTRUCTIONS = 9 };
enum { BYTES_CHARACTERS = 2, TEXT_ASCII_SIZE = 3, N_TEXT_WORDS = 4, COLLECTOR_COLLECTING = 1, N_COLLECTOR_WORDS = 2,
      MAX_DEBUG_WORDS = 96 };

/* FALSE: not of this kind of interpreter. Real offsets are small; a larger one shows that the layout is not what we
 * assume. */
static gboolean
jank_python_layout_read_debug_words (guint64 runtime, guint64 *ret_words, guint n_words)
{
  if (!jank_memory_read_all (runtime, ret_words, n_words * sizeof *ret_words) ||
      memcmp (&ret_words[COOKIE], "xdebugpy", sizeof ret_words[COOKIE]) != 0 || ret_words[FREE_THREADED] != 0)
    return FALSE;
  for (guint i = FREE_THREADED; i < n_words; i++)
    if (ret_words[i] > G_MAXINT32)
      return FALSE;
  return TRUE;
}

static gboolean
jank_python_layout_is_frame_word (guint64 offset)
{
  return offset % sizeof (guint64) == 0 && offset < MAX_FRAME_BYTES;
}

static gboolean
jank_python_layout_are_consistent (const guint64 *words, const DebugParts *parts)
{
  const guint64 *thread = &words[parts->thread], *frame = &words[parts->frame], *code = &words[parts->code];

  for (guint i = CODE_FILE; i <= CODE_FIRST_LINE; i++)
    if (code[i] + sizeof (guint64) > code[CODE_INSTRUCTIONS])
      return FALSE;
  return MAX (words[INTERPRETER_THREADS], words[INTERPRETER_NEXT]) <= G_MAXUINT16 &&
         words[INTERPRETERS_HEAD] <= G_MAXUINT16 && thread[THREAD_SIZE] <= G_MAXUINT16 &&
         thread[THREAD_NATIVE_ID] < JANK_PYTHON_MAX_STATE_WORDS * sizeof (guint64) &&
         MAX (thread[THREAD_NEXT], thread[THREAD_FRAME]) < thread[THREAD_NATIVE_ID] &&
         thread[THREAD_CHUNK] > thread[THREAD_FRAME] && code[CODE_SIZE] <= G_MAXUINT16 &&
         jank_python_layout_is_frame_word (frame[FRAME_PREVIOUS]) &&
           jank_python_layout_is_frame_word (frame[FRAME_EXECUTABLE]) &&
         jank_python_layout_is_frame_word (frame[FRAME_INSTRUCTION]) && frame[FRAME_OWNER] < MAX_FRAME_BYTES;
}

static gboolean
jank_python_layout_read_debug_offsets (guint64 runtime, const DebugParts *parts, JankPythonLayout *ret_layout)
{
  guint64 words[MAX_DEBUG_WORDS];
  const guint64 *thread = &words[parts->thread], *frame = &words[parts->frame], *code = &words[parts->code];
  const guint64 *collector = &words[parts->collector];

  if (!jank_python_layout_read_debug_words (runtime, words,
                                            MAX (parts->text + N_TEXT_WORDS, parts->collector + N_COLLECTOR_WORDS)) ||
      !jank_python_layout_are_consistent (words, parts))
    return FALSE;
  *ret_layout = (JankPythonLayout) {
    .interpreters = (guint16) words[INTERPRETERS_HEAD],
    .next_interpreter = (guint16) words[INTERPRETER_NEXT], .threads = (guint16) words[INTERPRETER_THREADS],
    .next_thread = (guint16) thread[THREAD_NEXT], .native_id = (guint16) thread[THREAD_NATIVE_ID],
    .chunk = (guint16) thread[THREAD_CHUNK], .frames = (guint16) thread[THREAD_FRAME],
    .code = (guint16) frame[FRAME_EXECUTABLE], .previous = (guint16) frame[FRAME_PREVIOUS],
    .instruction = (guint16) frame[FRAME_INSTRUCTION], .mark = (guint16) frame[FRAME_OWNER], .entry_owner = 3,
    .first_line = (guint16) code[CODE_FIRST_LINE], .file = (guint16) code[CODE_FILE],
    .name = (guint16) code[CODE_QUALIFIED_NAME], .lines = (guint16) code[CODE_LINES],
    .n_code_bytes = (guint16) code[CODE_INSTRUCTIONS],
    /* The UTF-8 length and address follow the part shared with ASCII text. */
    .ascii = (guint16) words[parts->text + TEXT_ASCII_SIZE],
    .compact = (guint16) (words[parts->text + TEXT_ASCII_SIZE] + 2 * sizeof (guint64)),
    .bytes = (guint16) words[parts->bytes + BYTES_CHARACTERS],
  };
  /* Where the code's fields that are not described stand, those around them tell. */
  if (parts->collector != 0 && ret_layout->first_line == layout_3_12.first_line &&
      ret_layout->file == layout_3_12.file &&
      frame[FRAME_VARIABLES] == layout_3_12.variables)
    {
      ret_layout->owner = ret_layout->mark;
      ret_layout->variables = layout_3_12.variables;
      ret_layout->n_variables = layout_3_12.n_variables;
      ret_layout->names = layout_3_12.names;
      ret_layout->exceptions = layout_3_12.exceptions;
    }
  if (parts->collector != 0 && MAX (words[INTERPRETER_COLLECTOR], collector[COLLECTOR_COLLECTING]) <= G_MAXUINT16)
    {
      ret_layout->collector = (guint16) words[INTERPRETER_COLLECTOR];
      ret_layout->collecting = (guint16) collector[COLLECTOR_COLLECTING];
    }
  return TRUE;
}

/* FALSE: the four fields are too far apart to be copied together. */
static gboolean
jank_python_layout_find_identity (JankPythonLayout *layout)
{
  guint16 low = MIN (MIN (layout->first_line, layout->lines), MIN (layout->file, layout->name)) & ~7;
  guint16 high = MAX (MAX (layout->first_line, layout->lines), MAX (layout->file, layout->name)) + sizeof (guint64);

  layout->identity = low;
  layout->n_identity_bytes = (guint16) ((high - low) & ~7);
  return layout->n_identity_bytes <= JANK_PYTHON_CODE_WORDS * sizeof (guint64);
}

static gboolean
jank_python_layout_find_layout (guint64 version, guint64 runtime, JankPythonLayout *ret_layout)
{
  guint64 minor = version >> 16 & 0xff;

  if (version >> 24 != 3 || minor < 11 || minor > jank_python_layout_get_newest ())
    return FALSE;
  if (minor >= FIRST_DESCRIBED)
    return jank_python_layout_read_debug_offsets (runtime, &described[minor - FIRST_DESCRIBED], ret_layout);
  *ret_layout = minor == 11 ? layout_3_11 : layout_3_12;
  return TRUE;
}

guint
jank_python_layout_get_newest (void)
{
  return FIRST_DESCRIBED + G_N_ELEMENTS (described) - 1;
}

gboolean
jank_python_layout_find (guint64 version, guint64 runtime, JankPythonLayout *ret_layout)
{
  return jank_python_layout_find_layout (version, runtime, ret_layout) && jank_python_layout_find_identity (ret_layout);
}
