/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Copies the Python part of a thread's stack: for each Python call, its code object and the place in it. Names are
 * found later. May run in a signal handler: the kernel copies all but the thread's stack. */

#pragma once

#include <sys/uio.h>

#include "python/jank-python-layout-private.h"
#include "unwind/jank-stack-copy-private.h"

#define JANK_PYTHON_MAX_CALLS 192

/* Code that several samples have seen unchanged, in a table by address: the handler does not read it again. Each
 * address has a few places to be at, since a call's code that has none costs each sample 15 µs. */
#define JANK_PYTHON_STABLE    256
#define JANK_PYTHON_PLACES    4
#define JANK_PYTHON_PLACE(code) ((uint32_t) ((code) * 0x9e3779b97f4a7c15u >> 58) * JANK_PYTHON_PLACES)

/* A thread has one PyThreadState for each interpreter that it uses. */
#define JANK_PYTHON_MAX_STATES 4
typedef struct
{
  uint64_t address;
} JankPythonState;

typedef struct
{
  JankPythonLayout layout;
  uint32_t         n_states; /* 0: the thread runs no Python */
  JankPythonState  states[JANK_PYTHON_MAX_STATES];
  uint64_t         stable[JANK_PYTHON_STABLE];
} JankPythonRequest;

/* What identifies a call's code, copied with it: by the time the name is needed, other code may be at the address. */
#define JANK_PYTHON_CODE_WORDS 12
typedef struct
{
  uint64_t code[JANK_PYTHON_CODE_WORDS]; /* from layout.identity on */
  uint32_t name, file; /* indices into texts */
} JankPythonIdentity;

/* A text's object, from its type on. */
#define JANK_PYTHON_TEXT_WORDS 23
#define JANK_PYTHON_TEXT_BEGIN 8
typedef struct { uint64_t words[JANK_PYTHON_TEXT_WORDS]; } JankPythonText;

#define JANK_PYTHON_MAX_IDENTITIES 96
#define JANK_PYTHON_NO_IDENTITY    UINT32_MAX
#define JANK_PYTHON_STABLE_CODE    (UINT32_MAX - 1)

typedef struct
{
  uint64_t code;        /* PyCodeObject; 0: end of a run: the calls before it, innermost first, ran in the native frame
                           around place */
  union { uint64_t instruction, place; };
  uint32_t identity;    /* index, or one of the two */
} JankPythonCall;

#define JANK_PYTHON_CHUNK_BYTES (16 * 1024)

typedef struct
{
  uint32_t       n_calls;
  JankPythonCall calls[JANK_PYTHON_MAX_CALLS];
  uint32_t       n_identities, n_texts;
  JankPythonIdentity identities[JANK_PYTHON_MAX_IDENTITIES];
  JankPythonText texts[2 * JANK_PYTHON_MAX_IDENTITIES];

  /* during the walk */
  uint64_t       chunk;         /* address of bytes[0] in the data stack */
  uint64_t       n_chunk_bytes;
  uint32_t       n_reads;
  uint64_t       codes[JANK_PYTHON_MAX_IDENTITIES];
  uint64_t       gathered[JANK_PYTHON_MAX_IDENTITIES * JANK_PYTHON_CODE_WORDS];
  struct iovec   ranges[2 * JANK_PYTHON_MAX_IDENTITIES];
  _Alignas (16) uint8_t bytes[JANK_PYTHON_CHUNK_BYTES];
} JankPythonCalls;

/* pid: of the process that is read. The thread whose calls they are must stand still meanwhile, or the caller must
 * detect that it moved. */
void jank_python_walk (const JankPythonRequest *request, const JankStackCopy *copy, long pid,
                       JankPythonCalls *ret_calls);
