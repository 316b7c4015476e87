/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: PyGObject's closures.
 *
 *   PyGICClosure → callable, or tuple → callable
 *   callable: bound method or functools.partial → callable; function → code → name, file */

#include "python/jank-python-callee-private.h"

#include <string.h>

#include "base/jank-memory-private.h"
#include "observe/jank-source-ledger-private.h"

/* Of words; the same in all versions. */
enum { OBJECT_TYPE = 1, OBJECT_WORDS = 2 };
enum { CLOSURE_CALLABLE = 1, TUPLE_CALLABLE = 3, CLOSURE_WORDS = 4 };
enum { FUNCTION_CODE = 6, CALLABLE_INNER = 2, CALLABLE_WORDS = 7 };
enum { TYPE_NAME = 3, TYPE_WORDS = 4 };

#define MAX_INNER 4 /* a partial of a method, and so on */
#define PARTIAL   "functools.partial"

/* Written once, before the reader is given to the ledger. */
static struct
{
  guint64         function_type, method_type, tuple_type;
  JankPythonNames names; /* layout and types only */
} known;

/* What a C callback's data points to, nobody knows, and another thread may unmap it: the kernel copies. */
static bool
jank_python_callee_copy (guint64 address, guint64 *ret_words, gsize n_words)
{
  return address != 0 && address % sizeof *ret_words == 0 &&
         jank_memory_read_all (address, ret_words, n_words * sizeof *ret_words);
}

static bool
jank_python_callee_is_partial (guint64 type)
{
  guint64 words[TYPE_WORDS];
  char name[sizeof PARTIAL];

  return jank_python_callee_copy (type, words, TYPE_WORDS) && words[TYPE_NAME] != 0 &&
         jank_memory_read_all (words[TYPE_NAME], name, sizeof name) &&
         memcmp (name, PARTIAL, sizeof name) == 0;
}

/* Returns: address of the function's code, 0: it is no function of Python's */
static guint64
jank_python_callee_find_code (guint64 callable)
{
  guint64 words[CALLABLE_WORDS];

  for (guint i = 0; i < MAX_INNER && jank_python_callee_copy (callable, words, CALLABLE_WORDS); i++)
    {
      if (words[OBJECT_TYPE] == known.function_type)
        return words[FUNCTION_CODE];
      if (words[OBJECT_TYPE] != known.method_type && !jank_python_callee_is_partial (words[OBJECT_TYPE]))
        return 0;
      callable = words[CALLABLE_INNER];
    }
  return 0;
}

static bool
jank_python_callee_read_id (guint64 code, JankCalleeId *id)
{
  const JankPythonLayout *layout = &known.names.layout;
  guint64 object[OBJECT_WORDS];

  id->words[0] = code;
  return jank_python_callee_copy (code, object, OBJECT_WORDS) && object[OBJECT_TYPE] == known.names.code_type &&
         jank_python_callee_copy (code + layout->name, &id->words[1], 1) &&
         jank_python_callee_copy (code + layout->file, &id->words[2], 1) &&
         jank_python_callee_copy ((code + layout->first_line) & ~(guint64) 7, &id->words[3], 1);
}

static bool
jank_python_callee_find (uint64_t data, JankCalleeId *ret_id)
{
  guint64 words[CLOSURE_WORDS];

  return jank_python_callee_copy (data, words, CLOSURE_WORDS) &&
         jank_python_callee_read_id (jank_python_callee_find_code (words[OBJECT_TYPE] == known.tuple_type
                                                                     ? words[TUPLE_CALLABLE]
                                                                     : words[CLOSURE_CALLABLE]), ret_id);
}

static bool
jank_python_callee_read (const JankCalleeId *id, JankCallee *callee)
{
  const JankPythonLayout *layout = &known.names.layout;

  callee->language = "python";
  callee->has_line = true;
  return jank_memory_read_all (id->words[0] + layout->first_line, &callee->line, sizeof callee->line) &&
         jank_python_names_copy_text (&known.names, id->words[1], callee->name, sizeof callee->name) &&
         jank_python_names_copy_text (&known.names, id->words[2], callee->file, sizeof callee->file);
}

void
jank_python_callee_learn (const JankExports *exports, const JankPythonNames *names)
{
  static const JankCalleeReader reader = { jank_python_callee_find, jank_python_callee_read };
  static gsize once;

  if (!g_once_init_enter (&once))
    return;
  known.function_type = jank_exports_find_data (exports, "PyFunction_Type", NULL);
  known.method_type = jank_exports_find_data (exports, "PyMethod_Type", NULL);
  known.tuple_type = jank_exports_find_data (exports, "PyTuple_Type", NULL);
  known.names.layout = names->layout;
  known.names.code_type = names->code_type;
  known.names.unicode_type = names->unicode_type;
  if (known.function_type != 0 && names->code_type != 0)
    jank_source_ledger_add_reader (&reader);
  g_once_init_leave (&once, 1);
}
