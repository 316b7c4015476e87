/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where CPython keeps what we read, by version: offsets into its structs, in bytes. Pure; any thread. */

#pragma once

#include <glib.h>

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

  /* PyUnicodeObject: characters of an ASCII text, of another; PyBytesObject */
  guint16 ascii, compact, bytes;
} JankPythonLayout;

/* The newest version that has a layout, 3.14 as 14. */
guint    jank_python_layout_get_newest (void);

/* version: as in Py_Version; runtime: address of _PyRuntime, which describes itself from 3.13 on.
 * FALSE: the layout is unknown. */
gboolean jank_python_layout_find       (guint64 version, guint64 runtime, JankPythonLayout *ret_layout);
