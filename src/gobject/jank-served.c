/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: GIO's sources.
 *
 * What the callback of a D-Bus source is given is an invocation or the record of a signal, or leads there. The source of a
 * file's monitor has, somewhere behind its GSource, one after the other: the folder, the name in it, or none, and the path of
 * a file that has more names, or none. */

#include "config.h"

#include "gobject/jank-served-private.h"

#include <string.h>

#include "base/jank-memory-private.h"
#include "gobject/jank-callbacks-private.h"
#include "gobject/jank-instance-private.h"

#define RECORD_WORDS  10
#define MONITOR_WORDS 10
#define MAX_TEXT      160

static guint
read_words (guint64 address, guint64 *ret_words, guint n_words)
{
  return (guint) (jank_memory_read (address, ret_words, n_words * sizeof *ret_words) / sizeof *ret_words);
}

/* The callback's data is the invocation of a method, or leads to it, or belongs to a signal. */
static char *
describe_bus (const JankTypes *types, guint64 data)
{
  guint64 words[1 + RECORD_WORDS] = { data };
  JankClues clues = { words, 1 + read_words (data, words + 1, RECORD_WORDS) };
  char *text = jank_callback_describe_method (types, &clues);

  return text != NULL ? text : jank_callback_describe_signal (types, &clues);
}

/* A word that is 0, or a text that begins as a path does, or not. */
static gboolean
read_path (guint64 address, gboolean is_absolute, char *ret_text)
{
  ret_text[0] = '\0';
  return address == 0 || (jank_instance_read_text (address, ret_text, MAX_TEXT) && (ret_text[0] == '/') == is_absolute);
}

static char *
describe_monitor (guint64 source)
{
  guint64 words[MONITOR_WORDS];
  guint n_words = read_words (source + sizeof (GSource), words, MONITOR_WORDS);
  char folder[MAX_TEXT], name[MAX_TEXT], path[MAX_TEXT];

  for (guint i = 0; i + 2 < n_words; i++)
    if (words[i] != 0 && read_path (words[i], TRUE, folder) && read_path (words[i + 1], FALSE, name)
        && read_path (words[i + 2], TRUE, path))
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
    return describe_bus (types, source->data);
  return strcmp (source->name, "GFileMonitorSource") == 0 ? describe_monitor (source->address) : NULL;
}
