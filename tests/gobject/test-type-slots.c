/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <gio/gio.h>

#include "symbols/jank-known-names-private.h"
#include "unwind/jank-code-map-private.h"
#include "test.h"

/* Animal has a slot of its own and one of GObject's, Cat another of GObject's, and is a list. */
typedef struct { GObject parent; } Animal;
typedef struct { GObjectClass parent_class; void (*feed) (Animal *self); } AnimalClass;
typedef Animal Cat;
typedef AnimalClass CatClass;

static GType animal_get_type (void);
static GType cat_get_type (void);
static void cat_make_list (GListModelInterface *interface);

G_DEFINE_TYPE (Animal, animal, G_TYPE_OBJECT)
G_DEFINE_TYPE_WITH_CODE (Cat, cat, animal_get_type (), G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, cat_make_list))

static void animal_feed (Animal *self) { g_object_ref (self); }
static void animal_dispose (GObject *object) { G_OBJECT_CLASS (animal_parent_class)->dispose (object); }
static void animal_init (Animal *self) { g_assert_nonnull (self); }

static void
animal_class_init (AnimalClass *class)
{
  G_OBJECT_CLASS (class)->dispose = animal_dispose;
  class->feed = animal_feed;
}

static void cat_constructed (GObject *object) { G_OBJECT_CLASS (cat_parent_class)->constructed (object); }
static guint cat_get_n_items (GListModel *list) { return g_list_model_get_n_items (list) + 1; }
static void cat_make_list (GListModelInterface *interface) { interface->get_n_items = cat_get_n_items; }
static void cat_init (Cat *self) { g_assert_true (G_IS_LIST_MODEL (self)); }
static void cat_class_init (CatClass *class) { G_OBJECT_CLASS (class)->constructed = cat_constructed; }

static void
unrelated (void)
{
}

typedef struct
{
  gpointer    function;
  const char *expected;
} Expected;

static const Expected all[] = {
  { animal_feed, "method of Animal" },
  { animal_dispose, "Animal.dispose" },
  { animal_init, "Animal.init" },
  { cat_constructed, "Cat.constructed" },
  { cat_get_n_items, "Cat.get_n_items" },
  { cat_init, "Cat.init" },
  { unrelated, NULL },
};

static int
compare_slots (gconstpointer a, gconstpointer b)
{
  const JankSlot *a_slot = a, *b_slot = b;

  return (a_slot->function > b_slot->function) - (a_slot->function < b_slot->function);
}

static void
describe_all (JankSlot *slots)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  const JankModule *types = jank_code_map_get (map, jank_code_map_find (map, (guintptr) g_object_new));

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    slots[i] = (JankSlot) { .function = (guintptr) all[i].function };
  qsort (slots, G_N_ELEMENTS (all), sizeof *slots, compare_slots);
  jank_type_slots_describe (types->start, types->end, slots, G_N_ELEMENTS (all));
}

static const char *
find (const JankSlot *slots, gpointer function)
{
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    if (slots[i].function == (guintptr) function)
      return slots[i].description;
  g_assert_not_reached ();
}

static void
clear (JankSlot *slots)
{
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    g_free (slots[i].description);
}

TEST (described)
{
  g_autoptr (GObject) cat = g_object_new (cat_get_type (), NULL);
  JankSlot slots[G_N_ELEMENTS (all)];
  gint64 began_us = g_get_monotonic_time ();

  g_assert_nonnull (cat);
  describe_all (slots);
  g_test_message ("%" G_GINT64_FORMAT " µs", g_get_monotonic_time () - began_us);
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    g_assert_cmpstr (find (slots, all[i].function), ==, all[i].expected);
  clear (slots);
}

/* A class whose initializer hangs holds locks of the type system. */
static gint entered, released;

typedef GObject Hanging;
typedef GObjectClass HangingClass;

static GType hanging_get_type (void);
G_DEFINE_TYPE (Hanging, hanging, G_TYPE_OBJECT)

static void hanging_init (Hanging *self) { g_assert_nonnull (self); }

static void
hanging_class_init (HangingClass *class)
{
  g_assert_nonnull (class);
  g_atomic_int_set (&entered, 1);
  while (!g_atomic_int_get (&released))
    g_usleep (1000);
}

static gpointer
make_hanging (gpointer data)
{
  g_object_unref (g_object_new (hanging_get_type (), NULL));
  return data;
}

TEST (hanging)
{
  JankSlot slots[G_N_ELEMENTS (all)];
  GThread *thread = g_thread_new ("hanging", make_hanging, NULL);

  while (!g_atomic_int_get (&entered))
    g_usleep (1000);
  describe_all (slots);
  g_assert_cmpstr (find (slots, animal_init), ==, "Animal.init");
  g_assert_cmpstr (find (slots, unrelated), ==, NULL);
  clear (slots);
  g_atomic_int_set (&released, 1);
  g_thread_join (thread);
}

/* Where there are no classes to read, only what is remembered is known; of another generation nothing. */
TEST (remembered)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  const JankModule *types = jank_code_map_get (map, jank_code_map_find (map, (guintptr) g_object_new));
  g_autoptr (JankKnownNames) known = jank_known_names_new ();
  const guint64 begins[] = { types->start, 0, 0 };
  const guint generations[] = { 1, 1, 2 };

  for (guint i = 0; i < G_N_ELEMENTS (begins); i++)
    {
      JankSlot slots[] = { { .function = (guintptr) animal_init }, { .function = (guintptr) unrelated } };

      qsort (slots, G_N_ELEMENTS (slots), sizeof *slots, compare_slots);
      jank_known_names_describe (known, begins[i], begins[i] != 0 ? types->end : 65536, generations[i], 1, slots,
                                 G_N_ELEMENTS (slots));
      for (guint k = 0; k < G_N_ELEMENTS (slots); k++)
        {
          gboolean is_known = i < 2 && slots[k].function == (guintptr) animal_init;

          g_assert_cmpstr (slots[k].description, ==, is_known ? "Animal.init" : NULL);
          g_free (slots[k].description);
        }
    }
}

/* Not GObject's tables: nothing is known. */
TEST (elsewhere)
{
  static guint64 words[4096];
  JankSlot slot = { .function = (guintptr) animal_init };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    words[i] = (guintptr) &words[i % 64];
  jank_type_slots_describe ((guintptr) words, (guintptr) words + sizeof words, &slot, 1);
  g_assert_null (slot.description);
  jank_type_slots_describe (0, 65536, &slot, 1);
  g_assert_null (slot.description);
}

TESTS ("/gobject/type-slots")
