/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the page in GTK's inspector keeps on disk, on demand. Any thread. */

#pragma once

#include "settings/jank-settings-private.h"

/* keys (element-type utf8): of settings, into the program's group of $XDG_CONFIG_HOME/jankwatch/settings.conf; the
 * rest of that file stays. */
gboolean    jank_inspector_files_save_settings (const JankSettings *settings, GHashTable *keys, GError **error);
