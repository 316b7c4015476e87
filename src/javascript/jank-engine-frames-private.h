/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* SpiderMonkey's calls, read from its memory. The engine is not asked and runs nothing: an answer would come when
 * the native call ends, and not at all, or with other calls, where that ends by an exception. All reads are safe
 * copies, and what they give counts only if it fits: each script's function has that script.
 *
 * Any thread, while the engine's thread stands still in native code; what it gives afterwards is for the caller to
 * drop. */

#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "unwind/jank-engine-layout-private.h"

#define JANK_ENGINE_NAME_BYTES 512
#define JANK_ENGINE_FILE_BYTES 1024

/* The file of the engine's own functions. */
#define JANK_ENGINE_SELF_HOSTED "self-hosted"

/* Text is as JS::FormatStackDump() writes it. */
typedef struct
{
  char     name[JANK_ENGINE_NAME_BYTES]; /* with "()", but for a file's own code */
  char     file[JANK_ENGINE_FILE_BYTES];
  uint32_t line;
  bool     is_exact; /* the line being executed; else where the function begins */
  uint64_t place;    /* on the stack: in what the engine has there for the call */
} JankEngineCall;

typedef struct
{
  const JankEngineLayout *layout; /* its activation is known */
  uint64_t context;   /* JSContext */
  uint64_t low, high; /* of the part of the thread's stack that is in use */
  uint64_t compiled;  /* where on the stack native code was called by the engine's compiled code, if that was the last
                       * to call any; 0: it was not */
  bool     is_asked;  /* the engine itself has called us: it is known to be in order */
} JankEngineView;

/* FALSE: enough. */
typedef bool (*JankEngineCallFunc) (const JankEngineCall *call, void *data);

/* Innermost first. Returns: whether all calls were read, or func had enough */
bool jank_engine_frames_read (const JankEngineView *view, JankEngineCallFunc func, void *data);
