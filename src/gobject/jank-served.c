/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: GIO's sources.
 *
 * A D-Bus source passes its callback an invocation or a signal's record, or a pointer to one. A file monitor's
 * source keeps, some words after its GSource, three in a row: the folder, the name in it or NULL, and the path of a
 * file with several names or NULL. */

#include "gobject/jank-type-nodes-private.h"

#include <string.h>

#include "base/jank-memory-private.h"
#include "gobject/jank-callbacks-private.h"

#define RECORD_WORDS  10
#define MONITOR_WORDS 10
#define MAX_TEXT      160

static guint
jank_served_read_words (guint64 address, guint64 *ret_words, guint n_words)
{
  return (guint) (jank_memory_read (address, ret_words, n_words * sizeof *ret_words) / sizeof *ret_words);
}

/* The callback's data is a method's invocation, a pointer to one, or a signal's record. */
static char *
jank_served_describe_bus (const JankTypes *types, guint64 data)
{
  guint64 words[1 + RECORD_WORDS] = { data };
  JankClues clues = { words, 1 + jank_served_read_words (data, words + 1, RECORD_WORDS) };
  char *text = jank_callback_describe_method (types, &clues);

  return text != NULL ? text : jank_callback_describe_signal (types, &clues);
}

/* A pointer that is NULL, or leads to a text that begins with a slash (is_absolute) or without. */
static gboolean
jank_served_read_path (guint64 address, gboolean is_absolute, char *ret_text)
{
  ret_text[0] = '\0';
  return address == 0 || (jank_instance_read_text (address, ret_text, MAX_TEXT) && (ret_text[0] == '/') == is_absolute);
}

static char *
jank_served_describe_monitor (guint64 source)
{
  guint64 words[MONITOR_WORDS];
  guint n_words = jank_served_read_words (source + sizeof (GSource), words, MONITOR_WORDS);
  char folder[MAX_TEXT], name[MAX_TEXT], path[MAX_TEXT];

  for (guint i = 0; i + 2 < n_words; i++)
    if (words[i] != 0 && jank_served_read_path (words[i], TRUE, folder) &&
        jank_served_read_path (words[i + 1], FALSE, name)
        && jank_served_read_path (words[i + 2], TRUE, path))
      {
        g_autofree char *file = path[0] != '\0' ? g_strdup (path) : g_build_filename (folder, name, NULL);

        return g_strdup_printf ("monitor of “%s”", file);
      }
  return NULL;
}

char *
jank_served_describe (const JankTypes *types, const JankSourceInfo *source)
{
  if (source->data != 0)
    return jank_served_describe_bus (types, source->data);
  return strcmp (source->name, "GFileMonitorSource") == 0 ? jank_served_describe_monitor (source->address) : NULL;
}
