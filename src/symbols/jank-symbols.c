/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "symbols/jank-symbols-private.h"

#include <string.h>
#include <sys/prctl.h>

#include "descriptors/jank-mounts-private.h"
#include "guest/jank-own-thread-private.h"
#include "guest/jank-rest-private.h"
#include "elf/jank-elf-private.h"
#include "elf/jank-loaded-private.h"
#include "unwind/jank-scripts-private.h"

#define MAX_KNOWN 512 /* per module; then all are forgotten */
#define WAIT_US   (G_USEC_PER_SEC / 5)

/* (atomic): threads of remote files that have not returned. One that hangs is enough. */
static gint n_asking;

typedef struct
{
  const JankCall *call;
  JankSymbol      *symbol;
} Entry;

/* A file's answer for the ELF addresses from low to before high. */
typedef struct
{
  guint64      low, high;
  char        *name;  /* (owned) (nullable) */
  guint64      start;
  JankNameFrom from;
} Known;

static void
jank_symbols_known_free (gpointer data)
{
  g_free (((Known *) data)->name);
  g_free (data);
}

/* How many begin at address or before. If one holds address, it is the last of them. */
static guint
jank_symbols_count_known (const GPtrArray *known, guint64 address)
{
  guint low = 0, high = known->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (((const Known *) known->pdata[middle])->low <= address)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static const Known *
jank_symbols_find_known (const GPtrArray *known, guint64 address)
{
  guint n = jank_symbols_count_known (known, address);
  const Known *last = n > 0 ? known->pdata[n - 1] : NULL;

  return last != NULL && address < last->high ? last : NULL;
}

static gboolean
jank_symbols_recall (const GPtrArray *known, guint64 base, const Entry *entry)
{
  const Known *place = jank_symbols_find_known (known, entry->call->pc - base);

  if (place == NULL)
    return FALSE;
  if (place->name != NULL)
    *entry->symbol = (JankSymbol) { g_strdup (place->name), base + place->start, place->from };
  return TRUE;
}

/* Keeps the answers sorted and free of overlaps: answers from two tables are narrower than those from one. */
static void
jank_symbols_remember (GPtrArray *known, const JankElfQuery *query, const JankSymbol *symbol)
{
  Known *place;
  guint at;

  if (jank_symbols_find_known (known, query->address) != NULL)
    return;
  if (known->len >= MAX_KNOWN)
    g_ptr_array_set_size (known, 0);
  at = jank_symbols_count_known (known, query->address);
  place = g_new (Known, 1);
  *place = (Known) { query->low, query->high, g_strdup (symbol->name), query->start, symbol->from };
  if (at > 0)
    place->low = MAX (place->low, ((const Known *) known->pdata[at - 1])->high);
  if (at < known->len)
    place->high = MIN (place->high, ((const Known *) known->pdata[at])->low);
  g_ptr_array_insert (known, (gint) at, place);
}

static int
jank_symbols_compare_entries (const void *a, const void *b)
{
  const JankCall *a_frame = ((const Entry *) a)->call;
  const JankCall *b_frame = ((const Entry *) b)->call;

  if (a_frame->module != b_frame->module)
    return a_frame->module < b_frame->module ? -1 : 1;
  return (a_frame->pc > b_frame->pc) - (a_frame->pc < b_frame->pc);
}

/* A package upgrade or a rebuild may have put another file at the path. */
static gboolean
jank_symbols_is_loaded_file (JankElf *elf, const JankModule *module)
{
  if (module->n_build_id != 0 && elf->n_build_id != 0)
    return module->n_build_id == elf->n_build_id
           && memcmp (module->build_id, elf->build_id, elf->n_build_id) == 0;
  return module->loaded && jank_elf_equals_memory (elf, module->start);
}

static char *
jank_symbols_strip_version (char *name)
{
  char *at = strchr (name + 1, '@');

  if (at != NULL)
    *at = '\0';
  return name;
}

/* Questions to one file. A remote file may answer late, so this shares nothing with the rest: who asks and the thread
 * that reads own it together, and the last one frees it. */
typedef struct
{
  JankModule    module; /* path (owned) */
  JankElfQuery *queries; /* (owned) */
  guint         n_queries;
  gboolean      is_whole; /* the file was read to its end: what has no name by then has none */

  GMutex        mutex;
  GCond         cond;
  gboolean      answered; /* under the mutex */
} Lookup;

static Lookup *
jank_symbols_lookup_new (const JankModule *module, const Entry *entries, guint n_entries)
{
  Lookup *self = g_atomic_rc_box_new0 (Lookup);

  self->module = *module;
  self->module.path = jank_loaded_find_file (module->path);
  self->queries = g_new0 (JankElfQuery, n_entries);
  self->n_queries = n_entries;
  for (guint i = 0; i < n_entries; i++)
    self->queries[i].address = entries[i].call->pc - module->base;
  g_mutex_init (&self->mutex);
  g_cond_init (&self->cond);
  return self;
}

static void
jank_symbols_lookup_clear (gpointer data)
{
  Lookup *self = data;

  for (guint i = 0; i < self->n_queries; i++)
    g_free (self->queries[i].name);
  g_free (self->queries);
  g_free (self->module.path);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->cond);
}

static void
jank_symbols_lookup_unref (Lookup *self)
{
  g_atomic_rc_box_release_full (self, jank_symbols_lookup_clear);
}

/* Watcher thread, or the thread of a remote file. */
static void
jank_symbols_lookup_run (Lookup *self)
{
  g_autoptr (JankElf) elf = jank_elf_new (self->module.path, NULL);

  /* In a damaged file, the names found before the damage count: each was read whole. */
  if (elf != NULL && jank_symbols_is_loaded_file (elf, &self->module))
    self->is_whole = jank_elf_resolve (elf, self->queries, self->n_queries, NULL);
}

