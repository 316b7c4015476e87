/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: CPython's method tables. */

#include "python/jank-method-tables-private.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "base/jank-memory-private.h"
#include "elf/jank-exports-private.h"

#define MAX_PHDRS         64
#define MAX_SEGMENTS      4
#define MAX_SEGMENT_BYTES (8 * 1024 * 1024)
#define MAX_NAME          96

/* PyMethodDef: name, function, flags, documentation. In words, as all below. */
#define METHOD_WORDS 4
#define MAX_FLAGS    0x400
#define MAX_METHODS  1024

/* PyModuleDef and PyTypeObject, from their table back */
#define MODULE_TYPE 7
#define MODULE_NAME 3
#define TYPE_TYPE   28
#define TYPE_NAME   26

/* PyType_Slot: number, pointer. PyType_Spec: its name, from its slots back */
#define SLOT_WORDS      2
#define SLOT_OF_METHODS 64
#define MAX_SLOTS       128
#define SPEC_NAME       3

typedef struct
{
  guint64  address;
  guint64 *words; /* (owned) */
  gsize    n_words;
} Segment;

struct _JankMethodTables
{
  guint64 start, end;                /* of the file in memory */
  guint64 module_def_type, type_type; /* addresses */
  Segment segments[MAX_SEGMENTS];    /* the writable ones as they are in the file */
  guint   n_segments;
};

/* CPython is a file of its own, or the executable. */
static gboolean
jank_method_tables_find_types (JankMethodTables *self, JankCodeMap *map)
{
  for (guint i = 0; i < jank_code_map_get_n_modules (map); i++)
    {
      const JankModule *module = jank_code_map_get (map, i);
      JankExports exports;

      if (!module->loaded || module->link_map == 0 || !jank_exports_open (module->link_map, &exports))
        continue;
      self->module_def_type = jank_exports_find_data (&exports, "PyModuleDef_Type", NULL);
      self->type_type = jank_exports_find_data (&exports, "PyType_Type", NULL);
      if (self->module_def_type != 0 && self->type_type != 0)
        return TRUE;
    }
  return FALSE;
}

static void
jank_method_tables_copy_segment (JankMethodTables *self, guint64 address, guint64 n_bytes)
{
  Segment *segment = &self->segments[self->n_segments];
  guint64 skipped = -address % sizeof (guint64);

  if (n_bytes < skipped || n_bytes > MAX_SEGMENT_BYTES)
    return;
  segment->address = address + skipped;
  segment->words = g_malloc ((gsize) (n_bytes - skipped));
  segment->n_words = jank_memory_read (segment->address, segment->words,
                                       (gsize) (n_bytes - skipped)) / sizeof (guint64);
  self->n_segments++;
}

static void
jank_method_tables_copy_segments (JankMethodTables *self, guint64 base)
{
  ElfW (Ehdr) header;
  ElfW (Phdr) phdrs[MAX_PHDRS];

  if (!jank_memory_read_all (self->start, &header, sizeof header) || header.e_phentsize != sizeof *phdrs ||
      header.e_phnum > MAX_PHDRS ||
      !jank_memory_read_all (self->start + header.e_phoff, phdrs, header.e_phnum * sizeof *phdrs))
    return;
  for (guint i = 0; i < header.e_phnum && self->n_segments < MAX_SEGMENTS; i++)
    if (phdrs[i].p_type == PT_LOAD && (phdrs[i].p_flags & PF_W) != 0)
      jank_method_tables_copy_segment (self, base + phdrs[i].p_vaddr, phdrs[i].p_filesz);
}

JankMethodTables *
jank_method_tables_new (JankCodeMap *map, guint32 module)
{
  const JankModule *loaded = jank_code_map_get (map, module);
  g_autoptr (JankMethodTables) self = g_new0 (JankMethodTables, 1);

  if (!loaded->loaded || !jank_method_tables_find_types (self, map))
    return NULL;
  self->start = loaded->start;
  self->end = loaded->end;
  jank_method_tables_copy_segments (self, loaded->base);
  return g_steal_pointer (&self);
}

void
jank_method_tables_free (JankMethodTables *self)
{
  for (guint i = 0; i < self->n_segments; i++)
    g_free (self->segments[i].words);
  g_free (self);
}

static gboolean
jank_method_tables_is_inside (const JankMethodTables *self, guint64 address)
{
  return address >= self->start && address < self->end;
}

/* ret_name: MAX_NAME bytes */
static gboolean
jank_method_tables_read_name (const JankMethodTables *self, guint64 address, gboolean is_dotted, char *ret_name)
{
  const char *characters = is_dotted
                           ? G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_." : G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_";
  gsize n;

  if (!jank_method_tables_is_inside (self, address) || !jank_memory_read_text (address, ret_name, MAX_NAME))
    return FALSE;
  n = strlen (ret_name);
  return n > 0 && n < MAX_NAME - 1 && strspn (ret_name, characters) == n && !g_ascii_isdigit (ret_name[0]);
}

