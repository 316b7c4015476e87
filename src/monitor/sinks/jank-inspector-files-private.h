/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the page in GTK's inspector keeps on disk, on demand. Any thread. */

#pragma once

#include "base/jank-settings-private.h"

/* keys (element-type utf8): of settings, into the program's group of $XDG_CONFIG_HOME/jankwatch/settings.conf; the
 * rest of that file stays. */
gboolean    jank_inspector_files_save_settings (const JankSettings *settings, GHashTable *keys, GError **error);

/* Fingerprints of stalls that are resolved: STORE/resolved, one on a line.
 * Returns: (transfer full) (element-type utf8): empty when there is no such file */
GHashTable *jank_inspector_files_load_resolved (const char *store);
gboolean    jank_inspector_files_save_resolved (const char *store, GHashTable *resolved, GError **error);
