/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Addresses to symbols, one pass over a table for all of them. Names are read only for the symbols that hold
 * an address. Where several do: the latest start wins, then global before local, then the smallest,
 * then among the first eight aliases the name with the fewest leading underscores, the shortest, the first in
 * byte order. */

#include "elf/jank-elf-private.h"

#include <string.h>
#include <glib/gi18n-lib.h>

#define SYMBOLS_PER_READ 1024
#define MAX_ALIASES 8
#define MAX_NAME_BYTES 4096

/* In a sound file about one symbol holds an address; in a hostile one all may hold all of them. */
#define MAX_HITS (1 << 22)

typedef struct
{
  gboolean found;
  gboolean local;
  guint64  start, n_bytes;
  guint    n_aliases;
  guint32  aliases[MAX_ALIASES]; /* offsets of names */
} Match;

static gboolean
jank_elf_symbols_is_function (const Elf64_Sym *symbol)
{
  guint type = ELF64_ST_TYPE (symbol->st_info);

  return (type == STT_FUNC || type == STT_GNU_IFUNC)
         && symbol->st_shndx != SHN_UNDEF && symbol->st_size != 0 && symbol->st_name != 0;
}

/* Greater than 0 when symbol is better than match, 0 when they are aliases. Weak is no worse than global: libc's
 * poll() is the weak one, __poll() the global. */
static int
jank_elf_symbols_compare_with_match (const Elf64_Sym *symbol, gboolean local, const Match *match)
{
  if (symbol->st_value != match->start)
    return symbol->st_value > match->start ? 1 : -1;
  if (local != match->local)
    return match->local ? 1 : -1;
  return symbol->st_size < match->n_bytes ? 1 : symbol->st_size > match->n_bytes ? -1 : 0;
}

static void
jank_elf_symbols_offer_symbol (Match *match, const Elf64_Sym *symbol)
{
  gboolean local = ELF64_ST_BIND (symbol->st_info) == STB_LOCAL;
  int order = match->found ? jank_elf_symbols_compare_with_match (symbol, local, match) : 1;

  if (order < 0 || (order == 0 && match->n_aliases == MAX_ALIASES))
    return;
  if (order > 0)
    *match = (Match) { .found = TRUE, .start = symbol->st_value, .n_bytes = symbol->st_size, .local = local };
  match->aliases[match->n_aliases++] = symbol->st_name;
}