static gboolean
jank_method_tables_is_method (const JankMethodTables *self, const Segment *segment, gsize at)
{
  const guint64 *words = &segment->words[at];
  char name[MAX_NAME];

  return at + METHOD_WORDS <= segment->n_words && words[1] != 0 && words[2] > 0 && words[2] < MAX_FLAGS &&
         (words[3] == 0 ||
          jank_method_tables_is_inside (self, words[3])) && jank_method_tables_read_name (self, words[0], FALSE, name);
}

/* The table that holds the entry at at ends with one of zeros. Returns: its address, 0: it is no table */
static guint64
jank_method_tables_find_table (const JankMethodTables *self, const Segment *segment, gsize at)
{
  gsize first = at, end = at;

  if (!jank_method_tables_is_method (self, segment, at))
    return 0;
  while (end - at < MAX_METHODS * METHOD_WORDS && jank_method_tables_is_method (self, segment, end))
    end += METHOD_WORDS;
  if (end + METHOD_WORDS > segment->n_words || segment->words[end] != 0 || segment->words[end + 1] != 0)
    return 0;
  while (at - first < MAX_METHODS * METHOD_WORDS && first >= METHOD_WORDS &&
         jank_method_tables_is_method (self, segment, first - METHOD_WORDS))
    first -= METHOD_WORDS;
  return segment->address + first * sizeof (guint64);
}

/* The next place from *segment, *at on that holds value. */
static gboolean
jank_method_tables_find_word (const JankMethodTables *self, guint64 value, guint *segment, gsize *at)
{
  for (; *segment < self->n_segments; (*segment)++, *at = 0)
    for (const Segment *in = &self->segments[*segment]; *at < in->n_words; (*at)++)
      if (in->words[*at] == value)
        return TRUE;
  return FALSE;
}

static guint64
jank_method_tables_get_before (const Segment *segment, gsize at, gsize n)
{
  return at >= n ? segment->words[at - n] : 0;
}

/* The PyType_Spec of the slots that have the table at at. */
static gboolean
jank_method_tables_find_spec (const JankMethodTables *self, const Segment *segment, gsize at, char *ret_name)
{
  gsize first = at - 1;

  for (guint i = 0; i < MAX_SLOTS && segment->words[first] > 0 && segment->words[first] < MAX_SLOTS; i++)
    {
      guint64 slots = segment->address + first * sizeof (guint64);
      gsize place = 0;

      for (guint k = 0; jank_method_tables_find_word (self, slots, &k, &place); place++)
        if (jank_method_tables_read_name (self,
                                          jank_method_tables_get_before (&self->segments[k], place,
                                                                         SPEC_NAME), TRUE, ret_name))
          return TRUE;
      if (first < SLOT_WORDS)
        return FALSE;
      first -= SLOT_WORDS;
    }
  return FALSE;
}

/* The module or type whose functions table has. */
static gboolean
jank_method_tables_find_owner (const JankMethodTables *self, guint64 table, char *ret_name)
{
  gsize at = 0;

  for (guint i = 0; jank_method_tables_find_word (self, table, &i, &at); at++)
    {
      const Segment *segment = &self->segments[i];

      if (jank_method_tables_get_before (segment, at, MODULE_TYPE) == self->module_def_type &&
          jank_method_tables_read_name (self, jank_method_tables_get_before (segment, at, MODULE_NAME), TRUE, ret_name))
        return TRUE;
      if (jank_method_tables_get_before (segment, at, TYPE_TYPE) == self->type_type &&
          jank_method_tables_read_name (self, jank_method_tables_get_before (segment, at, TYPE_NAME), TRUE, ret_name))
        return TRUE;
      if (jank_method_tables_get_before (segment, at, 1) == SLOT_OF_METHODS &&
          jank_method_tables_find_spec (self, segment, at, ret_name))
        return TRUE;
    }
  return FALSE;
}

/* lock.acquire is also lock.__enter__ and lock.acquire_lock. */
static gboolean
jank_method_tables_is_better (const char *name, const char *than)
{
  gboolean is_public = name[0] != '_', was_public = than[0] != '_';

  return than[0] == '\0' || (is_public != was_public ? is_public : strlen (name) < strlen (than));
}

char *
jank_method_tables_find (JankMethodTables *self, guint64 function)
{
  char owner[MAX_NAME] = "", best[MAX_NAME] = "";
  gsize at = 0;

  for (guint i = 0; jank_method_tables_find_word (self, function, &i, &at); at++)
    {
      char name[MAX_NAME], found[MAX_NAME];
      guint64 table = at > 0 ? jank_method_tables_find_table (self, &self->segments[i], at - 1) : 0;

      if (table == 0 || !jank_method_tables_find_owner (self, table, found) ||
          !jank_method_tables_read_name (self, self->segments[i].words[at - 1], FALSE, name))
        continue;
      if (owner[0] != '\0' && strcmp (owner, found) != 0)
        return NULL;
      g_strlcpy (owner, found, sizeof owner);
      if (jank_method_tables_is_better (name, best))
        g_strlcpy (best, name, sizeof best);
    }
  /* The module that os takes its functions from. */
  return owner[0] != '\0' ? g_strdup_printf ("%s.%s", strcmp (owner, "posix") == 0 ? "os" : owner, best) : NULL;
}
