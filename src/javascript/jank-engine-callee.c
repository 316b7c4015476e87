/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: gjs' closures.
 *
 *   Gjs::Closure → function, or root → function; bound function → function; function → script → its first function */

#include "javascript/jank-engine-callee-private.h"

#include <glib.h>
#include <string.h>

#include "base/jank-memory-private.h"

/* Indices of words, the same in all versions. The closure begins with a GClosure. */
enum { CLOSURE_CONTEXT = 4, CLOSURE_FUNCTION = 5, CLOSURE_ROOT = 6, CLOSURE_WORDS };
enum { ROOT_FUNCTION = 3, ROOT_WORDS };
enum { FUNCTION_SLOT = 3 /* or flags */, FUNCTION_SCOPE = 4, FUNCTION_SCRIPT = 5, FUNCTION_WORDS };
enum { SCOPE_BOUND = 5 /* behind bind() */, SCOPE_WORDS };
enum { SCRIPT_FUNCTION = 2, SCRIPT_SOURCE = 3, SCRIPT_LINE = 6, SCRIPT_WORDS };

#define FLAGS_BOUND      0x110 /* and the engine's own code */
#define MAX_BOUND        4 /* a bound one of a bound one, and so on */
#define VALUE_BITS       47
#define VALUE_TAG_OBJECT 0x1fffc

static bool
jank_engine_callee_copy (uint64_t address, uint64_t *ret_words, size_t n_words)
{
  return address != 0 && address % 8 == 0 && address >> VALUE_BITS == 0 &&
         jank_memory_read_all (address, ret_words, 8 * n_words);
}

/* A script's function has that script; a closure's is a copy of it. */
static bool
jank_engine_callee_read_script (uint64_t address, JankCalleeId *id)
{
  uint64_t script[SCRIPT_WORDS], function[FUNCTION_WORDS];

  if (!jank_engine_callee_copy (address, script, SCRIPT_WORDS) ||
      !jank_engine_callee_copy (script[SCRIPT_FUNCTION], function, FUNCTION_WORDS) ||
      function[FUNCTION_SCRIPT] != address)
    return false;
  *id = (JankCalleeId) { { address, script[SCRIPT_FUNCTION], script[SCRIPT_SOURCE], script[SCRIPT_LINE] } };
  return true;
}

static bool
jank_engine_callee_copy_object (uint64_t value, uint64_t *ret_words, size_t n_words)
{
  return value >> VALUE_BITS == VALUE_TAG_OBJECT &&
         jank_engine_callee_copy (value & (((uint64_t) 1 << VALUE_BITS) - 1), ret_words, n_words);
}

static bool
jank_engine_callee_read_function (uint64_t value, uint64_t *function, JankCalleeId *id)
{
  uint64_t words[FUNCTION_WORDS];

  if (!jank_engine_callee_copy_object (value, words, FUNCTION_WORDS) ||
      !jank_engine_callee_read_script (words[FUNCTION_SCRIPT], id))
    return false;
  memcpy (function, words, sizeof words);
  return true;
}

/* A bound function keeps the other one in its first slot; older ones are the engine's own code, and keep it in their
 * scope. */
static bool
jank_engine_callee_find_bound (uint64_t *function, JankCalleeId *id)
{
  uint64_t scope[SCOPE_WORDS];

  if (jank_engine_callee_read_function (function[FUNCTION_SLOT], function, id))
    return true;
  return (function[FUNCTION_SLOT] & FLAGS_BOUND) == FLAGS_BOUND &&
         jank_engine_callee_copy_object (function[FUNCTION_SCOPE], scope, SCOPE_WORDS) &&
         jank_engine_callee_read_function (scope[SCOPE_BOUND], function, id);
}

bool
jank_engine_callee_find (const void *context, uint64_t data, JankCalleeId *ret_id)
{
  uint64_t words[CLOSURE_WORDS], root[ROOT_WORDS], function[FUNCTION_WORDS], address;

  if (data == 0 || data % 8 != 0 || !jank_memory_read_all (data, words, sizeof words) ||
      words[CLOSURE_CONTEXT] != (uint64_t) (uintptr_t) context)
    return false;
  address = words[CLOSURE_FUNCTION];
  if (address == 0 && jank_engine_callee_copy (words[CLOSURE_ROOT], root, ROOT_WORDS))
    address = root[ROOT_FUNCTION];
  if (!jank_engine_callee_copy (address, function, FUNCTION_WORDS) ||
      (!jank_engine_callee_find_bound (function, ret_id) &&
       !jank_engine_callee_read_script (function[FUNCTION_SCRIPT], ret_id)))
    return false;
  for (int i = 0; i < MAX_BOUND && jank_engine_callee_find_bound (function, ret_id); i++)
    ;
  return true;
}

bool
jank_engine_callee_read (const JankEngineLayout *layout, const JankCalleeId *id, JankCallee *callee)
{
  JankEngineCall call;
  size_t n;

  if (!jank_engine_frames_read_script (layout, id->words[0], &call) || strcmp (call.file, JANK_ENGINE_SELF_HOSTED) == 0)
    return false;
  n = strlen (call.name) - (g_str_has_suffix (call.name, "()") ? strlen ("()") : 0);
  if (n >= sizeof callee->name || strlen (call.file) >= sizeof callee->file)
    return false;
  callee->language = "javascript";
  callee->has_line = false;
  callee->line = call.line;
  memcpy (callee->name, call.name, n);
  callee->name[n] = '\0';
  g_strlcpy (callee->file, call.file, sizeof callee->file);
  return true;
}
