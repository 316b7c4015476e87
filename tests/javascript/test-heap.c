/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The engine's state of the heap: of an engine that we know, and of none beside it. */

#include "javascript/jank-engine-heap-private.h"

#include <string.h>

#include "test.h"

typedef struct
{
  guint64 context[64], runtime[256];
  guint8  code[64];
} Engine;

/* mov runtime(%rax), %rax; mov state(%rax), %eax */
static void
make_engine (Engine *engine, guint32 runtime, guint32 state)
{
  static const guint8 moves[] = { 0x48, 0x8b, 0x80 };

  memset (engine, 0x90, sizeof *engine);
  engine->context[runtime / 8] = (guintptr) engine->runtime;
  memcpy (engine->code + 20, moves, 3);
  memcpy (engine->code + 23, &runtime, 4);
  memcpy (engine->code + 27, moves + 1, 2);
  memcpy (engine->code + 29, &state, 4);
}

static const _Atomic uint32_t *
find (const Engine *engine, const char *library)
{
  return jank_engine_heap_find (library, engine->context, engine->code);
}

TEST (known)
{
  Engine engine;

  make_engine (&engine, 0xc8, 0x598);
  g_assert_true ((const guint8 *) find (&engine, "/usr/lib/libmozjs-102.so.0") == (guint8 *) engine.runtime + 0x598);
  make_engine (&engine, 0xd0, 0x5d0);
  g_assert_true ((const guint8 *) find (&engine, "/usr/lib/libmozjs-128.so.0") == (guint8 *) engine.runtime + 0x5d0);
}

TEST (unknown)
{
  Engine engine;

  make_engine (&engine, 0xc8, 0x598);
  g_assert_null (find (&engine, "/usr/lib/libmozjs-115.so.0"));
  g_assert_null (find (&engine, "/usr/lib/libmozjs-128.so.0"));
  g_assert_null (find (&engine, "libmozjs-102.so.0"));
  g_assert_null (find (&engine, NULL));
  g_assert_null (jank_engine_heap_find ("/usr/lib/libmozjs-102.so.0", engine.context, NULL));
  make_engine (&engine, 0xc8, 0x59c);
  g_assert_null (find (&engine, "/usr/lib/libmozjs-102.so.0"));
}

TESTS ("/javascript/heap")
