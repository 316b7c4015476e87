/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where each version of SpiderMonkey keeps what we read, in bytes: all that tells its versions apart. Pure; any
 * thread. */

#pragma once

#include <glib.h>

typedef struct
{
  const char *library; /* what its file's name begins with */

  /* Frames of compiled code */
  gboolean has_pointers; /* a frame begins with its caller's frame pointer, else is found by its size */
  guint16  to_pointer;   /* of a trampoline found by its size: to the record of frame pointer and return address */

  /* Calls; activation 0: not known */
  guint16  activation;   /* of JSContext: the newest */
  guint16  file;         /* of ScriptSource */
  guint32  is_latin1;    /* flag of JSString */
  gboolean has_columns;  /* as in jank_engine_find_line() */
  guint16  compiled;     /* of JitScript: BaselineScript */
} JankEngineLayout;

/* library NULL at the end. */
extern const JankEngineLayout jank_engine_layouts[];

/* path: (nullable): of the engine's library. Returns: (nullable): NULL for one that we do not know */
const JankEngineLayout *jank_engine_layout_find (const char *path);
