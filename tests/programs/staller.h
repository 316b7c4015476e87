/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <glib.h>

#include "clock.h"

/* What the parts of `staller` share. Everything runs on the main thread unless it says otherwise. */

typedef struct
{
  int n_args;
  char **args; /* after the name of the command, NULL-terminated */
} StallerArgs;

/* Returns the exit status. */
typedef int (*StallerCommand) (const StallerArgs *args);

int command_waits (const StallerArgs *args);
int command_other_waits (const StallerArgs *args);
int command_exit_in_stall (const StallerArgs *args);
int command_abort_in_stall (const StallerArgs *args);
int command_hang (const StallerArgs *args);
int command_startup (const StallerArgs *args);
int command_no_loop (const StallerArgs *args);
int command_nested (const StallerArgs *args);
int command_idle (const StallerArgs *args);
int command_busy_short (const StallerArgs *args);
int command_threads (const StallerArgs *args);

/* The number at this place, or the value for a missing one; text that is no number ends the program. */
gint64 staller_arg (const StallerArgs *args, int index, gint64 missing);

/* A main loop that waits a moment, calls the function from a GSource so many times with a rest between, and waits a
 * moment again. */
typedef void (*StallerFunc) (gpointer data);
void staller_run (StallerFunc func, gpointer data);
void staller_run_times (StallerFunc func, gpointer data, guint n_times, guint rest_ms);
void staller_run_idle (gint64 duration_ns);

/* context: (nullable): the default one */
void staller_attach_timeout (GMainContext *context, guint interval_ms, GSourceFunc func, gpointer data);

/* Makes GIO load its modules, ours among them, as the first use of a GFile would in any program. */
void staller_use_gio (void);

/* Prints one line, and flushes it. */
void staller_print (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* Computes in its own body. */
void stall_compute (gint64 duration_ns);

/* Where results go, so that no loop can be optimised away. */
extern guint64 staller_sink;
