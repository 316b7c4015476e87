/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The type of an object that may be none. Public layout: GTypeInstance, GTypeClass, GObject. Any thread. */

#pragma once

#include <glib-object.h>

#include "base/jank-memory-private.h"

/* What is freed has no references. */
#define JANK_DBUS_MAX_REFERENCES 100000

/* address: not yet checked. Returns: 0: no object in use stands there */
static inline guint64
jank_dbus_instance_read_type (guint64 address)
{
  guint64 words[2], type;
  guint n_references;

  if (address < 4096 || address % sizeof words[0] != 0 || !jank_memory_read_all (address, words, sizeof words) ||
      words[0] < 4096 || words[0] % sizeof words[0] != 0 || !jank_memory_read_all (words[0], &type, sizeof type))
    return 0;
  n_references = (guint) words[1];
  return n_references >= 1 && n_references <= JANK_DBUS_MAX_REFERENCES ? type : 0;
}
