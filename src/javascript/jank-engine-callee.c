/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: gjs' closures, and SpiderMonkey's functions in them.
 *
 *   Gjs::Closure → function, or root → function; bound function → function; function → script → its first function */

#include "javascript/jank-engine-callee-private.h"

#include <glib.h>
#include <string.h>

#include "base/jank-memory-sigsafe-private.h"

/* Indices of words, the same in all versions. The closure begins with a GClosure. */
enum { CLOSURE_CONTEXT = 4, CLOSURE_FUNCTION = 5, CLOSURE_ROOT = 6, CLOSURE_WORDS };
enum { ROOT_FUNCTION = 3, ROOT_WORDS };
enum { FUNCTION_SLOT = 3, FUNCTION_BOUND = 4, FUNCTION_SCRIPT = 5, FUNCTION_WORDS };
enum { SCRIPT_FUNCTION = 2, SCRIPT_SOURCE = 3, SCRIPT_LINE = 6, SCRIPT_WORDS };

#define MAX_BOUND        4
#define VALUE_BITS       47
#define VALUE_TAG_OBJECT 0x1fffc

/* Held by what the thread has just dispatched. */
static bool
jank_engine_callee_copy (uint64_t address, uint64_t *ret_words, size_t n_words)
{
  return address != 0 && address % 8 == 0 && address >> VALUE_BITS == 0 &&
         jank_memory_copy_sigsafe (ret_words, address, 8 * n_words) == 8 * n_words;
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

/* A bound function keeps the other one in its first slot, or where others keep their scope. */
static uint64_t
jank_engine_callee_get_bound (const uint64_t *function)
{
  for (int i = FUNCTION_SLOT; i <= FUNCTION_BOUND; i++)
    if (function[i] >> VALUE_BITS == VALUE_TAG_OBJECT)
      return function[i] & (((uint64_t) 1 << VALUE_BITS) - 1);
  return 0;
}

/* What data is, nobody knows yet: the kernel copies. */
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
  for (int i = 0; i < MAX_BOUND && jank_engine_callee_copy (address, function, FUNCTION_WORDS); i++)
    {
      if (jank_engine_callee_read_script (function[FUNCTION_SCRIPT], ret_id))
        return true;
      address = jank_engine_callee_get_bound (function);
    }
  return false;
}

bool
jank_engine_callee_read (const JankEngineLayout *layout, const JankCalleeId *id, JankCallee *callee)
{
  JankEngineCall call;
  size_t n;

  if (!jank_engine_frames_read_script (layout, id->words[0], &call))
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
