/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "store/jank-resolved-private.h"

#include <string.h>

#include <glib/gstdio.h>

#include "base/jank-whole-file-private.h"

#define FILE_NAME   "resolved"
#define MAX_BYTES   (1 << 20)
#define MAX_LETTERS 128

static void
jank_resolved_free (gpointer data)
{
  g_strfreev (((JankResolved *) data)->versions);
  g_free (data);
}

static gboolean
jank_resolved_is_fingerprint (const char *text)
{
  gsize length = strlen (text);

  return length > 0 && length <= MAX_LETTERS && strspn (text, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "-_:.") == length;
}

GHashTable *
jank_resolved_load (const char *store)
{
  GHashTable *all = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, jank_resolved_free);
  g_autofree char *path = g_build_filename (store, FILE_NAME, NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  GStatBuf info;

  if (g_stat (path, &info) != 0 || info.st_size > MAX_BYTES || !S_ISREG (info.st_mode) ||
      !g_file_get_contents (path, &text, NULL, NULL))
    return all;
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (lines[i], "\t", -1);
      JankResolved *resolved;

      if (parts[0] == NULL || !jank_resolved_is_fingerprint (parts[0]))
        continue;
      resolved = g_new0 (JankResolved, 1);
      resolved->when_us = parts[1] != NULL ? g_ascii_strtoll (parts[1], NULL, 10) : 0;
      if (resolved->when_us <= 0) /* of a jankwatch that did not write it */
        resolved->when_us = (gint64) info.st_mtime * G_USEC_PER_SEC;
      resolved->versions = g_strdupv (parts[1] != NULL ? parts + 2 : parts + 1);
      g_hash_table_replace (all, g_strdup (parts[0]), resolved);
    }
  return all;
}

static gboolean
jank_resolved_save (const char *store, GHashTable *all, GError **error)
{
  g_autofree char *path = g_build_filename (store, FILE_NAME, NULL);
  g_autoptr (GList) keys = g_list_sort (g_hash_table_get_keys (all), (GCompareFunc) strcmp);
  g_autoptr (GString) text = g_string_new (NULL);

  for (GList *item = keys; item != NULL; item = item->next)
    {
      const JankResolved *resolved = g_hash_table_lookup (all, item->data);
      g_autofree char *versions = g_strjoinv ("\t", resolved->versions);

      g_string_append_printf (text, "%s\t%" G_GINT64_FORMAT "%s%s\n", (const char *) item->data, resolved->when_us,
                              *versions != '\0' ? "\t" : "", versions);
    }
  return jank_whole_file_write_own (path, text->str, error);
}

gboolean
jank_resolved_set (const char *store, const char *fingerprint, gboolean is_resolved, const char *const *versions,
                   GError **error)
{
  g_autoptr (GHashTable) all = jank_resolved_load (store);
  JankResolved *resolved;

  g_hash_table_remove (all, fingerprint);
  if (is_resolved)
    {
      resolved = g_new0 (JankResolved, 1);
      resolved->when_us = g_get_real_time ();
      resolved->versions = versions != NULL ? g_strdupv ((GStrv) versions) : g_new0 (char *, 1);
      for (guint i = 0; resolved->versions[i] != NULL; i++)
        g_strdelimit (resolved->versions[i], "\t\n", ' ');
      g_hash_table_replace (all, g_strdup (fingerprint), resolved);
    }
  return jank_resolved_save (store, all, error);
}
