/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which functions on a stack tell what a thread waits for: those of the C library and GLib that take locks, and those
 * that wait for a D-Bus reply. They are recognised by their address in the loaded library, which is read once per
 * library. Takes a lock of its own: any thread but the observed one. */

#pragma once

#include <glib.h>

typedef enum
{
  JANK_ROLE_NONE,
  JANK_ROLE_MUTEX,
  JANK_ROLE_READ_LOCK,
  JANK_ROLE_WRITE_LOCK,
  JANK_ROLE_COND,
  JANK_ROLE_SEM,
  JANK_ROLE_BARRIER,
  JANK_ROLE_JOIN,
  JANK_ROLE_ONCE,
  JANK_ROLE_GMUTEX,
  JANK_ROLE_GCOND,
  JANK_ROLE_GRWLOCK,      /* around a read or write lock */
  JANK_ROLE_GONCE,        /* around a GCond */
  JANK_ROLE_DBUS_SEND,    /* sends a GDBusMessage and waits for the answer to it */
  JANK_ROLE_DBUS_CALL,    /* does so inside, or in a main loop of its own */
  JANK_ROLE_DBUS_LIBDBUS, /* the same of libdbus and sd-bus, whose messages are kept as they are sent */
  JANK_ROLE_DBUS_SD_BUS,
  JANK_ROLE_SUBPROCESS_WAIT, /* waits for the end of a GSubprocess */
  JANK_ROLE_LOOP,         /* runs a main loop */
  JANK_ROLE_APPLICATION,  /* runs a GApplication */
  JANK_ROLE_SQLITE,       /* may sleep until another has unlocked the database */
} JankRole;

typedef struct
{
  JankRole role;
  guint64  library; /* equal for functions of one library, 0 none */
} JankKnownFunction;

/* function: where it begins, as in JankCall. */
void jank_known_function_look (guint64 function, JankKnownFunction *ret_known);
