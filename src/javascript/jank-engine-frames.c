/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: SpiderMonkey's activations, frames and scripts. An activation is a C++ object on the stack, one
 * for each time that native code has entered the interpreter or compiled code:
 *
 *   JSContext → newest activation → … → oldest
 *     of the interpreter:  pc, frame → caller's frame and pc … entry frame
 *     of compiled code:    exit frame → … frames on the stack, each with its caller's kind … entry frame
 *   frame → (function →) script → function → name
 *                               → source object → source → file
 *                               → bytecode and notes: line of a pc */

#include "javascript/jank-engine-private.h"

#include <glib.h>
#include <string.h>

#include "base/jank-memory-private.h"

#define MAX_CALLS 256
#define MAX_STEPS 1024

/* What a call into native code may have on the stack between its return address and the exit frame. */
#define MAX_EXIT_BYTES 128

/* Indices of words, the same in all layouts. */
enum { ACTIVATION_CONTEXT = 0, ACTIVATION_PREVIOUS = 2, ACTIVATION_KIND = 13 /* above a flag */,
       ACTIVATION_EXIT = 14, ACTIVATION_PC = 15, ACTIVATION_FRAME = 16, ACTIVATION_ENTRY = 17, ACTIVATION_WORDS };
enum { KIND_INTERPRETER, KIND_COMPILED };
enum { FRAME_FLAGS = 0, FRAME_SCRIPT = 1, FRAME_CALLER = 5, FRAME_CALLER_PC = 6, FRAME_WORDS };
#define FRAME_IS_COMPILED 0x100 /* its function went on as compiled code, in the newer activation */
enum { SCRIPT_COMPILED = 1 /* JitScript; tagged if it is none */, SCRIPT_FUNCTION = 2, SCRIPT_SOURCE = 3,
       SCRIPT_LINE = 6,
       SCRIPT_CODE = 9, SCRIPT_WORDS };
enum { FUNCTION_SCRIPT = 5, FUNCTION_NAME = 6, FUNCTION_WORDS };
enum { OBJECT_FIRST_SLOT = 3, OBJECT_WORDS };

/* In the low bits of what a compiled call has for its function. */
#define TOKEN_TAGS      3
#define TOKEN_IS_SCRIPT 2

/* The kind of a compiled frame's caller, in its descriptor. */
enum { TYPE_OPTIMIZED, TYPE_BASELINE, TYPE_STUB, TYPE_ENTRY, TYPE_RECTIFIER, TYPE_EXIT = 6, TYPE_NATIVE = 11 };
#define TYPE_MASK 15
#define TYPES     (1 << TYPE_BASELINE | 1 << TYPE_STUB | 1 << TYPE_ENTRY | 1 << TYPE_RECTIFIER | 1 << TYPE_NATIVE)

/* What the interpreter among the compiled code keeps below such a frame. */
enum { BELOW_SCRIPT, BELOW_PC, BELOW_FLAGS = 7, BELOW_WORDS };
#define BELOW_BYTES 80
#define IS_INTERPRETED 2

/* Values: tags of 17 bits. */
#define VALUE_BITS          47
#define VALUE_TAG_UNDEFINED 0x1fff3
#define VALUE_TAG_STRING    0x1fff6

#define STRING_IS_ATOM   (1 << 3 | 1 << 4)
#define STRING_IS_INLINE (1 << 6)
#define MAX_CHARACTERS   128

/* An atom keeps its text's hash in one of the 32-bit words after the characters that an object may have in it. */
enum { STRING_HASH = 6, STRING_HASH_END = 10, STRING_WORDS = STRING_HASH_END / 2 };

typedef struct
{
  const JankEngineView *view;
  JankEngineCallFunc    func;
  void                 *data;
  JankEngineCall        call;
  uint32_t              n_calls;
  bool                  has_enough;
} Reader;

static bool
jank_engine_read_words (uint64_t address, uint64_t *ret_words, size_t n_words)
{
  return address % 8 == 0 && address >> VALUE_BITS == 0 && jank_memory_read_all (address, ret_words, 8 * n_words);
}

/* A thing of the garbage collector's. The low bits of its first word are set while it is being moved. */
static bool
jank_engine_read_cell (uint64_t address, uint64_t *ret_words, size_t n_words)
{
  return jank_engine_read_words (address, ret_words, n_words) && ret_words[0] % 8 == 0;
}

/* No text but the atom's own has its hash. */
static bool
jank_engine_has_hash (const uint64_t *words, const uint16_t *characters, size_t n)
{
  uint32_t hash = 0, halves[STRING_HASH_END];

  memcpy (halves, words, sizeof halves);
  for (size_t i = 0; i < n; i++)
    hash = 0x9e3779b9u * ((hash << 5 | hash >> 27) ^ characters[i]);
  for (uint32_t i = STRING_HASH; i < STRING_HASH_END; i++)
    if (halves[i] == hash)
      return true;
  return false;
}

