/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Announces a report that was written: runs the user's command (setting on-report) and shows a desktop notification
 * (setting notify). Both are processes of their own; the program neither sees them nor shares its bus with them. */

#pragma once

#include "base/jank-settings-private.h"
#include "report/jank-report.h"

typedef struct _JankDelivery JankDelivery;

/* Copies the environment, so on the thread that sets the program's, if any does. */
JankDelivery *jank_delivery_new    (void);
void          jank_delivery_free   (JankDelivery *self);

/* Watcher thread. path: the file of a report that is the first with its fingerprint in this process. */
void          jank_delivery_tell   (JankDelivery *self, const JankSettings *settings, const char *path, gint64 now_ns);

/* The command `jankwatch`: beside this library in the build folder, else installed, else in the PATH of environment.
 * Returns: (transfer full) (nullable): an absolute path */
char         *jank_delivery_find_command (char **environment);
