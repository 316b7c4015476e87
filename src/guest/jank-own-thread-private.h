/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A thread of ours in somebody else's program: it takes none of the program's signals, and its stack has one size.
 * That of other threads follows RLIMIT_STACK: of 16 KB ours would be too small, of 8 MB mlockall() would lock all. */

#pragma once

#include <glib.h>
#include <pthread.h>

/* Once, before the first thread of ours. Where the user has set the number of malloc()'s arenas to one, ours would
 * fill the program's heap, so there are more then. glibc reads that number when the first thread allocates: where
 * the program has had a thread before, nothing changes. */
void     jank_own_thread_prepare (void);

/* Any thread. `func` names its thread itself, by prctl(): what a starter allocated and our thread freed would stay with
 * ours, which would enlarge it where it lies, on top of the program's heap. FALSE: JANK_ERROR_UNAVAILABLE */
gboolean jank_own_thread_start (pthread_t *ret_thread, gpointer (*func) (gpointer data), gpointer data,
                                GError **error);
