/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Does, for a thread with descriptors of its own, the work that needs the program's: lines on the program's standard
 * error, what the setting “log” adds to its log, and waking a main loop, which writes to a descriptor of the loop's.
 * One thread, which shares the program's descriptors, does these errands in order and otherwise sleeps. */

#pragma once

#include <glib.h>
#include <sys/types.h>

/* On the thread that will have errands, before its descriptors are its own. FALSE: no thread can be had. */
gboolean jank_errands_begin  (GError **error);
/* The same thread: waits until all are done. */
void     jank_errands_end    (void);
/* The same, and errands go on. Gives up after timeout_us. */
void     jank_errands_flush  (gint64 timeout_us);
/* The same: the thread that does them; 0: none. */
pid_t    jank_errands_get_tid (void);

/* Any thread; one without errands does it at once. */
void     jank_errands_do     (void (*func) (gpointer data), gpointer data);
/* g_source_attach(); takes source over. */
void     jank_errands_attach (GSource *source, GMainContext *context);
/* jank_stderr_say(). */
void     jank_errands_say    (const char *format, ...) G_GNUC_PRINTF (1, 2);
