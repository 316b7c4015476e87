/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: CPython's garbage collector. In its struct _gc_runtime_state a generation is a list's head (two
 * addresses), a threshold and a count. */

#include "python/jank-python-collector-private.h"

#include <string.h>
#include <glib/gi18n-lib.h>

#include "base/jank-memory-private.h"
#include "elf/jank-exports-private.h"
#include "unwind/jank-eh-frame-private.h"
#include "unwind/jank-processor-private.h"
#include "unwind/jank-scripts-private.h"

/* The function that collects has 5 to 7 KB of code. Around it stands one that tells Python's callbacks, of some 300
 * bytes, if the compiler has kept the two apart. */
#define MIN_CODE_BYTES     2048
#define MAX_CALLER_BYTES   4096 /* PyGC_Collect() has 200 */

#define N_GENERATIONS    3
#define GENERATION_BYTES 24
#define COUNT            20 /* in a generation */
#define FIRST_PLACE      16 /* of the generations: 20 or 24, by version */
#define LAST_PLACE       24
#define TAGS             3  /* bits of a list's addresses that mean something else */

typedef struct
{
  guint64 address, n_bytes;
} Function;

/* Returns: the largest function without an exported name that caller calls directly; n_bytes 0: none */
static Function
jank_python_collector_find_callee (JankPageCache *pages, const JankModule *module, const JankExports *exports,
                                   Function caller)
{
  g_autofree JankFde *fde = g_new (JankFde, 1);
  Function found = { 0, 0 };
  guint64 target;

  for (guint64 at = caller.address + 1; at <= caller.address + MIN (caller.n_bytes, MAX_CALLER_BYTES); at++)
    if (jank_processor_classify_call (pages, at, &target) == JANK_CALL_DIRECT &&
        target >= module->start && target < module->end &&
        jank_eh_frame_find (pages, module->eh_frame_hdr, target, fde) &&
        fde->function == target && target != caller.address && fde->n_code_bytes > found.n_bytes &&
        !jank_exports_has_function (exports, target))
      found = (Function) { target, fde->n_code_bytes };
  return found;
}

/* The flag must say that it collects whenever one of them is believed: a wrong function names nothing. */
void
jank_python_collector_init (JankPythonCollector *self, const JankModule *module, const JankPythonLayout *layout)
{
  JankPageCache *pages = jank_page_cache_new ();
  JankExports exports;
  JankExport asked;
  Function function = { 0, 0 };

  *self = (JankPythonCollector) { .collecting = layout->collecting };
  if (layout->collector != 0 && jank_exports_open (module->link_map, &exports) &&
      jank_exports_find (&exports, "PyGC_Collect", &asked, 1) == 1)
    function = (Function) { asked.address, asked.n_bytes };
  while (function.n_bytes > 0 && function.n_bytes < MIN_CODE_BYTES && self->n_functions < JANK_PYTHON_MAX_COLLECTORS)
    {
      function = jank_python_collector_find_callee (pages, module, &exports, function);
      self->functions[self->n_functions++] = function.address;
    }
  if (function.n_bytes < MIN_CODE_BYTES)
    self->n_functions = 0;
  jank_page_cache_free (pages);
}

/* Both neighbours of a list's head point back at it. */
static gboolean
jank_python_collector_is_list (guint64 head)
{
  guint64 links[2], next[2], previous[2];

  return jank_memory_read_all (head, links, sizeof links) &&
         jank_memory_read_all (links[0] & ~(guint64) TAGS, next, sizeof next) &&
         jank_memory_read_all (links[1] & ~(guint64) TAGS, previous, sizeof previous) &&
         (next[1] & ~(guint64) TAGS) == (head & ~(guint64) TAGS) &&
           (previous[0] & ~(guint64) TAGS) == (head & ~(guint64) TAGS);
}

/* A collection keeps counts in the links of its own generation. */
void
jank_python_collector_learn (JankPythonCollector *self, guint64 address)
{
  if (self->generations != 0 || self->n_functions == 0)
    return;
  for (guint place = FIRST_PLACE; place <= LAST_PLACE && self->generations == 0; place += 4)
    {
      guint n = 0;

      for (guint i = 0; i < N_GENERATIONS; i++)
        n += jank_python_collector_is_list (address + place + i * GENERATION_BYTES);
      if (n >= N_GENERATIONS - 1)
        self->generations = (guint16) place;
    }
}

static guint32
jank_python_collector_get (const guint64 *words, guint offset)
{
  guint32 value;

  memcpy (&value, (const guint8 *) words + offset, sizeof value);
  return value;
}

/* Returns: (nullable): the state of the one that collects */
static const guint64 *
jank_python_collector_find_busy (const JankPythonCollector *self, const JankPythonCalls *calls)
{
  for (guint i = 0; i < calls->n_collectors; i++)
    if (jank_python_collector_get (calls->collectors[i], self->collecting) == 1)
      return calls->collectors[i];
  return NULL;
}

gboolean
jank_python_collector_is (const JankPythonCollector *self, const JankCall *call, const JankPythonCalls *calls)
{
  for (guint i = 0; i < self->n_functions; i++)
    if (call->function == self->functions[i])
      return jank_python_collector_find_busy (self, calls) != NULL;
  return FALSE;
}

/* A collection clears the counts of its generation and of the younger ones, and counts itself in the next older
 * one's. */
static const char *
jank_python_collector_describe (const JankPythonCollector *self, const guint64 *words)
{
  static const char *const names[] = {
    N_("Python's garbage collector (generation 0)"), N_("Python's garbage collector (generation 1)"),
    N_("Python's garbage collector (generation 2)"),
  };
  guint generation = 0;

  if (self->generations == 0)
    return N_("Python's garbage collector");
  while (generation + 1 < N_GENERATIONS &&
         jank_python_collector_get (words, self->generations + (generation + 1) * GENERATION_BYTES + COUNT) == 0)
    generation++;
  return names[generation];
}

gboolean
jank_python_collector_name (const JankPythonCollector *self, const JankPythonCalls *calls, const JankModule *module,
                            JankScripts *scripts, JankCall *ret_call)
{
  const guint64 *words = jank_python_collector_find_busy (self, calls);
  JankScript script = { .language = "python", .file = module->path, .is_collector = TRUE };

  if (words == NULL || module->path == NULL)
    return FALSE;
  script.name = (char *) jank_python_collector_describe (self, words);
  return jank_scripts_add (scripts, &script, 0, ret_call);
}
