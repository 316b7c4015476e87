/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: SpiderMonkey's state of the heap, JSContext → JSRuntime → state. */

#include "javascript/jank-engine-heap-private.h"

#include <glib.h>
#include <string.h>

#include "base/jank-memory-private.h"
#include "unwind/jank-engine-layout-private.h"

/* JS::RuntimeHeapState() asks for the thread's context first, and has 40 bytes of code. */
#define MAX_CODE_BYTES 64

/* Whether the function has mov runtime(%rax), %rax; mov state(%rax), %eax. Other processors' code has no such bytes. */
static gboolean
jank_engine_heap_reads (const void *function, uint32_t runtime, uint32_t state)
{
  guint8 code[MAX_CODE_BYTES], wanted[] = { 0x48, 0x8b, 0x80, 0, 0, 0, 0, 0x8b, 0x80, 0, 0, 0, 0 };
  gsize n = jank_memory_read ((guint64) (guintptr) function, code, sizeof code);

  memcpy (wanted + 3, &runtime, sizeof runtime);
  memcpy (wanted + 9, &state, sizeof state);
  return memmem (code, n, wanted, sizeof wanted) != NULL;
}

const _Atomic uint32_t *
jank_engine_heap_find (const char *library, const void *context, const void *function)
{
  const JankEngineLayout *layout = function != NULL ? jank_engine_layout_find (library) : NULL;
  guint64 runtime;

  if (layout == NULL || layout->runtime == 0 || !jank_engine_heap_reads (function, layout->runtime, layout->state) ||
      !jank_memory_read_all ((guint64) (guintptr) context + layout->runtime, &runtime, sizeof runtime))
    return NULL;
  return (const _Atomic uint32_t *) (guintptr) (runtime + layout->state);
}
