/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tells others of a report that was written: the user's command (setting on-report), and a desktop notification
 * (setting notify). Both are processes of their own, in which the program has no part; the bus is theirs alone. */

#pragma once

#include "base/jank-settings-private.h"
#include "report/jank-report.h"

typedef struct _JankDelivery JankDelivery;

/* On the thread that sets the program's environment, if any does: it is copied here. */
JankDelivery *jank_delivery_new    (void);
void          jank_delivery_free   (JankDelivery *self);

/* Watcher thread. path: of the file of a report whose like this process had not written before. */
void          jank_delivery_tell   (JankDelivery *self, const JankSettings *settings, const char *path, gint64 now_ns);

/* The command `jankwatch`: beside this library in the build folder, else installed, else in the PATH of environment.
 * Returns: (transfer full) (nullable): an absolute path */
char         *jank_delivery_find_command (char **environment);
