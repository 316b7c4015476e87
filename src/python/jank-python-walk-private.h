/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Copies what belongs to a stack copy of a thread that runs Python: for each Python call, which code it executes and where
 * in it. Names are found later. May run in a signal handler: it only copies, and every read that could fault is the
 * kernel's. */

#pragma once

#include "python/jank-python-layout-private.h"
#include "unwind/jank-stack-copy-private.h"

#define JANK_PYTHON_MAX_CALLS 192

typedef struct
{
  JankPythonLayout layout;
  uint64_t         thread; /* its PyThreadState, 0: it runs no Python */
} JankPythonRequest;

typedef struct
{
  uint64_t code;        /* PyCodeObject; 0: those before it, innermost first, ran in the native frame around place */
  union { uint64_t instruction, place; };
} JankPythonCall;

#define JANK_PYTHON_CHUNK_BYTES (16 * 1024)

typedef struct
{
  uint32_t       n_calls;
  JankPythonCall calls[JANK_PYTHON_MAX_CALLS];

  /* during the walk */
  uint64_t       chunk;         /* address of bytes[0] in the data stack */
  uint64_t       n_chunk_bytes;
  uint32_t       n_reads;
  _Alignas (16) uint8_t bytes[JANK_PYTHON_CHUNK_BYTES];
} JankPythonCalls;

/* pid: our own. The thread stands still meanwhile, or the caller finds out that it did not. */
void jank_python_walk (const JankPythonRequest *request, const JankStackCopy *copy, long pid, JankPythonCalls *ret_calls);