/* The thread of a remote file. */
static gpointer
jank_symbols_lookup_thread (gpointer data)
{
  Lookup *self = data;

  prctl (PR_SET_NAME, "jankwatch-files", 0, 0, 0);
  jank_rest_join ();
  jank_symbols_lookup_run (self);
  jank_rest_leave ();
  g_atomic_int_dec_and_test (&n_asking);
  g_mutex_lock (&self->mutex);
  self->answered = TRUE;
  g_cond_signal (&self->cond);
  g_mutex_unlock (&self->mutex);
  jank_symbols_lookup_unref (self);
  return NULL;
}

/* FALSE: an earlier one has not returned yet, or no thread could be had */
static gboolean
jank_symbols_lookup_begin (Lookup *self)
{
  pthread_t thread;

  if (g_atomic_int_get (&n_asking) != 0)
    return FALSE;
  g_atomic_int_inc (&n_asking);
  if (jank_own_thread_start (&thread, jank_symbols_lookup_thread, g_atomic_rc_box_acquire (self), NULL))
    return pthread_detach (thread) == 0;
  g_atomic_int_add (&n_asking, -1);
  jank_symbols_lookup_unref (self);
  return FALSE;
}

/* Programs may be installed on NFS or run from a FUSE mount. Opening such a file hangs when the mount hangs, and the
 * watcher must not hang. So a thread of its own reads the file, and the watcher waits a moment at most. */
static gboolean
jank_symbols_lookup_run_elsewhere (Lookup *self)
{
  gint64 until_us = g_get_monotonic_time () + WAIT_US;
  gboolean answered;

  if (!jank_symbols_lookup_begin (self))
    return FALSE;
  jank_rest_begin ();
  g_mutex_lock (&self->mutex);
  while (!self->answered && g_cond_wait_until (&self->cond, &self->mutex, until_us))
    continue;
  answered = self->answered;
  g_mutex_unlock (&self->mutex);
  jank_rest_end ();
  return answered;
}

/* known (nullable) */
static void
jank_symbols_lookup_read (Lookup *self, const Entry *entries, GPtrArray *known)
{
  for (guint i = 0; i < self->n_queries; i++)
    {
      JankElfQuery *query = &self->queries[i];
      JankSymbol *symbol = entries[i].symbol;

      if (query->name != NULL)
        *symbol = (JankSymbol) { jank_symbols_strip_version (g_steal_pointer (&query->name)),
                                self->module.base + query->start,
                                query->exported ? JANK_NAME_FROM_EXPORTED : JANK_NAME_FROM_SYMTAB };
      if (known != NULL && self->is_whole)
        jank_symbols_remember (known, query, symbol);
    }
}

/* Whether a file is remote, the kernel's list of mounts says: the file is not touched. */
static void
jank_symbols_ask_file (const JankModule *module, const Entry *entries, guint n_entries, GPtrArray *known)
{
  Lookup *lookup = jank_symbols_lookup_new (module, entries, n_entries);
  JankMount mount;
  gboolean is_far = jank_mounts_find_path (module->path, &mount) && jank_mounts_is_remote (mount.type);

  if (!is_far)
    jank_symbols_lookup_run (lookup);
  if (!is_far || jank_symbols_lookup_run_elsewhere (lookup))
    jank_symbols_lookup_read (lookup, entries, known);
  jank_symbols_lookup_unref (lookup);
}

/* entries: of one module, in ascending order of pc; overwritten. */
static void
jank_symbols_resolve_module (JankCodeMap *map, guint32 index, Entry *entries, guint n_entries)
{
  const JankModule *module = jank_code_map_get (map, index);
  GPtrArray *known;
  guint n_left = 0;

  if (module->path == NULL || module->path[0] == '[' || entries[0].call->pc < module->base)
    return;
  known = jank_code_map_get_known (map, index, jank_symbols_known_free);
  for (guint i = 0; i < n_entries; i++)
    if (known == NULL || !jank_symbols_recall (known, module->base, &entries[i]))
      entries[n_left++] = entries[i];
  if (n_left > 0)
    jank_symbols_ask_file (module, entries, n_left, known);
}

void
jank_symbols_resolve (JankCodeMap *map, const JankCall *calls, guint n_calls, JankSymbol *ret_symbols)
{
  g_autofree Entry *entries = g_new (Entry, n_calls);
  guint n;

  for (guint i = 0; i < n_calls; i++)
    {
      const JankScript *script = jank_call_get_script (map, &calls[i]);

      ret_symbols[i] = script != NULL ? (JankSymbol) { g_strdup (script->name), calls[i].function,
                                                      script->is_collector ? JANK_NAME_FROM_COLLECTOR
                                                                           : JANK_NAME_FROM_INTERPRETER }
                                      : (JankSymbol) { NULL, 0, JANK_NAME_FROM_NOWHERE };
      entries[i] = (Entry) { &calls[i], &ret_symbols[i] };
    }
  if (n_calls > 1)
    qsort (entries, n_calls, sizeof *entries, jank_symbols_compare_entries);

  for (guint first = 0; first < n_calls; first += n)
    {
      guint32 module = entries[first].call->module;

      for (n = 1; first + n < n_calls && entries[first + n].call->module == module; n++)
        continue;
      if (module < jank_code_map_get_n_modules (map))
        jank_symbols_resolve_module (map, module, &entries[first], n);
      jank_rest_yield ();
    }
}

void
jank_symbols_clear (JankSymbol *symbols, guint n_symbols)
{
  for (guint i = 0; i < n_symbols; i++)
    g_clear_pointer (&symbols[i].name, g_free);
}
