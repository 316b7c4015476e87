/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "python/jank-python-parts-private.h"

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

void
jank_python_collector_init (JankPythonCollector *self, const JankModule *module)
{
  JankPageCache *pages = jank_page_cache_new ();
  JankExports exports;
  JankExport asked;
  Function function = { 0, 0 };

  *self = (JankPythonCollector) { .n_functions = 0 };
  if (jank_exports_open (module->link_map, &exports) && jank_exports_find (&exports, "PyGC_Collect", &asked, 1) == 1)
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

gboolean
jank_python_collector_name (const JankModule *module, JankScripts *scripts, JankCall *ret_call)
{
  const JankScript script = { .language = "python", .file = module->path, .is_collector = TRUE,
                              .name = (char *) N_("Python's garbage collector") };

  return module->path != NULL && jank_scripts_add (scripts, &script, 0, ret_call);
}
