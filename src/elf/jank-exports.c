/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "elf/jank-exports-private.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "base/jank-memory-private.h"

/* Longer tables and names are damaged ones. */
#define MAX_DYNAMIC 128
#define MAX_CHAIN   1024
#define MAX_BUCKETS (1 << 20)
#define MAX_SYMBOLS (1 << 20)
#define MAX_NAME    128

/* Of one function, that are searched for jumps. */
#define MAX_CODE_BYTES 4096

typedef struct
{
  guint32 n_buckets, first_symbol, n_bloom_words, bloom_shift;
} HashHeader;

/* The loader writes addresses over most offsets, not over all on every architecture. */
static guint64
jank_exports_to_address (guint64 load_bias, guint64 value)
{
  return value < load_bias ? value + load_bias : value;
}

static gboolean
jank_exports_read_hash_header (JankExports *self, guint64 hash)
{
  HashHeader header;

  if (hash == 0 || !jank_memory_read_all (hash, &header, sizeof header) || header.n_buckets == 0 ||
      header.n_buckets > MAX_BUCKETS)
    return FALSE;
  self->n_buckets = header.n_buckets;
  self->first_symbol = header.first_symbol;
  self->buckets = hash + sizeof header + header.n_bloom_words * sizeof (guint64);
  self->chain = self->buckets + header.n_buckets * sizeof (guint32);
  return TRUE;
}

gboolean
jank_exports_open (guint64 link_map, JankExports *ret_exports)
{
  JankExports self = { 0 };
  struct link_map map;
  guint64 hash = 0;

  if (!jank_memory_read_all (link_map, &map, G_STRUCT_OFFSET (struct link_map, l_next)))
    return FALSE;
  self.load_bias = map.l_addr;
  for (guint i = 0; i < MAX_DYNAMIC; i++)
    {
      ElfW (Dyn) entry;

      if (!jank_memory_read_all ((guintptr) map.l_ld + i * sizeof entry, &entry, sizeof entry) ||
          entry.d_tag == DT_NULL)
        break;
      if (entry.d_tag == DT_SYMTAB)
        self.symbols = jank_exports_to_address (map.l_addr, entry.d_un.d_ptr);
      else if (entry.d_tag == DT_STRTAB)
        self.strings = jank_exports_to_address (map.l_addr, entry.d_un.d_ptr);
      else if (entry.d_tag == DT_GNU_HASH)
        hash = jank_exports_to_address (map.l_addr, entry.d_un.d_ptr);
    }
  if (self.symbols == 0 || self.strings == 0 || !jank_exports_read_hash_header (&self, hash))
    return FALSE;
  *ret_exports = self;
  return TRUE;
}

/* The hash of DT_GNU_HASH. */
static guint32
jank_exports_hash_name (const char *name)
{
  guint32 hash = 5381;

  for (; *name != '\0'; name++)
    hash = hash * 33 + (guint8) *name;
  return hash;
}

static gboolean
jank_exports_is_symbol (const JankExports *self, guint32 index, guint type, const char *name, JankExport *ret_found)
{
  gsize n_bytes = strlen (name) + 1;
  char found[MAX_NAME];
  ElfW (Sym) symbol;

  if (n_bytes > sizeof found ||
      !jank_memory_read_all (self->symbols + index * sizeof symbol, &symbol, sizeof symbol) ||
      symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE (symbol.st_info) != type ||
      !jank_memory_read_all (self->strings + symbol.st_name, found, n_bytes) || memcmp (found, name, n_bytes) != 0)
    return FALSE;
  *ret_found = (JankExport) { self->load_bias + symbol.st_value, symbol.st_size };
  return TRUE;
}

static guint
jank_exports_search (const JankExports *self, guint type, const char *name, JankExport *ret_found, guint max)
{
  guint32 hash = jank_exports_hash_name (name), index, entry = 0;
  guint n = 0;

  if (!jank_memory_read_all (self->buckets + hash % self->n_buckets * sizeof index, &index, sizeof index) ||
      index < self->first_symbol)
    return 0;

  /* The last of a bucket has its lowest bit set. */
  for (guint i = 0; i < MAX_CHAIN && n < max && (entry & 1) == 0; i++, index++)
    {
      if (!jank_memory_read_all (self->chain + (index - self->first_symbol) * sizeof entry, &entry, sizeof entry))
        break;
      if ((entry | 1) == (hash | 1) && jank_exports_is_symbol (self, index, type, name, &ret_found[n]))
        n++;
    }
  return n;
}

guint
jank_exports_find (const JankExports *self, const char *name, JankExport *ret_found, guint max)
{
  return jank_exports_search (self, STT_FUNC, name, ret_found, max);
}

guint64
jank_exports_find_data (const JankExports *self, const char *name, guint64 *ret_n_bytes)
{
  JankExport found = { 0, 0 };

  jank_exports_search (self, STT_OBJECT, name, &found, 1);
  if (ret_n_bytes != NULL)
    *ret_n_bytes = found.n_bytes;
  return found.address;
}

/* The chain of the bucket that begins last ends with the last symbol. 0: the table is damaged */
static guint32
jank_exports_count_symbols (const JankExports *self)
{
  g_autofree guint32 *buckets = g_try_new (guint32, self->n_buckets);
  guint32 last = 0, entry = 0;

  if (buckets == NULL || !jank_memory_read_all (self->buckets, buckets, self->n_buckets * sizeof *buckets))
    return 0;
  for (guint32 i = 0; i < self->n_buckets; i++)
    last = MAX (last, buckets[i]);
  for (guint i = 0; last >= self->first_symbol && i < MAX_CHAIN && (entry & 1) == 0; i++, last++)
    if (!jank_memory_read_all (self->chain + (last - self->first_symbol) * sizeof entry, &entry, sizeof entry))
      return 0;
  return (entry & 1) != 0 && last <= MAX_SYMBOLS ? last : 0;
}

guint
jank_exports_find_jumps (const JankExport *function, guint64 *ret_targets, guint max)
{
  guint8 code[MAX_CODE_BYTES];
  gsize n_bytes = jank_memory_read (function->address, code, MIN (function->n_bytes, sizeof code));
  guint64 target;
  guint n = 0;

  for (gsize at = 0; at < n_bytes && n < max;)
    {
      at += jank_processor_read_jump (code + at, n_bytes - at, function->address + at, &target);
      if (target != 0 && target - function->address >= function->n_bytes)
        ret_targets[n++] = target;
    }
  return n;
}

gboolean
jank_exports_has_function (const JankExports *self, guint64 address)
{
  guint32 n = jank_exports_count_symbols (self);
  g_autofree ElfW (Sym) *symbols = g_try_new (ElfW (Sym), n);

  if (symbols == NULL || !jank_memory_read_all (self->symbols, symbols, n * sizeof *symbols))
    return FALSE;
  for (guint32 i = self->first_symbol; i < n; i++)
    if (symbols[i].st_shndx != SHN_UNDEF && self->load_bias + symbols[i].st_value == address)
      return TRUE;
  return FALSE;
}
