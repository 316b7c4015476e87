/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions that take as long as they are told to, each by a means of its own. */

#pragma once

#include <gio/gio.h>

typedef struct
{
  const char *name;   /* of the function */
  const char *reason; /* "computing", or the kind of its wait in the report schema */
  void      (*run) (gint64 length_ns);
} Work;

/* Before any of them is run: starts the thread that others wait for. */
void        work_start        (void);
const Work *work_get_all      (guint *ret_n_works);

/* Calls func inside depth calls of several functions. */
void        work_nest         (guint depth, void (*func) (gpointer), gpointer data);

/* Two ends of one D-Bus connection without a bus. */
gboolean    work_connect_pair (GDBusConnection **ret_server, GDBusConnection **ret_client, GError **error);
