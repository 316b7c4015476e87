/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "python/jank-python-walk-private.h"

#include <string.h>

#include "base/jank-memory-private.h"

static const JankPythonLayout layout_3_11 = {
  .interpreters = 40, .next_interpreter = 0, .threads = 16,
  .next_thread = 8, .native_id = 160, .chunk = 296, .frames = 56,
  .has_c_frames = TRUE, .c_frame = 8,
  .code = 32, .previous = 48, .instruction = 56, .mark = 68,
  .first_line = 72, .file = 112, .name = 128, .lines = 136, .n_code_bytes = 184,
  .owner = 69, .variables = 72, .n_variables = 76, .names = 32, .exceptions = 40, .on_delete = 192,
  .ascii = 48, .compact = 72, .bytes = 32, .items = 24,
};

static const JankPythonLayout layout_3_12 = {
  .interpreters = 40, .next_interpreter = 0, .threads = 72,
  .next_thread = 8, .native_id = 144, .chunk = 232, .frames = 56,
  .has_c_frames = TRUE, .c_frame = 0,
  .code = 0, .previous = 8, .instruction = 56, .mark = 70, .entry_owner = 3,
  .first_line = 68, .file = 112, .name = 128, .lines = 136, .n_code_bytes = 192,
  .owner = 70, .variables = 72, .n_variables = 72, .names = 32, .exceptions = 40, .on_delete = 176,
  .ascii = 40, .compact = 56, .bytes = 32, .items = 24,
};

/* _Py_DebugOffsets, an array of words: where its parts begin that we need. What we need of a part stands at the same
 * place in all versions. */
typedef struct
{
  guint8 runtime, thread, native, frame, code, tuple, bytes, text;
} DebugParts;

/* By minor version, from 3.13 on. */
#define FIRST_DESCRIBED 13
static const DebugParts described[] = {
  { .thread = 19, .native = 25, .frame = 28, .code = 34, .tuple = 46, .bytes = 64, .text = 67 },
  { .thread = 22, .native = 28, .frame = 31, .code = 39, .tuple = 56, .bytes = 74, .text = 77 },
  { .thread = 22, .native = 31, .frame = 39, .code = 47, .tuple = 68, .bytes = 86, .text = 89 },
};

#define PART(name)  G_STRUCT_OFFSET (DebugParts, name)
#define FIELD(name) G_STRUCT_OFFSET (JankPythonLayout, name)

/* Which word of a part is which offset. */
static const struct
{
  guint8 part, word, field;
} described_fields[] = {
  { PART (runtime), 5, FIELD (interpreters) },
  { PART (runtime), 8, FIELD (next_interpreter) },
  { PART (runtime), 9, FIELD (threads) },
  { PART (thread), 2, FIELD (next_thread) },
  { PART (thread), 4, FIELD (frames) },
  { PART (native), 0, FIELD (native_id) },
  { PART (native), 1, FIELD (chunk) },
  { PART (frame), 1, FIELD (previous) },
  { PART (frame), 2, FIELD (code) },
  { PART (frame), 3, FIELD (instruction) },
  { PART (frame), 5, FIELD (mark) },
  { PART (code), 1, FIELD (file) },
  { PART (code), 3, FIELD (name) },
  { PART (code), 4, FIELD (lines) },
  { PART (code), 5, FIELD (first_line) },
  { PART (code), 9, FIELD (n_code_bytes) },
  { PART (tuple), 1, FIELD (items) },
  { PART (bytes), 2, FIELD (bytes) },
  { PART (text), 3, FIELD (ascii) },
};

enum { COOKIE = 0, FREE_THREADED = 2, FRAME_VARIABLES = 4, MAX_DEBUG_WORDS = 96 };

