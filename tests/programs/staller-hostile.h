/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "staller.h"

/* Loops that are hard on whoever interrupts the thread or reads its stack. Each runs until the time is over and
 * returns its number of turns; a negative number means that it could not run, or that a turn went wrong. */

gint64 hostile_dl_iterate_phdr (gint64 until_ns);
gint64 hostile_dlopen (gint64 until_ns);
gint64 hostile_malloc (gint64 until_ns);
gint64 hostile_throw (gint64 until_ns);
gint64 hostile_recursion (gint64 until_ns);
gint64 hostile_altstack (gint64 until_ns);
gint64 hostile_coroutine (gint64 until_ns);
