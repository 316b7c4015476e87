/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* From the stack of a thread to its Python calls. */

#pragma once

#include <sys/uio.h>

#include "unwind/jank-stack-copy-private.h"

/* Private layout: CPython's calls. Offsets into its structs, in bytes, by version. Pure; any thread. */

#define JANK_PYTHON_MAX_STATE_WORDS  32
#define JANK_PYTHON_MAX_WALKED_WORDS 64  /* of a state, from its frames to its data stack */
#define JANK_PYTHON_MAX_CODE_BYTES   256
#define JANK_PYTHON_FRAME_WORDS      10  /* of _PyInterpreterFrame */

typedef struct
{
  /* _PyRuntimeState, PyInterpreterState */
  guint16 interpreters, next_interpreter, threads;

  /* PyThreadState: the top of the data stack follows its chunk; up to native_id it is read as a whole */
  guint16 next_thread, native_id, chunk, frames;

  /* 3.11 and 3.12: frames is the address of a _PyCFrame on the native stack, in which `previous` follows
   * `current_frame` */
  gboolean has_c_frames;
  guint16  c_frame;

  /* _PyInterpreterFrame. 3.11: mark is set in the first frame of each run of the interpreter. Later: the frame
   * before the first lies on the native stack, and its mark is entry_owner or more. */
  guint16 code, previous, instruction, mark;
  guint8  entry_owner; /* 0: 3.11 */

  /* PyCodeObject, of n_code_bytes before its instructions */
  guint16 first_line, file, name, lines, n_code_bytes;
  guint16 identity, n_identity_bytes; /* the part that holds the four fields above */

  /* Locks. _PyInterpreterFrame: whose it is, its variables, 0: not known, before its stack; PyCodeObject: how many
   * these are, names, exceptions; PyThreadState: what unlocks the lock that stands for the thread's end, 0: there is
   * none */
  guint16 owner, variables, n_variables, names, exceptions, on_delete;

  /* PyUnicodeObject: characters of an ASCII text, of another; PyBytesObject; PyTupleObject */
  guint16 ascii, compact, bytes, items;
} JankPythonLayout;

/* The newest version that has a layout, 3.14 as 14. */
guint    jank_python_layout_get_newest (void);

/* version: as in Py_Version; runtime: address of _PyRuntime, which describes itself from 3.13 on.
 * FALSE: the layout is unknown. */
gboolean jank_python_layout_find       (guint64 version, guint64 runtime, JankPythonLayout *ret_layout);

/* Copies the Python part of a thread's stack: for each Python call, its code object and the place in it. Names are
 * found later. May run in a signal handler: the kernel copies all but the thread's stack. */

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
