/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* For which function a source was dispatched whose callback is a binding's closure. GLib holds a source's callback data
 * until its dispatch has returned, and with it the closure, its function and that function's code; a moment later all
 * may be gone. So who it was is copied by the thread that has dispatched it. No lock, no allocation. */

#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Address of the function's code, and what stands there: of different functions never the same at one time. */
typedef struct { uint64_t words[4]; } JankCalleeId;

typedef struct
{
  const char *language;  /* as in the report */
  char        name[256]; /* qualified */
  char        file[256]; /* a path, or a URI, as the interpreter knows it */
  uint32_t    line;      /* where it begins */
  bool        has_line;  /* on stacks, too, it goes by that line */
} JankCallee;

/* What reads the closures of one binding; thread: the one that has just dispatched. */
typedef struct
{
  /* data: the callback's, anything. false: it leads to no function of this binding's */
  bool (*find) (uint64_t data, JankCalleeId *ret_id);
  /* Once for each, after find. false: it cannot be read */
  bool (*read) (const JankCalleeId *id, JankCallee *ret_callee);
} JankCalleeReader;
