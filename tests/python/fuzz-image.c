/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A process that looks like CPython 3.13 in one thread that waits for a lock: it exports the interpreter's variables,
 * and all that these lead to is damaged as the input says. Each damage is five bytes: where, how, and a value. */

#include <string.h>

#include "python/jank-python-private.h"

#define STATE  (1 << 2 | 1 << 5 | 1 << 6) /* ASCII */
#define EXPORT __attribute__ ((visibility ("default")))

int LLVMFuzzerTestOneInput (const guint8 *data, gsize n_bytes);

/* In words. The description comes first. */
enum { RUNTIME, INTERPRETER = 128, THREAD = 192, FRAMES = 256, CODE = 320, NAME = 384, FILE_NAME = 416, LINES = 448,
       TUPLE = 480, LOCK = 544, SEMAPHORE = 552, TYPE = 560, TYPE_NAME = 568, EXIT = 576, METHOD = 584, STACK = 640,
       N_WORDS = 768 };

EXPORT guint64 Py_Version = 0x030d00f0, PyCode_Type, PyUnicode_Type, PyBytes_Type, PyCFunction_Type;
EXPORT guint64 _PyRuntime[N_WORDS];

/* Word, and what it is: values above 4096 are addresses of the image's words. */
#define AT(word) (4096 + (word))
static const struct { guint16 word, value; } sound[] = {
  { 5, 640 }, { 8, 8 }, { 9, 16 }, { 19, 304 }, { 21, 8 }, { 23, 72 }, { 25, 160 }, { 26, 232 }, { 29, 8 }, { 30, 0 },
  { 31, 56 }, { 32, 72 }, { 33, 70 }, { 34, 208 }, { 35, 112 }, { 37, 128 }, { 38, 136 }, { 39, 68 }, { 43, 200 },
  { 66, 32 }, { 70, 40 }, { 10, 24 }, { 72, 200 },
  { 80, AT (INTERPRETER) }, { INTERPRETER + 2, AT (THREAD) }, { THREAD + 9, AT (FRAMES) },
  { THREAD + 19, 1 }, { THREAD + 29, AT (FRAMES) }, { THREAD + 30, AT (CODE) },
  { FRAMES, AT (CODE) }, { FRAMES + 1, AT (FRAMES + 20) }, { FRAMES + 7, AT (CODE + 26) },
  { FRAMES + 9, AT (EXIT) }, { FRAMES + 10, AT (EXIT) },
  { FRAMES + 20, AT (CODE) }, { FRAMES + 21, AT (STACK + 8) }, { FRAMES + 27, AT (CODE + 26) },
  { CODE + 3, AT (TUPLE) }, { CODE + 4, AT (TUPLE) }, { CODE + 5, AT (LINES) }, { CODE + 14, AT (FILE_NAME) },
  { CODE + 16, AT (NAME) }, { CODE + 17, AT (LINES) },
  { NAME + 2, 8 }, { NAME + 4, STATE }, { NAME + 5, 0x6161 }, { FILE_NAME + 2, 8 }, { FILE_NAME + 4, STATE },
  { LINES + 2, 8 }, { LINES + 4, 0x0140 }, { LINES + 5, 0x0240 },
  { TUPLE + 1, AT (TYPE) }, { TUPLE + 2, 2 }, { TUPLE + 3, AT (NAME) }, { TUPLE + 4, AT (FILE_NAME) },
  { LOCK + 1, AT (TYPE) }, { LOCK + 2, AT (SEMAPHORE) }, { SEMAPHORE - 1, AT (LOCK + 2) }, { TYPE + 3, AT (TYPE_NAME) },
  { EXIT + 2, AT (METHOD) }, { EXIT + 3, AT (LOCK) }, { METHOD, AT (TYPE_NAME) }, { STACK + 1, AT (FRAMES) },
  { SEMAPHORE, AT (THREAD) }, { SEMAPHORE + 1, 1 },
};

static void
fill_image (const guint8 *data, gsize n_bytes)
{
  static const char *const type_names[] = { "tuple", "_thread.lock", "_thread.RLock", "__exit__" };
  guint64 *words = _PyRuntime;

  memset (words, 0, sizeof _PyRuntime);
  memcpy (words, "xdebugpy", sizeof *words);
  for (guint i = 0; i < G_N_ELEMENTS (sound); i++)
    words[sound[i].word] = sound[i].value < AT (0) ? sound[i].value : (guintptr) &words[sound[i].value - AT (0)];
  words[CODE + 1] = (guintptr) &PyCode_Type;
  words[NAME + 1] = words[FILE_NAME + 1] = (guintptr) &PyUnicode_Type;
  words[LINES + 1] = (guintptr) &PyBytes_Type;
  words[EXIT + 1] = (guintptr) &PyCFunction_Type;
  words[THREAD + 20] = (guint64) jank_memory_get_pid ();
  ((guint8 *) &words[STACK + 8])[70] = 3; /* the end of a run */
  strcpy ((char *) &words[TYPE_NAME], type_names[n_bytes > 0 ? data[0] / 4 % G_N_ELEMENTS (type_names) : 0]);
  Py_Version = 0x03000000 | (n_bytes > 0 ? 13 - data[0] % 4 % 3 : 13) << 16;
  for (gsize at = 1; at + 5 <= n_bytes; at += 5)
    {
      guint64 *word = &words[(data[at] | data[at + 1] << 8) % N_WORDS], value = data[at + 3] | data[at + 4] << 8;

      switch (data[at + 2] % 5)
        {
        case 0: *word = value; break;
        case 1: *word = (guintptr) &words[value % N_WORDS]; break;
        case 2: *word ^= value; break;
        case 3: *word += value << 13; break;
        default: *word = value << 48 | value; break;
        }
    }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize n_bytes)
{
  static JankCodeMap *map;
  static JankStackCopy copy;
  static JankPythonCalls calls;
  const pid_t tid = (pid_t) jank_memory_get_pid ();
  guint64 low = (guintptr) &_PyRuntime[STACK], base = (guintptr) &_PyRuntime[N_WORDS];
  const JankCall native = { .module = JANK_MODULE_NONE, .cfa = base };
  JankWait wait = { .kind = JANK_WAIT_LOCK, .lock = { .address = (guintptr) &_PyRuntime[SEMAPHORE] } };
  JankPythonRequest request;
  JankPython *python;

  fill_image (data, n_bytes);
  if (map == NULL)
    {
      map = jank_code_map_new ();
      jank_code_map_find (map, (guintptr) fill_image);
    }
  python = jank_python_new (map);
  jank_python_look (python);
  jank_python_request (python, tid, low, base, &request);
  copy.address = copy.regs[JANK_REG_SP] = low;
  copy.n_bytes = (guint32) (base - low);
  memcpy (copy.bytes, &_PyRuntime[STACK], copy.n_bytes);
  jank_python_walk (&request, &copy, tid, &calls);
  jank_stack_unref (jank_python_merge (python, jank_stack_new (&native, 1, TRUE), &copy, &calls));
  for (guint i = 0; i < 2; i++)
    {
      wait.lock.kind = i == 0 ? JANK_LOCK_SEM : JANK_LOCK_COND;
      jank_python_explain_wait (python, tid, &wait);
    }
  jank_python_free (python);
  return 0;
}
