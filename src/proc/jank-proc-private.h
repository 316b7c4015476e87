/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Small files of /proc and text from outside. Nothing here waits for a disk or for another process. Any thread. */

#pragma once

#include <glib.h>
#include <sys/types.h>

/* Writes "/proc/PID/NAME"; pid 0: of the process that this thread reads, "/proc/self/NAME" if that is its own. */
void     jank_proc_path      (char *ret_path, gsize n_bytes, pid_t pid, const char *format, ...) G_GNUC_PRINTF (4, 5);

/* What stands behind field ("Uid:") on the line that begins with it, in a file of that name, as above, of up to 4 KiB.
 * Returns: (transfer full) (nullable): there is no such line */
char    *jank_proc_read_field (pid_t pid, const char *field, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* field: (transfer full) (nullable): as above. Returns: the decimal number there; -1: there is none */
gint64   jank_proc_to_number (char *field);

/* What a thread of it does, as in JankTask; 0: it is gone. */
char     jank_proc_read_state (pid_t pid, pid_t tid);

/* Opens for reading. Returns: -errno on failure */
int      jank_proc_open      (const char *path);

/* NUL-terminated text of a file, cut to n_bytes - 1. FALSE when there is none. */
gboolean jank_proc_read      (const char *path, char *buffer, gsize n_bytes);

/* Text of a file of several pages, of which a read gives but one. Returns: (transfer full): empty: there is none, or
 * too much */
char    *jank_proc_read_long (const char *path);

/* Where a link leads, cut likewise. */
gboolean jank_proc_read_link (const char *path, char *buffer, gsize n_bytes);

/* Copies text as valid UTF-8 without control characters. Text that is too long loses its beginning, so a path keeps
 * its file name. */
void     jank_proc_text      (char *ret_text, gsize n_bytes, const char *text);

/* Name of a process, empty when it is not known. */
void     jank_proc_get_name  (pid_t pid, char *ret_name, gsize n_bytes);

/* A process in a namespace of its own numbers its threads otherwise than the reader. Returns: its number of a thread;
 * the thread that has this number for it, 0: none. pid: 0: the process that is read */
pid_t    jank_proc_get_own_number (pid_t pid, pid_t tid);
pid_t    jank_proc_find_thread    (pid_t pid, pid_t number);
