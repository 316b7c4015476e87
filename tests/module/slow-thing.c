/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A type whose objects take long to end: preloaded into a script's interpreter. */

#include <glib-object.h>
#include <time.h>

#define SLOW_NS 100000000

GType slow_thing_get_type (void);

typedef struct { GObject parent; } SlowThing;
typedef struct { GObjectClass parent_class; } SlowThingClass;

G_DEFINE_TYPE (SlowThing, slow_thing, G_TYPE_OBJECT)

void slow_thing_finish_slowly (void);

void
slow_thing_finish_slowly (void)
{
  struct timespec now;
  gint64 end = 0;

  do
    {
      clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
      end = end != 0 ? end : now.tv_sec * G_GINT64_CONSTANT (1000000000) + now.tv_nsec + SLOW_NS;
    }
  while (now.tv_sec * G_GINT64_CONSTANT (1000000000) + now.tv_nsec < end);
}

static void
slow_thing_finalize (GObject *object)
{
  slow_thing_finish_slowly ();
  G_OBJECT_CLASS (slow_thing_parent_class)->finalize (object);
}

static void
slow_thing_class_init (SlowThingClass *class)
{
  G_OBJECT_CLASS (class)->finalize = slow_thing_finalize;
}

static void
slow_thing_init (SlowThing *self)
{
}

__attribute__ ((constructor)) static void
slow_thing_register (void)
{
  g_type_ensure (slow_thing_get_type ());
}
