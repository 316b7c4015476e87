/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The part of the engine that a signal handler uses. */

#pragma once

#include <stdatomic.h>

typedef struct
{
  void           (*request) (void *context); /* written before context */
  _Atomic (void *) context;                  /* JSContext; NULL: none. Written by its own thread. */
  _Atomic unsigned n_asking;                 /* threads that may be using context; its destruction waits for them */
} JankEngineAsk;

/* The program's one. All else of the engine is in another library, which is given this. */
extern JankEngineAsk jank_engine_asked;

/* Any thread, and signal handlers on the engine's. */
void jank_engine_ask (void);
