/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which D-Bus method a thread waits for after it has sent a call. The message is found on the thread's stack, by the
 * class of the object, and its header fields are read by bounds-checked copies, in a layout learned from a message of
 * our own; where that fails, the method is unknown. Watcher thread only. */

#pragma once

#include <glib.h>

/* Empty: unknown. */
typedef struct
{
  char method[256];      /* "org.example.Slow.Wait": interface and method */
  char destination[256]; /* bus name */
  char path[256];        /* of the object */
} JankDBusCall;

/* sp: the thread's stack pointer; functions and cfas as for jank_wait_new(). FALSE: no function on the stack
 * waits for an answer. */
gboolean jank_dbus_call_look (guint64 sp, const guint64 *functions, const guint64 *cfas, guint n_functions,
                              JankDBusCall *ret_call);
