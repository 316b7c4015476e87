/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "symbols/jank-known-slots-private.h"

#include "base/jank-clock-private.h"

#define MAX_KNOWN 4096 /* then all are forgotten */
#define AGAIN_NS  (60 * JANK_NS_PER_S)

/* Reading every class of GNOME Shell takes 20 ms. Some readings are free; each other one takes a thousandth of the time. */
#define N_FREE     16
#define COST_SHARE 1000

typedef struct
{
  guint64 function;
  char   *description; /* (owned) (nullable) */
  gint64  asked_ns;
} Known;

struct _JankKnownSlots
{
  GHashTable *known; /* (owned) of Known, by function */
  guint       generation;
  gint64      paid_ns[N_FREE]; /* when each of the last readings will be paid for */
  guint       n_read;
};

static void
known_free (gpointer data)
{
  g_free (((Known *) data)->description);
  g_free (data);
}

JankKnownSlots *
jank_known_slots_new (void)
{
  JankKnownSlots *self = g_new0 (JankKnownSlots, 1);

  self->known = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, known_free);
  return self;
}

void
jank_known_slots_free (JankKnownSlots *self)
{
  g_hash_table_unref (self->known);
  g_free (self);
}

static void
remember (JankKnownSlots *self, const JankSlot *slot, gint64 now_ns)
{
  Known *known = g_new (Known, 1);

  *known = (Known) { slot->function, g_strdup (slot->description), now_ns };
  g_hash_table_replace (self->known, &known->function, known);
}

/* Returns: (transfer full) of JankSlot, in order: those that are to be asked for */
static GArray *
recall_all (JankKnownSlots *self, gint64 now_ns, JankSlot *slots, guint n_slots)
{
  GArray *unknown = g_array_new (FALSE, FALSE, sizeof (JankSlot));

  for (guint i = 0; i < n_slots; i++)
    {
      const Known *known = g_hash_table_lookup (self->known, &slots[i].function);

      if (known != NULL && (known->description != NULL || now_ns - known->asked_ns < AGAIN_NS))
        slots[i].description = g_strdup (known->description);
      else
        g_array_append_val (unknown, slots[i]);
    }
  return unknown;
}

/* FALSE: too many were read lately */
static gboolean
read_classes (JankKnownSlots *self, guint64 types_begin, guint64 types_end, gint64 now_ns, JankSlot *slots, guint n_slots)
{
  gint64 *paid_ns = &self->paid_ns[self->n_read % N_FREE];
  gint64 cpu_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID), last_ns = self->paid_ns[(self->n_read + N_FREE - 1) % N_FREE];

  if (now_ns < *paid_ns)
    return FALSE;
  jank_type_slots_describe (types_begin, types_end, slots, n_slots);
  cpu_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
  *paid_ns = MAX (now_ns, last_ns) + COST_SHARE * cpu_ns;
  self->n_read++;
  return TRUE;
}

void
jank_known_slots_describe (JankKnownSlots *self, guint64 types_begin, guint64 types_end, guint generation, gint64 now_ns,
                           JankSlot *slots, guint n_slots)
{
  g_autoptr (GArray) unknown = NULL;
  JankSlot *asked;

  if (self == NULL)
    {
      jank_type_slots_describe (types_begin, types_end, slots, n_slots);
      return;
    }
  if (generation != self->generation || g_hash_table_size (self->known) > MAX_KNOWN)
    g_hash_table_remove_all (self->known);
  self->generation = generation;
  unknown = recall_all (self, now_ns, slots, n_slots);
  asked = (JankSlot *) (void *) unknown->data;
  if (unknown->len == 0 || !read_classes (self, types_begin, types_end, now_ns, asked, unknown->len))
    return;
  for (guint i = 0, k = 0; k < unknown->len; i++)
    if (slots[i].function == asked[k].function)
      {
        remember (self, &asked[k], now_ns);
        slots[i].description = asked[k++].description;
      }
}
