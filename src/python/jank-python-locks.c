/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: CPython's locks. The code's table of exceptions says how much of a call's stack is in use at an
 * instruction: what lies above may be left over from a block that has ended. */

#include "python/jank-python-parts-private.h"

#include <string.h>

#include "base/jank-memory-private.h"

#define MAX_CALLS       256
#define MAX_SLOTS       64
#define MAX_TABLE_BYTES 4096
#define MAX_NAMES       512
#define MAX_NAME        64

#define CODE_UNIT_BYTES 2
#define STACK_TAGS      G_GUINT64_CONSTANT (7) /* of references, from 3.14 on */

/* Indices of words, the same in all layouts. */
enum { OBJECT_TYPE = 1, OBJECT_SIZE = 2, TYPE_NAME = 3, LOCK_WORD = 2, LOCK_OWNER = 3, REFERENCE_OBJECT = 2 };
enum { FUNCTION_METHOD = 2, FUNCTION_SELF = 3, FUNCTION_WORDS };

/* From 3.13 on a thread that joins parks: it waits for a semaphore of its own, and the word before that says what
 * for, here an event, one byte of the word that comes two words after the ID in the other thread's handle. So does,
 * from 3.13.4 on, who waits for a lock. */
#define PARKED_AT 8
#define EVENT_AT  16

typedef struct
{
  guint64 code, instruction, previous;
  guint8  owner; /* 0: the thread */
  guint64 words[JANK_PYTHON_CODE_WORDS]; /* of the code */
} Frame;

static gboolean
jank_python_locks_is_type (guint64 type, const char *name)
{
  char text[MAX_NAME];
  guint64 at;

  return jank_memory_read_all (type + TYPE_NAME * sizeof at, &at, sizeof at) &&
         jank_memory_read_text (at, text, sizeof text) && strcmp (text, name) == 0;
}

static gboolean
jank_python_locks_is_lock (guint64 object, guint64 semaphore, const char *type)
{
  guint64 words[LOCK_WORD + 1], parked;

  return jank_memory_read_all (object, words, sizeof words) &&
         (words[LOCK_WORD] == semaphore || (jank_memory_read_all (semaphore - PARKED_AT, &parked, sizeof parked) &&
                                            parked == object + LOCK_WORD * sizeof parked)) &&
         jank_python_locks_is_type (words[OBJECT_TYPE], type);
}

/* Whether it is the lock's method __exit__(). */
static gboolean
jank_python_locks_is_exit (const JankPythonNames *names, guint64 object, guint64 semaphore)
{
  guint64 words[FUNCTION_WORDS], name;
  char text[MAX_NAME];

  return jank_memory_read_all (object, words, sizeof words) && words[OBJECT_TYPE] == names->function_type &&
         jank_python_locks_is_lock (words[FUNCTION_SELF], semaphore, "_thread.lock") &&
         jank_memory_read_all (words[FUNCTION_METHOD], &name, sizeof name) &&
         jank_memory_read_text (name, text, sizeof text) && strcmp (text, "__exit__") == 0;
}

/* From 3.14 on a block's stack has the method of the lock's type, then the lock. */
static gboolean
jank_python_locks_is_exit_of_type (const guint64 *slots, guint64 semaphore)
{
  guint64 type;

  return jank_python_locks_is_lock (slots[1] & ~STACK_TAGS, semaphore, "_thread.lock") &&
         jank_memory_read_all ((slots[0] & ~STACK_TAGS) + OBJECT_TYPE * sizeof type, &type, sizeof type) &&
         jank_python_locks_is_type (type, "method_descriptor");
}

static guint32
jank_python_locks_get_half (const guint64 *words, guint offset)
{
  guint32 value;

  memcpy (&value, (const guint8 *) words + offset, sizeof value);
  return value;
}

/* FALSE: it is none, as between two runs of the interpreter; previous is known even so. */
static gboolean
jank_python_locks_read_frame (const JankPythonNames *names, guint64 address, Frame *ret_frame)
{
  const JankPythonLayout *layout = &names->layout;
  guint64 words[JANK_PYTHON_FRAME_WORDS];

  *ret_frame = (Frame) { 0 };
  if (!jank_memory_read_all (address, words, sizeof words))
    return FALSE;
  ret_frame->code = words[layout->code / 8];
  ret_frame->instruction = words[layout->instruction / 8];
  ret_frame->previous = words[layout->previous / 8];
  ret_frame->owner = ((const guint8 *) words)[layout->owner];
  return jank_memory_read_all (ret_frame->code, ret_frame->words, sizeof ret_frame->words) &&
         ret_frame->words[OBJECT_TYPE] == names->code_type;
}

/* Six bits a byte, highest first; bit 6: more follow. */
static guint64
jank_python_locks_read_number (const guint8 *table, gsize n_bytes, gsize *at)
{
  guint64 number = 0;
  guint8 byte;

  do
    {
      byte = *at < n_bytes ? table[(*at)++] : 0;
      number = number << 6 | (byte & 63);
    }
  while ((byte & 64) != 0);
  return number;
}

