/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* May run in a signal handler of the engine's thread. JS_RequestInterruptCallbackCanWait() is two atomic stores; the
 * variant without CanWait takes a lock. */

#include "javascript/jank-engine-ask-private.h"

#include "base/jank-memory-sigsafe-private.h"

JankEngineAsk jank_engine_asked;

/* Either the context's destruction sees n_asking and waits, or context is NULL here: sequentially consistent. */
JANK_NO_SANITIZE void
jank_engine_ask (void)
{
  JankEngineAsk *self = &jank_engine_asked;
  void *context;

  atomic_fetch_add (&self->n_asking, 1);
  context = atomic_load (&self->context);
  if (context != NULL)
    self->request (context);
  atomic_fetch_sub (&self->n_asking, 1);
}
