/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "symbols/jank-known-names-private.h"

#include "base/jank-clock-private.h"
#include "python/jank-method-tables-private.h"

#define MAX_KNOWN 4096 /* then all are forgotten */
#define AGAIN_NS  (60 * JANK_NS_PER_S)

/* Reading every class of GNOME Shell takes 20 ms. Some readings are free; each other one takes a thousandth of the
 * time. */
#define N_FREE     16
#define COST_SHARE 1000

typedef struct
{
  guint64 function;
  char   *text;    /* (owned) (nullable) */
  gint64  asked_ns;
} Known;

struct _JankKnownNames
{
  GHashTable *slots, *methods; /* (owned) of Known, by function */
  guint       generation;
  gint64      paid_ns[N_FREE]; /* when each of the last readings will be paid for */
  guint       n_read;
};

static void
jank_known_names_known_free (gpointer data)
{
  g_free (((Known *) data)->text);
  g_free (data);
}

JankKnownNames *
jank_known_names_new (void)
{
  JankKnownNames *self = g_new0 (JankKnownNames, 1);

  self->slots = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, jank_known_names_known_free);
  self->methods = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, jank_known_names_known_free);
  return self;
}

void
jank_known_names_free (JankKnownNames *self)
{
  g_hash_table_unref (self->slots);
  g_hash_table_unref (self->methods);
  g_free (self);
}

static void
jank_known_names_forget_old (JankKnownNames *self, guint generation)
{
  gboolean is_old = generation != self->generation;

  if (is_old || g_hash_table_size (self->slots) > MAX_KNOWN)
    g_hash_table_remove_all (self->slots);
  if (is_old || g_hash_table_size (self->methods) > MAX_KNOWN)
    g_hash_table_remove_all (self->methods);
  self->generation = generation;
}

static const char *
jank_known_names_remember (GHashTable *table, guint64 function, const char *text, gint64 now_ns)
{
  Known *known = g_new (Known, 1);

  *known = (Known) { function, g_strdup (text), now_ns };
  g_hash_table_replace (table, &known->function, known);
  return known->text;
}

/* FALSE: it is to be asked for */
static gboolean
jank_known_names_recall (GHashTable *table, guint64 function, gint64 now_ns, const char **ret_text)
{
  const Known *known = g_hash_table_lookup (table, &function);

  if (known == NULL || (known->text == NULL && now_ns - known->asked_ns >= AGAIN_NS))
    return FALSE;
  *ret_text = known->text;
  return TRUE;
}

/* Returns: (transfer full) of JankSlot, in order: those that are to be asked for */
static GArray *
jank_known_names_recall_all (JankKnownNames *self, gint64 now_ns, JankSlot *slots, guint n_slots)
{
  GArray *unknown = g_array_new (FALSE, FALSE, sizeof (JankSlot));
  const char *text;

  for (guint i = 0; i < n_slots; i++)
    if (jank_known_names_recall (self->slots, slots[i].function, now_ns, &text))
      slots[i].description = g_strdup (text);
    else
      g_array_append_val (unknown, slots[i]);
  return unknown;
}

/* FALSE: too many were read lately */
static gboolean
jank_known_names_read_classes (JankKnownNames *self, guint64 types_begin, guint64 types_end, gint64 now_ns,
                               JankSlot *slots, guint n_slots)
{
  gint64 *paid_ns = &self->paid_ns[self->n_read % N_FREE];
  gint64 cpu_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID),
      last_ns = self->paid_ns[(self->n_read + N_FREE - 1) % N_FREE];

  if (now_ns < *paid_ns)
    return FALSE;
  jank_type_slots_describe (types_begin, types_end, slots, n_slots);
  cpu_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
  *paid_ns = MAX (now_ns, last_ns) + COST_SHARE * cpu_ns;
  self->n_read++;
  return TRUE;
}

void
jank_known_names_describe (JankKnownNames *self, guint64 types_begin, guint64 types_end, guint generation,
                           gint64 now_ns,
                           JankSlot *slots, guint n_slots)
{
  g_autoptr (GArray) unknown = NULL;
  JankSlot *asked;

  jank_known_names_forget_old (self, generation);
  unknown = jank_known_names_recall_all (self, now_ns, slots, n_slots);
  asked = (JankSlot *) (void *) unknown->data;
  if (unknown->len == 0 || !jank_known_names_read_classes (self, types_begin, types_end, now_ns, asked, unknown->len))
    return;
  for (guint i = 0, k = 0; k < unknown->len; i++)
    if (slots[i].function == asked[k].function)
      {
        jank_known_names_remember (self->slots, asked[k].function, asked[k].description, now_ns);
        slots[i].description = asked[k++].description;
      }
}

static void
jank_known_names_free_tables (gpointer data)
{
  g_clear_pointer ((JankMethodTables **) &data, jank_method_tables_free);
}

static const char *
jank_known_names_find_method (JankKnownNames *self, JankCodeMap *map, GPtrArray *tables, const JankCall *call,
                              gint64 now_ns)
{
  g_autofree char *name = NULL;

  if (tables->pdata[call->module] == NULL)
    tables->pdata[call->module] = jank_method_tables_new (map, call->module);
  if (tables->pdata[call->module] != NULL)
    name = jank_method_tables_find (tables->pdata[call->module], call->function);
  return jank_known_names_remember (self->methods, call->function, name, now_ns);
}

void
jank_known_names_find_methods (JankKnownNames *self, JankCodeMap *map, gint64 now_ns, const JankCall *calls,
                               guint n_calls,
                               JankSymbol *symbols)
{
  guint n_modules = jank_code_map_get_n_modules (map);
  g_autoptr (GPtrArray) tables = g_ptr_array_new_with_free_func (jank_known_names_free_tables);
  const char *name;

  jank_known_names_forget_old (self, jank_code_map_get_generation (map));
  g_ptr_array_set_size (tables, (gint) n_modules);
  for (guint i = 0; i < n_calls; i++)
    {
      if (symbols[i].name != NULL || calls[i].module >= n_modules)
        continue;
      if (!jank_known_names_recall (self->methods, calls[i].function, now_ns, &name))
        name = jank_known_names_find_method (self, map, tables, &calls[i], now_ns);
      if (name != NULL)
        symbols[i] = (JankSymbol) { g_strdup (name), calls[i].function, JANK_NAME_FROM_INTERPRETER };
    }
}
