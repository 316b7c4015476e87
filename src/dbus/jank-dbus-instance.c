/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "dbus/jank-dbus-parts-private.h"

#include <string.h>

#include "base/jank-memory-private.h"

/* What is freed has none, or anything. */
#define MAX_REFERENCES 100000

guint64
jank_dbus_instance_read_class (guint64 address)
{
  guint64 words[2];
  guint n_references;

  if (address < JANK_MEMORY_PAGE_BYTES || address % sizeof words[0] != 0 ||
      !jank_memory_read_all (address, words, sizeof words))
    return 0;
  n_references = (guint) words[1];
  return n_references >= 1 && n_references <= MAX_REFERENCES ? words[0] : 0;
}

/* Names, paths and addresses are of ASCII: addresses escape all else. */
gboolean
jank_dbus_instance_read_text (guint64 address, gboolean (*has_form) (const char *text),
                              char ret_text[JANK_DBUS_MAX_NAME])
{
  gsize n_bytes = jank_memory_read (address, ret_text, JANK_DBUS_MAX_NAME);
  gboolean is_text = memchr (ret_text, '\0', n_bytes) != NULL;

  for (const char *p = ret_text; is_text && *p != '\0'; p++)
    is_text = g_ascii_isgraph (*p);
  is_text = is_text && has_form (ret_text);
  if (!is_text)
    ret_text[0] = '\0';
  return is_text;
}