/* Returns: how many values an exception would leave on the stack of the call: they are in use */
static guint
jank_python_locks_find_depth (const JankPythonNames *names, const Frame *frame)
{
  guint64 place = (frame->instruction - frame->code - names->layout.n_code_bytes) / CODE_UNIT_BYTES;
  guint64 bytes = frame->words[names->layout.exceptions / 8], header[OBJECT_SIZE + 1];
  guint8 table[MAX_TABLE_BYTES];
  gsize at = 0, n;

  if (!jank_memory_read_all (bytes, header, sizeof header) || header[OBJECT_TYPE] != names->bytes_type ||
      header[OBJECT_SIZE] > sizeof table ||
      !jank_memory_read_all (bytes + names->layout.bytes, table, header[OBJECT_SIZE]))
    return 0;
  n = header[OBJECT_SIZE];
  while (at < n)
    {
      guint64 start = jank_python_locks_read_number (table, n, &at);
      guint64 n_units = jank_python_locks_read_number (table, n, &at), depth;

      jank_python_locks_read_number (table, n, &at);
      depth = jank_python_locks_read_number (table, n, &at) >> 1;
      if (place >= start && place - start < n_units)
        return depth <= MAX_SLOTS ? (guint) depth : 0;
    }
  return 0;
}

/* A generator's call may go on in another thread than it began in. */
static gboolean
jank_python_locks_is_in_block (const JankPythonNames *names, guint64 address, const Frame *frame, guint64 semaphore)
{
  guint n_slots = frame->owner == 0 ? jank_python_locks_find_depth (names, frame) : 0;
  guint n_variables = jank_python_locks_get_half (frame->words, names->layout.n_variables);
  guint64 slots[MAX_SLOTS];

  if (n_slots == 0 || n_variables > G_MAXUINT16 ||
      !jank_memory_read_all (address + names->layout.variables + n_variables * sizeof *slots, slots,
                             n_slots * sizeof *slots))
    return FALSE;
  for (guint i = 0; i < n_slots; i++)
    if (jank_python_locks_is_exit (names, slots[i], semaphore) ||
        (i > 0 && jank_python_locks_is_exit_of_type (&slots[i - 1], semaphore)))
      return TRUE;
  return FALSE;
}

/* A function that uses a name with "release" in it: lock.release(), Condition.wait()'s _release_save(). */
static gboolean
jank_python_locks_may_unlock (const JankPythonNames *names, const Frame *frame)
{
  guint64 tuple = frame->words[names->layout.names / 8], header[OBJECT_SIZE + 1];
  g_autofree guint64 *items = g_new (guint64, MAX_NAMES);

  if (!jank_memory_read_all (tuple, header, sizeof header) ||
      !jank_python_locks_is_type (header[OBJECT_TYPE], "tuple") ||
      header[OBJECT_SIZE] > MAX_NAMES ||
      !jank_memory_read_all (tuple + names->layout.items, items, header[OBJECT_SIZE] * sizeof *items))
    return TRUE;
  for (gsize i = 0; i < header[OBJECT_SIZE]; i++)
    {
      g_autofree char *name = jank_python_names_read_text (names, items[i]);

      if (name == NULL || strstr (name, "release") != NULL)
        return TRUE;
    }
  return FALSE;
}

gboolean
jank_python_locks_holds (const JankPythonNames *names, guint64 frame, guint64 semaphore)
{
  gboolean may_unlock = FALSE;
  Frame read;

  for (guint i = 0; i < MAX_CALLS && frame != 0 && names->layout.variables != 0; i++, frame = read.previous)
    {
      if (!jank_python_locks_read_frame (names, frame, &read))
        continue;
      if (!jank_python_locks_is_in_block (names, frame, &read, semaphore))
        {
          may_unlock = may_unlock || jank_python_locks_may_unlock (names, &read);
          continue;
        }
      /* Once more: the calls inside it may have ended while they were read, and the block with them. */
      return !may_unlock && !jank_python_locks_may_unlock (names, &read) &&
             jank_python_locks_read_frame (names, frame, &read) &&
             jank_python_locks_is_in_block (names, frame, &read, semaphore);
    }
  return FALSE;
}

/* Either the lock itself or its bound method lies on the stack of the call: what else does was left over. */
guint64
jank_python_locks_find_owner (const JankPythonNames *names, guint64 frame, guint64 semaphore)
{
  guint64 slots[MAX_SLOTS], words[FUNCTION_WORDS], owner;
  guint n_variables;
  gsize n;
  Frame read;

  if (names->layout.variables == 0 || !jank_python_locks_read_frame (names, frame, &read))
    return 0;
  n_variables = MIN (jank_python_locks_get_half (read.words, names->layout.n_variables), G_MAXUINT16);
  n = jank_memory_read (frame + names->layout.variables + n_variables * sizeof *slots, slots,
                        sizeof slots) / sizeof *slots;
  for (gsize i = 0; i < n; i++)
    {
      guint64 object = slots[i] & ~STACK_TAGS;

      if (jank_memory_read_all (object, words, sizeof words) && words[OBJECT_TYPE] == names->function_type)
        object = words[FUNCTION_SELF];
      if (jank_python_locks_is_lock (object, semaphore, "_thread.RLock") &&
          jank_memory_read_all (object + LOCK_OWNER * sizeof owner, &owner, sizeof owner))
        return owner;
    }
  return 0;
}

gboolean
jank_python_locks_is_joined (const JankPythonNames *names, guint64 state, guint64 semaphore)
{
  const JankPythonLayout *layout = &names->layout;
  guint64 words[2], reference[REFERENCE_OBJECT + 1];

  if (layout->on_delete != 0)
    return jank_memory_read_all (state + layout->on_delete, words, sizeof *words) &&
           jank_memory_read_all (words[0], reference, sizeof reference) &&
           jank_python_locks_is_lock (reference[REFERENCE_OBJECT], semaphore, "_thread.lock");
  return layout->variables != 0 && jank_memory_read_all (semaphore - PARKED_AT, &words[0], sizeof *words) &&
         jank_memory_read_all ((words[0] & ~(guint64) 7) - EVENT_AT, &words[1], sizeof *words) &&
         jank_memory_read_all (state + layout->native_id - sizeof *words, &words[0], sizeof *words) &&
         words[0] == words[1];
}
