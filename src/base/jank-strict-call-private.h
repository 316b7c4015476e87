/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the library that `run --strict` preloads and this one tell each other of calls that may block. */

#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum
{
  JANK_STRICT_DBUS,    /* a synchronous D-Bus call */
  JANK_STRICT_SYNC,    /* waits until the disk has written */
  JANK_STRICT_LOCK,    /* of a file */
  JANK_STRICT_CONNECT, /* a socket */
  JANK_STRICT_DNS,     /* looks up a host's name */
  JANK_STRICT_CHILD,   /* waits for a child process */
  JANK_N_STRICT
} JankStrictKind;

/* One call, as it begins. */
typedef struct
{
  JankStrictKind kind;
  const char    *function; /* static */
  const char    *target;   /* (nullable): host or command line */
  int            fd;       /* -1: none */
  const void    *caller;   /* return address */
} JankStrictCall;

/* On the main thread; errno may change. */
typedef struct
{
  /* Returns: whether end() is to be called: it counts */
  bool (*begin) (const JankStrictCall *call);
  void (*end)   (void);
} JankStrictFuncs;

/* In the preloaded library, called once; funcs must stay. */
#define JANK_STRICT_SET_SYMBOL "jank_preload_set_strict"
typedef void JankStrictSetFunc (const JankStrictFuncs *funcs);