/* Whether it can be used as it is used: each offset is aligned, and leads to what is read. No reader checks again. */
static gboolean
jank_python_layout_is_usable (const JankPythonLayout *self)
{
  enum { WORD = sizeof (guint64), ANY = G_MAXUINT16, STATE = JANK_PYTHON_MAX_STATE_WORDS * WORD,
         FRAME = JANK_PYTHON_FRAME_WORDS * WORD, LOCKS = JANK_PYTHON_CODE_WORDS * WORD,
         TEXT = sizeof (JankPythonText) + JANK_PYTHON_TEXT_BEGIN, TYPE = WORD };
  const guint32 walked = self->frames + JANK_PYTHON_MAX_WALKED_WORDS * WORD;
  const struct
  {
    guint32 offset, n_bytes, end; /* n_bytes: also its alignment */
  } uses[] = {
    { self->interpreters, WORD, ANY }, { self->next_interpreter, WORD, ANY }, { self->threads, WORD, ANY },
    { self->native_id, WORD, STATE }, { self->next_thread, WORD, self->native_id },
    { self->frames, WORD, self->native_id }, { self->chunk, WORD, walked - WORD }, { self->c_frame, WORD, ANY },
    { self->code, WORD, FRAME }, { self->previous, WORD, FRAME }, { self->instruction, WORD, FRAME },
    { self->mark, 1, FRAME }, { self->owner, 1, FRAME }, { self->variables, WORD, ANY },
    { self->n_code_bytes, WORD, JANK_PYTHON_MAX_CODE_BYTES + WORD }, { TYPE, WORD, self->n_code_bytes },
    { self->file, WORD, self->n_code_bytes }, { self->name, WORD, self->n_code_bytes },
    { self->lines, WORD, self->n_code_bytes },
    { self->first_line, sizeof (guint32), self->n_code_bytes }, { self->n_variables, sizeof (guint32), LOCKS },
    { self->names, WORD, LOCKS }, { self->exceptions, WORD, LOCKS }, { self->on_delete, WORD, ANY },
    { self->ascii, WORD, TEXT }, { self->compact, WORD, TEXT }, { self->bytes, WORD, TEXT },
    { self->items, WORD, TEXT },
  };

  for (guint i = 0; i < G_N_ELEMENTS (uses); i++)
    if (uses[i].offset % uses[i].n_bytes != 0 || uses[i].offset + uses[i].n_bytes > uses[i].end)
      return FALSE;
  return self->native_id >= WORD && self->chunk > self->frames && self->n_identity_bytes <= LOCKS &&
         MIN (self->ascii, self->compact) >= JANK_PYTHON_TEXT_BEGIN;
}

/* FALSE: not of this kind of interpreter. */
static gboolean
jank_python_layout_read_debug_words (guint64 runtime, guint64 *ret_words)
{
  return jank_memory_read_all (runtime, ret_words, MAX_DEBUG_WORDS * sizeof *ret_words) &&
         memcmp (&ret_words[COOKIE], "xdebugpy", sizeof ret_words[COOKIE]) == 0 && ret_words[FREE_THREADED] == 0;
}

static gboolean
jank_python_layout_read_debug_offsets (guint64 runtime, const DebugParts *parts, JankPythonLayout *ret_layout)
{
  guint64 words[MAX_DEBUG_WORDS], variables;

  if (!jank_python_layout_read_debug_words (runtime, words))
    return FALSE;
  *ret_layout = (JankPythonLayout) { .entry_owner = 3 };
  for (guint i = 0; i < G_N_ELEMENTS (described_fields); i++)
    {
      guint64 offset = words[G_STRUCT_MEMBER (guint8, parts, described_fields[i].part) + described_fields[i].word];

      if (offset >= G_MAXUINT16)
        return FALSE;
      G_STRUCT_MEMBER (guint16, ret_layout, described_fields[i].field) = (guint16) offset;
    }
  /* The UTF-8 length and address follow the part shared with ASCII text. */
  ret_layout->compact = (guint16) MIN (ret_layout->ascii + 2 * sizeof (guint64), G_MAXUINT16);
  /* Where the code's fields that are not described stand, those around them tell. From 3.14 on frames have a word
   * more. */
  variables = words[parts->frame + FRAME_VARIABLES];
  if (ret_layout->first_line == layout_3_12.first_line && ret_layout->file == layout_3_12.file &&
      (variables == layout_3_12.variables || variables == layout_3_12.variables + sizeof (guint64)))
    {
      ret_layout->owner = ret_layout->mark;
      ret_layout->variables = (guint16) variables;
      ret_layout->n_variables = layout_3_12.n_variables;
      ret_layout->names = layout_3_12.names;
      ret_layout->exceptions = layout_3_12.exceptions;
    }
  return TRUE;
}

/* The four fields are copied together. */
static void
jank_python_layout_find_identity (JankPythonLayout *layout)
{
  guint16 low = MIN (MIN (layout->first_line, layout->lines), MIN (layout->file, layout->name)) & ~7;
  guint high = MAX (MAX (layout->first_line, layout->lines), MAX (layout->file, layout->name)) + sizeof (guint64);

  layout->identity = low;
  layout->n_identity_bytes = (guint16) ((high - low) & ~7u);
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
  if (!jank_python_layout_find_layout (version, runtime, ret_layout))
    return FALSE;
  jank_python_layout_find_identity (ret_layout);
  return jank_python_layout_is_usable (ret_layout);
}
