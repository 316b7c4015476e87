/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "attribute/jank-symbols-private.h"

#include <string.h>

#include "attribute/jank-elf-private.h"
#include "attribute/jank-far-file-private.h"

typedef struct
{
  const JankFrame *frame;
  JankSymbol      *symbol;
} Entry;

static int
compare_entries (const void *a, const void *b)
{
  const JankFrame *a_frame = ((const Entry *) a)->frame;
  const JankFrame *b_frame = ((const Entry *) b)->frame;

  if (a_frame->module != b_frame->module)
    return a_frame->module < b_frame->module ? -1 : 1;
  return (a_frame->pc > b_frame->pc) - (a_frame->pc < b_frame->pc);
}

/* A package upgrade or a rebuild puts another file at the path of the one that runs. */
static gboolean
is_loaded_file (JankElf *elf, const JankModule *module)
{
  if (module->n_build_id != 0 && elf->n_build_id != 0)
    return module->n_build_id == elf->n_build_id
           && memcmp (module->build_id, elf->build_id, elf->n_build_id) == 0;
  return module->loaded && jank_elf_equals_memory (elf, module->start);
}

static char *
strip_version (char *name)
{
  char *at = strchr (name + 1, '@');

  if (at != NULL)
    *at = '\0';
  return name;
}

/* What is asked of one file; a copy of all that it takes, since a file that is far away may answer late. */
typedef struct
{
  JankModule    module; /* path (owned) */
  JankElfQuery *queries; /* (owned) */
  guint         n_queries;
} Lookup;

static Lookup *
lookup_new (const JankModule *module, const Entry *entries, guint n_entries)
{
  Lookup *self = g_new0 (Lookup, 1);

  self->module = *module;
  self->module.path = g_strdup (module->path);
  self->queries = g_new0 (JankElfQuery, n_entries);
  self->n_queries = n_entries;
  for (guint i = 0; i < n_entries; i++)
    self->queries[i].address = entries[i].frame->pc - module->base;
  return self;
}

static void
lookup_free (gpointer data)
{
  Lookup *self = data;

  for (guint i = 0; i < self->n_queries; i++)
    g_free (self->queries[i].name);
  g_free (self->queries);
  g_free (self->module.path);
  g_free (self);
}

/* Watcher thread, or that of a file that is far away. */
static void
lookup_run (gpointer data)
{
  Lookup *self = data;
  g_autoptr (JankElf) elf = jank_elf_new (self->module.path, NULL);

  /* Of a file that turns out damaged the names found before count: each was read whole. */
  if (elf != NULL && is_loaded_file (elf, &self->module))
    jank_elf_resolve (elf, self->queries, self->n_queries, NULL);
}

static void
lookup_read (gpointer data, gpointer user_data)
{
  Lookup *self = data;
  const Entry *entries = user_data;

  for (guint i = 0; i < self->n_queries; i++)
    if (self->queries[i].name != NULL)
      *entries[i].symbol = (JankSymbol) { strip_version (g_steal_pointer (&self->queries[i].name)),
                                          self->module.base + self->queries[i].start };
}

/* Entries of one module, in ascending order of pc. */
static void
resolve_module (const JankModule *module, const Entry *entries, guint n_entries)
{
  Lookup *lookup;

  if (module->path == NULL || module->path[0] == '[' || entries[0].frame->pc < module->base)
    return;
  lookup = lookup_new (module, entries, n_entries);
  if (jank_far_file_is (module->path))
    {
      jank_far_file_ask (lookup_run, lookup, lookup_free, lookup_read, (gpointer) entries);
      return;
    }
  lookup_run (lookup);
  lookup_read (lookup, (gpointer) entries);
  lookup_free (lookup);
}

void
jank_symbols_resolve (JankCodeMap *map, const JankFrame *frames, guint n_frames, JankSymbol *ret_symbols)
{
  g_autofree Entry *entries = g_new (Entry, n_frames);
  guint n;

  for (guint i = 0; i < n_frames; i++)
    {
      ret_symbols[i] = (JankSymbol) { NULL, 0 };
      entries[i] = (Entry) { &frames[i], &ret_symbols[i] };
    }
  if (n_frames > 1)
    qsort (entries, n_frames, sizeof *entries, compare_entries);

  for (guint first = 0; first < n_frames; first += n)
    {
      guint32 module = entries[first].frame->module;

      for (n = 1; first + n < n_frames && entries[first + n].frame->module == module; n++)
        continue;
      if (module < jank_code_map_get_n_modules (map))
        resolve_module (jank_code_map_get (map, module), &entries[first], n);
    }
}

void
jank_symbols_clear (JankSymbol *symbols, guint n_symbols)
{
  for (guint i = 0; i < n_symbols; i++)
    g_clear_pointer (&symbols[i].name, g_free);
}