static guint
jank_elf_symbols_first_query_from (const JankElfQuery *queries, guint n_queries, guint64 address)
{
  guint low = 0, high = n_queries;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (queries[middle].address < address)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Where a symbol begins or has ended the answer may be another. next: the first query that is not before the
 * border. */
static void
jank_elf_symbols_note_border (JankElfQuery *queries, guint n_queries, guint next, guint64 border)
{
  if (next < n_queries)
    queries[next].low = MAX (queries[next].low, border);
  if (next > 0)
    queries[next - 1].high = MIN (queries[next - 1].high, border);
}

/* A border was noted with the queries beside it. */
static void
jank_elf_symbols_spread_borders (JankElfQuery *queries, guint n_queries)
{
  for (guint q = 1; q < n_queries; q++)
    queries[q].low = MAX (queries[q].low, queries[q - 1].low);
  for (guint q = n_queries; q > 1; q--)
    queries[q - 2].high = MIN (queries[q - 2].high, queries[q - 1].high);
}

static gboolean
jank_elf_symbols_scan_table (JankElf *self, const JankElfTable *table, JankElfQuery *queries, guint n_queries,
                             Match *matches, GError **error)
{
  g_autofree Elf64_Sym *symbols = g_new (Elf64_Sym, SYMBOLS_PER_READ);
  guint64 n_symbols = table->n_bytes / sizeof *symbols;
  guint n_hits = 0;

  for (guint64 done = 0, n; done < n_symbols; done += n)
    {
      n = MIN (n_symbols - done, SYMBOLS_PER_READ);
      if (!jank_elf_read (self, table->offset + done * sizeof *symbols, symbols, n * sizeof *symbols, error))
        return FALSE;
      for (guint64 i = 0; i < n; i++)
        {
          guint64 start = symbols[i].st_value, n_bytes = symbols[i].st_size;
          guint q;

          if (!jank_elf_symbols_is_function (&symbols[i]))
            continue;
          q = jank_elf_symbols_first_query_from (queries, n_queries, start);
          jank_elf_symbols_note_border (queries, n_queries, q, start);
          for (; q < n_queries && queries[q].address - start < n_bytes; q++)
            {
              if (++n_hits > MAX_HITS)
                return jank_elf_set_invalid (self, N_("its symbols overlap too much"), error);
              jank_elf_symbols_offer_symbol (&matches[q], &symbols[i]);
            }
          jank_elf_symbols_note_border (queries, n_queries, q,
                                        n_bytes > G_MAXUINT64 - start ? G_MAXUINT64 : start + n_bytes);
        }
    }
  return TRUE;
}

/* Returns: (transfer full) (nullable): cut at MAX_NAME_BYTES - 1 */
static char *
jank_elf_symbols_read_name (JankElf *self, const JankElfTable *table, guint32 offset)
{
  char buffer[MAX_NAME_BYTES];
  gsize done = 0, limit;

  if (offset >= table->strings_n_bytes)
    return NULL;
  limit = MIN (table->strings_n_bytes - offset, sizeof buffer - 1);
  while (done < limit)
    {
      gsize n = MIN (limit - done, done == 0 ? 128 : sizeof buffer);

      if (!jank_elf_read (self, table->strings_offset + offset + done, buffer + done, n, NULL))
        return NULL;
      done += n;
      if (memchr (buffer + done - n, '\0', n) != NULL)
        break;
    }
  buffer[done] = '\0';
  return buffer[0] != '\0' ? g_utf8_make_valid (buffer, -1) : NULL;
}

static int
jank_elf_symbols_compare_names (const char *a, const char *b)
{
  gsize a_underscores = strspn (a, "_"), b_underscores = strspn (b, "_");
  gsize a_length = strlen (a), b_length = strlen (b);

  if (a_underscores != b_underscores)
    return a_underscores < b_underscores ? -1 : 1;
  return a_length < b_length ? -1 : a_length > b_length ? 1 : strcmp (a, b);
}

static void
jank_elf_symbols_name_query (JankElf *self, const JankElfTable *table, const Match *match, JankElfQuery *query)
{
  for (guint i = 0; i < match->n_aliases; i++)
    {
      g_autofree char *name = jank_elf_symbols_read_name (self, table, match->aliases[i]);

      if (name == NULL || (query->name != NULL && jank_elf_symbols_compare_names (name, query->name) >= 0))
        continue;
      g_free (query->name);
      query->name = g_steal_pointer (&name);
      query->start = match->start;
      query->exported = table == &self->dynsym;
    }
}

static gboolean
jank_elf_symbols_has_nameless (const JankElfQuery *queries, guint n_queries)
{
  for (guint q = 0; q < n_queries; q++)
    if (queries[q].name == NULL)
      return TRUE;
  return FALSE;
}

gboolean
jank_elf_resolve (JankElf *self, JankElfQuery *queries, guint n_queries, GError **error)
{
  const JankElfTable *tables[] = { &self->symtab, &self->dynsym };

  for (guint q = 0; q < n_queries; q++)
    {
      queries[q].low = 0;
      queries[q].high = G_MAXUINT64;
    }
  for (guint t = 0; t < G_N_ELEMENTS (tables); t++)
    {
      g_autofree Match *matches = NULL;

      if (tables[t]->n_bytes == 0 || !jank_elf_symbols_has_nameless (queries, n_queries))
        continue;
      matches = g_new0 (Match, n_queries);
      if (!jank_elf_symbols_scan_table (self, tables[t], queries, n_queries, matches, error))
        return FALSE;
      for (guint q = 0; q < n_queries; q++)
        if (matches[q].found && queries[q].name == NULL)
          jank_elf_symbols_name_query (self, tables[t], &matches[q], &queries[q]);
    }
  jank_elf_symbols_spread_borders (queries, n_queries);
  return TRUE;
}