/* UTF-8, at most max bytes. Returns: bytes, 0: no text */
static size_t
jank_engine_encode (const uint16_t *characters, size_t n, char *ret_text, size_t max)
{
  size_t at = 0;

  for (size_t i = 0; i < n; i++)
    {
      gunichar c = characters[i];

      if (c >= 0xd800 && c < 0xdc00 && i + 1 < n)
        c = 0x10000 + ((c - 0xd800) << 10) + (characters[++i] - 0xdc00u);
      if (at + 6 > max || c < ' ' || !g_unichar_validate (c))
        return 0;
      at += (size_t) g_unichar_to_utf8 (c, ret_text + at);
    }
  return at;
}

static bool
jank_engine_read_name (Reader *self, uint64_t value)
{
  const uint32_t is_latin1 = self->view->layout->is_latin1;
  uint64_t words[STRING_WORDS], address = value & (((uint64_t) 1 << VALUE_BITS) - 1);
  uint16_t characters[MAX_CHARACTERS];
  uint8_t *bytes = (uint8_t *) characters;
  uint32_t flags;
  size_t n, n_text;

  if (value >> VALUE_BITS == VALUE_TAG_UNDEFINED)
    {
      g_strlcpy (self->call.name, "anonymous()", sizeof self->call.name);
      return true;
    }
  if (value >> VALUE_BITS != VALUE_TAG_STRING || !jank_engine_read_cell (address, words, STRING_WORDS))
    return false;
  flags = (uint32_t) words[0];
  n = words[0] >> 32;
  if ((flags & STRING_IS_ATOM) != STRING_IS_ATOM || n == 0 || n > MAX_CHARACTERS ||
      !jank_memory_read_all (flags & STRING_IS_INLINE ? address + 8 : words[1], bytes, flags & is_latin1 ? n : 2 * n))
    return false;
  for (size_t i = flags & is_latin1 ? n : 0; i > 0; i--)
    characters[i - 1] = bytes[i - 1];
  if (!jank_engine_has_hash (words, characters, n))
    return false;
  n_text = jank_engine_encode (characters, n, self->call.name, sizeof self->call.name - sizeof "()");
  memcpy (self->call.name + n_text, "()", sizeof "()");
  return n_text > 0;
}

/* object: the garbage collector's, of the source */
static bool
jank_engine_read_file (Reader *self, uint64_t object)
{
  uint64_t slots[OBJECT_WORDS], box, words[2]; /* text, bytes with the NUL */
  size_t n;

  if (!jank_engine_read_cell (object, slots, OBJECT_WORDS) ||
      !jank_engine_read_words (slots[OBJECT_FIRST_SLOT] + self->view->layout->file, &box, 1) ||
      !jank_engine_read_words (box, words, 2))
    return false;
  n = words[1];
  return n > 1 && n <= sizeof self->call.file && jank_memory_read_all (words[0], self->call.file, n) &&
         strnlen (self->call.file, n) == n - 1 && g_utf8_validate (self->call.file, (gssize) n - 1, NULL);
}

/* Returns: whether the line is known */
static bool
jank_engine_read_line (const JankEngineLayout *layout, const uint64_t *script, uint64_t pc, uint64_t returns,
                       uint32_t *line)
{
  uint64_t compiled;
  uint32_t place;

  if (returns == 0 ? !jank_engine_find_place (script[SCRIPT_CODE], pc, &place)
      : !jank_engine_read_words (script[SCRIPT_COMPILED] + layout->compiled, &compiled, 1) ||
      !jank_engine_find_compiled_place (compiled, returns, &place))
    return false;
  return jank_engine_find_line (script[SCRIPT_CODE], layout->has_columns, place, *line, line);
}

/* pc: of the bytecode, where it is interpreted; returns: where compiled code's call returns to, else 0 */
static bool
jank_engine_add_call (Reader *self, uint64_t address, uint64_t pc, uint64_t returns, uint64_t place)
{
  uint64_t script[SCRIPT_WORDS], function[FUNCTION_WORDS];
  JankEngineCall *call = &self->call;

  if (self->n_calls++ == MAX_CALLS || !jank_engine_read_cell (address, script, SCRIPT_WORDS) ||
      !jank_engine_read_file (self, script[SCRIPT_SOURCE]))
    return false;
  if (script[SCRIPT_FUNCTION] == 0)
    g_strlcpy (call->name, "<TOP LEVEL>", sizeof call->name);
  else if (!jank_engine_read_cell (script[SCRIPT_FUNCTION], function, FUNCTION_WORDS) ||
           function[FUNCTION_SCRIPT] != address || !jank_engine_read_name (self, function[FUNCTION_NAME]))
    return false;
  call->line = (uint32_t) script[SCRIPT_LINE];
  call->is_exact = jank_engine_read_line (self->view->layout, script, pc, returns, &call->line);
  call->place = place;
  self->has_enough = !self->func (call, self->data);
  return true;
}

