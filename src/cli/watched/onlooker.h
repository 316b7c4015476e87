/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Looks at what the command starts, from outside and until one of these processes is watched, to say why none was. */

#pragma once

#include <glib.h>

typedef struct _Onlooker Onlooker;

/* Before the command starts. module_folder: in its GIO_EXTRA_MODULES. Returns: (transfer full) */
Onlooker *onlooker_start   (const char *module_folder);
void      onlooker_stop    (Onlooker *self);
void      onlooker_free    (Onlooker *self);

/* After it has been stopped. store: where reports were looked for. why (nullable): no library was preloaded.
 * Returns: (transfer full) (nullable): a sentence without a stop; NULL: nothing was seen */
char     *onlooker_explain (const Onlooker *self, const char *store, const char *why);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Onlooker, onlooker_free)
