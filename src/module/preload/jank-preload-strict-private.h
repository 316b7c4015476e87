/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Calls that may block, in the library of `run --strict` alone: around them stand begin() and end(). Main thread of
 * the program that `run` follows; elsewhere they do nothing. errno stays as it is. */

#pragma once

#include <poll.h>
#include <stdint.h>

#include "base/jank-strict-call-private.h"

typedef struct
{
  uint32_t site; /* 0: not counted */
  int64_t  began_ns;
} JankPreloadCall;

#ifdef JANK_PRELOAD_STRICT

/* Before main(): finds what can be found. */
void            jank_preload_strict_prepare    (void);
JankPreloadCall jank_preload_strict_begin      (const JankStrictCall *call);
void            jank_preload_strict_end        (JankPreloadCall call);
/* Of a poll() the socket that it waits for to be connected. Returns: -1: none */
int             jank_preload_strict_find_connecting (const struct pollfd *fds, nfds_t n_fds, const void *caller);

#else

static inline void
jank_preload_strict_prepare (void)
{
}

static inline JankPreloadCall
jank_preload_strict_begin (const JankStrictCall *call)
{
  return (JankPreloadCall) { 0 };
}

static inline int
jank_preload_strict_find_connecting (const struct pollfd *fds, nfds_t n_fds, const void *caller)
{
  return -1;
}

static inline void
jank_preload_strict_end (JankPreloadCall call)
{
}

#endif
