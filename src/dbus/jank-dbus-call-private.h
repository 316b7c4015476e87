/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whom a thread waits for over D-Bus, and for what. Message, proxy and connection are found on the thread's stack, by
 * their types, and read by bounds-checked copies in layouts learned at run time; where that fails, they are unknown.
 * Watcher thread only. */

#pragma once

#include "unwind/jank-stack-private.h"

/* Empty: unknown. */
typedef struct
{
  char method[256];    /* "org.example.Slow.Wait", with its interface; empty with an interface: a proxy is being made */
  char name[256];      /* bus name: a well-known one, if the program knows it */
  char owner[256];     /* the unique name that has it */
  char path[256];      /* of the object */
  char interface[256];
  char property[256];  /* "org.example.Slow.Level", asked for or set; "org.example.Slow.*": all of them */
  char bus[256];       /* address of the bus, or of the peer */
} JankDBusCall;

/* sp: the thread's stack pointer; calls: on it. FALSE: none of them waits for an answer. */
gboolean jank_dbus_call_look (guint64 sp, const JankCall *calls, guint n_calls, JankDBusCall *ret_call);
