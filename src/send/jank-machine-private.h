/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a server may know of this machine. */

#pragma once

#include <glib.h>

/* Tells machines apart and says nothing else of this one: a hash of its ID with a random salt, which the store keeps
 * unless keeps is FALSE.
 * Returns: (transfer full) (nullable): the salt cannot be kept */
char *jank_machine_get_identity (const char *store, gboolean keeps, GError **error);
