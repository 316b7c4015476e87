/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where SpiderMonkey says what its thread does with the heap. */

#pragma once

#include <stdatomic.h>
#include <stdint.h>

/* JS::HeapState, of a thread that collects more than its newest objects */
#define JANK_ENGINE_COLLECTS 2

/* library: path of the engine's; context: JSContext; function: JS::RuntimeHeapState(), whose code must read the place
 * that we do. Returns: (nullable): NULL for an engine that we do not know; valid as long as the context. */
const _Atomic uint32_t *jank_engine_heap_find (const char *library, const void *context, const void *function);
