/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* CPython's description of itself, as another process gives it: what is believed is used, on objects that are all one.
 * The input is the minor version, then a word's index and value, three bytes each. */

#include <string.h>

#include "python/jank-python-parts-private.h"

#define N_WORDS 96
#define STATE   (1 << 2 | 1 << 5 | 1 << 6) /* ASCII */

int LLVMFuzzerTestOneInput (const guint8 *data, gsize n_bytes);

/* Every word leads to the object in the middle. */
static guint64 objects[JANK_COPY_MAX_BYTES / sizeof (guint64)];

static guint64
fill_objects (void)
{
  guint64 *object = objects + G_N_ELEMENTS (objects) / 2;

  for (guint i = 0; i < G_N_ELEMENTS (objects); i++)
    objects[i] = (guintptr) object;
  object[2] = 100; /* its length */
  object[4] = STATE;
  return (guintptr) object;
}

static void
use (const JankPythonLayout *layout)
{
  static JankPythonCalls calls;
  static JankStackCopy copy = { .n_bytes = sizeof objects };
  const guint64 object = fill_objects ();
  JankPythonRequest request = { .layout = *layout, .n_states = 1, .states = { { object } } };
  JankPythonNames names = { .layout = *layout, .code_type = object, .unicode_type = object, .bytes_type = object,
                            .function_type = object };
  JankScripts *scripts = jank_scripts_new ();
  JankCall call;

  copy.address = (guintptr) objects;
  memcpy (copy.bytes, objects, sizeof objects);
  jank_python_names_init (&names);
  jank_python_walk (&request, &copy, jank_memory_get_pid (), &calls);
  for (guint i = 0; i < calls.n_calls; i++)
    if (calls.calls[i].code != 0)
      jank_python_names_find (&names, &calls.calls[i], &calls, scripts, &call);
  jank_python_locks_holds (&names, object, object);
  jank_python_locks_find_owner (&names, object, object);
  jank_python_locks_is_joined (&names, object, object);
  jank_python_names_clear (&names);
  jank_scripts_free (scripts);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize n_bytes)
{
  guint64 words[N_WORDS] = { 0 };
  JankPythonLayout layout;

  memcpy (words, "xdebugpy", sizeof words[0]);
  for (gsize at = 1; at + 3 <= n_bytes; at += 3)
    words[data[at] % N_WORDS] = (guint64) (data[at + 1] | data[at + 2] << 8) << (data[at] < 2 * N_WORDS ? 0 : 15);
  if (n_bytes > 0 && jank_python_layout_find (0x03000000 | (guint64) data[0] << 16, (guintptr) words, &layout))
    use (&layout);
  return 0;
}
