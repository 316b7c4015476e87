/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Calls that a signal would cut short, and what each gives a program that nobody watches. */

#pragma once

#include <glib.h>

typedef struct
{
  const char *name;
  long      (*call) (void);
  long        expected;
  int         expected_errno;
  gboolean    waits; /* for as long as calls_open() says */
} Call;

typedef struct
{
  long   value;
  int    error; /* errno */
  gint64 began_ns, took_ns;
} CallResult;

#define N_CALLS_THAT_ONLY_WAIT 9 /* the first */
extern const Call calls[];
extern const guint n_calls;

/* Once a program. Who helps the calls to wait ends with the process. */
void     calls_open  (gint64 length_ns);
void     calls_close (void);

/* On any thread, but each call on one at a time. Returns: whether it gave what it gives unwatched, and no sooner */
gboolean call_make   (const Call *call, CallResult *ret_result);