static bool
jank_engine_read_interpreter (Reader *self, uint64_t at, const uint64_t *activation)
{
  uint64_t frame = activation[ACTIVATION_FRAME], pc = activation[ACTIVATION_PC], words[FRAME_WORDS];

  for (uint32_t i = 0; i < MAX_STEPS; i++)
    {
      if (!jank_engine_read_words (frame, words, FRAME_WORDS) ||
          ((words[FRAME_FLAGS] & FRAME_IS_COMPILED) == 0 &&
           !jank_engine_add_call (self, words[FRAME_SCRIPT], pc, 0, at)))
        return false;
      if (self->has_enough || frame == activation[ACTIVATION_ENTRY])
        return true;
      frame = words[FRAME_CALLER];
      pc = words[FRAME_CALLER_PC];
    }
  return false;
}

/* at: a frame of JavaScript compiled without optimization, or interpreted by such code */
static bool
jank_engine_add_compiled (Reader *self, uint64_t at, uint64_t token, uint64_t returns)
{
  bool has_pointers = self->view->layout->has_pointers, is_interpreted;
  uint64_t script = token & ~(uint64_t) TOKEN_TAGS, function[FUNCTION_WORDS], words[BELOW_WORDS];

  if ((token & TOKEN_TAGS) != TOKEN_IS_SCRIPT)
    {
      if (!jank_engine_read_cell (script, function, FUNCTION_WORDS))
        return false;
      script = function[FUNCTION_SCRIPT];
    }
  if (!jank_engine_read_words (at - BELOW_BYTES + (has_pointers ? 8 : 0), words, BELOW_WORDS))
    return false;
  is_interpreted = words[BELOW_FLAGS] & IS_INTERPRETED && words[BELOW_SCRIPT] == script;
  return jank_engine_add_call (self, script, words[BELOW_PC], is_interpreted ? 0 : returns, at);
}

/* Optimized code may run several functions in one frame, and which is not said: it is not read. */
static bool
jank_engine_read_compiled (Reader *self, uint64_t activation, uint64_t at)
{
  bool has_pointers = self->view->layout->has_pointers;
  uint64_t words[4], type = TYPE_EXIT, returns = 0, descriptor, caller;

  for (uint32_t i = 0; i < MAX_STEPS && at < activation && jank_engine_read_words (at, words, 4); i++, at = caller)
    {
      descriptor = words[has_pointers ? 2 : 1];
      caller = has_pointers ? words[0] : at + 8 * (descriptor >> 4 & 7) + (descriptor >> 8);
      if (type == TYPE_BASELINE && !jank_engine_add_compiled (self, at, words[has_pointers ? 3 : 2], returns))
        return false;
      type = descriptor & TYPE_MASK;
      returns = words[has_pointers ? 1 : 0];
      if (self->has_enough || type == TYPE_ENTRY)
        return true;
      if (descriptor >> 32 != 0 || (1 << type & TYPES) == 0 || caller <= at)
        return false;
    }
  return false;
}

/* Compiled code may call the engine without an exit frame, to allocate. The one that is there is then of an earlier
 * call. */
static bool
jank_engine_is_at_exit (const Reader *self, const uint64_t *activation)
{
  const JankEngineView *view = self->view;
  uint64_t exit = activation[ACTIVATION_EXIT];

  return exit > view->low && (view->is_asked || self->n_calls > 0 ||
                              (view->compiled != 0 && exit >= view->compiled &&
                               exit - view->compiled < MAX_EXIT_BYTES));
}

bool
jank_engine_frames_read (const JankEngineView *view, JankEngineCallFunc func, void *data)
{
  Reader self = { .view = view, .func = func, .data = data };
  uint64_t below = view->low, at, words[ACTIVATION_WORDS];

  if (!jank_engine_read_words (view->context + view->layout->activation, &at, 1))
    return false;
  for (; at != 0 && !self.has_enough; below = at, at = words[ACTIVATION_PREVIOUS])
    {
      uint32_t kind;

      if (at <= below || at >= view->high || !jank_engine_read_words (at, words, ACTIVATION_WORDS) ||
          words[ACTIVATION_CONTEXT] != view->context)
        return false;
      kind = (uint32_t) (words[ACTIVATION_KIND] >> 32) & 0xff;
      if (kind == KIND_INTERPRETER ? !jank_engine_read_interpreter (&self, at, words)
          : kind != KIND_COMPILED || !jank_engine_is_at_exit (&self, words) ||
          !jank_engine_read_compiled (&self, at, words[ACTIVATION_EXIT]))
        return false;
    }
  return true;
}
