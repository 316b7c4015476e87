/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The watched programs that run now, as their live files tell it. Looking is done in threads, one at a time;
 * answers come in the main context of the caller. */

#pragma once

#include <gio/gio.h>

#include "report/jank-report-private.h"

/* One program. */
typedef struct
{
  gint        pid;
  char       *name, *state; /* (owned): "stuck 3.2 s" */
  char       *says;         /* (owned) (nullable): in what, and whom it waits for, a line each */
  char       *figures;      /* (owned): how it has been so far */
  guint       rank;         /* of ProgramRow */
  JankReport *report;       /* (owned) (nullable): newer than the last look's, of the stall under way */
} JankViewRunning;

typedef struct _JankViewNow JankViewNow;

/* store_folder: of programs that have no other. Shared by reference counting. */
JankViewNow *jank_view_now_new    (const char *store_folder);
void         jank_view_now_unref  (JankViewNow *self);

/* pid: whose report is wanted. Not before the last look has ended. */
void         jank_view_now_look   (JankViewNow *self, gint pid, GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer data);
/* Returns: (transfer full) (element-type JankViewRunning) (nullable): cancelled */
GPtrArray   *jank_view_now_finish (GAsyncResult *result);
