/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the monitor is to the plug-in, in a few lines: opens it and tells it when the loop was busy. */

#pragma once

#include "gtk/jank-gtk-plugin-private.h"

/* Settings that a test may change, with functions that work. */
extern JankGtkHost host;

/* The plug-in of the build, opened once. */
const JankGtkPlugin *host_open_plugin (const char *path);

/* On the thread of the default main context. */
void                 host_watch_loop  (void);
