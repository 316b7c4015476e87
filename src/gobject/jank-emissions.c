/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: GObject's emissions and signals, GIO's actions. */

#include "gobject/jank-emissions-private.h"

#include <dlfcn.h>
#include <gio/gio.h>

#include "base/jank-memory-private.h"
#include "gobject/jank-type-nodes-private.h"

/* A library's variables come last in its mapping. */
#define MAX_VARIABLE_BYTES (64 * 1024)

#define SIGNAL_WORDS 8
#define ACTION_WORDS 8

typedef struct
{
  JankEmissions found;
  guint         n_heads, n_signals;
  guint64       begin, end; /* of libgobject */
  guint64       outer;      /* frame address of the emitting function */
  gpointer      action;
  guint         signal;
  guint64       next;       /* record before ours */
} Lesson;

static JankEmissions learned;
static gboolean is_learned; /* (atomic): set once learned is complete */

static void
jank_emissions_try_head (Lesson *lesson, guint64 variable, guint64 value)
{
  guint64 words[JANK_EMISSION_WORDS];

  if (!jank_memory_read_all (value, words, sizeof words))
    return;
  for (guint8 i = 1; i + 1 < JANK_EMISSION_WORDS; i++)
    if (words[i] == (guintptr) lesson->action && (guint32) words[i + 1] == lesson->signal)
      {
        lesson->found.head = variable;
        lesson->found.instance = i;
        lesson->next = words[0];
        lesson->n_heads++;
        return;
      }
}

static guint8
jank_emissions_find_word (const guint64 *words, guint n_words, guint64 word)
{
  for (guint8 i = 1; i < n_words; i++)
    if (words[i] == word)
      return i;
  return 0;
}

static void
jank_emissions_try_signals (Lesson *lesson, guint64 variable, guint64 value)
{
  guint64 record, words[SIGNAL_WORDS];

  if (!jank_memory_read_all (value + lesson->signal * sizeof record, &record, sizeof record)
      || !jank_type_is_pointer (record) || !jank_memory_read_all (record, words, sizeof words)
      || (guint32) words[0] != lesson->signal)
    return;
  lesson->found.name = jank_emissions_find_word (words, SIGNAL_WORDS, (guintptr) g_signal_name (lesson->signal));
  lesson->found.type = jank_emissions_find_word (words, SIGNAL_WORDS, G_TYPE_SIMPLE_ACTION);
  if (lesson->found.name == 0 || lesson->found.type == 0)
    return;
  lesson->found.signals = variable;
  lesson->n_signals++;
}

static void
jank_emissions_activate_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  Lesson *lesson = data;
  guint64 inner = (guintptr) __builtin_frame_address (0);
  guint64 at = MAX (lesson->begin, lesson->end - MIN (lesson->end, MAX_VARIABLE_BYTES));

  for (guint64 words[512]; at < lesson->end; at += sizeof words)
    {
      gsize n_words = jank_memory_read (at, words, MIN (sizeof words, lesson->end - at)) / sizeof *words;

      for (gsize i = 0; i < n_words; i++)
        if (words[i] > inner && words[i] < lesson->outer)
          jank_emissions_try_head (lesson, at + i * sizeof *words, words[i]);
        else if (jank_type_is_pointer (words[i]) && (words[i] < lesson->begin || words[i] >= lesson->end))
          jank_emissions_try_signals (lesson, at + i * sizeof *words, words[i]);
    }
}

static guint8
jank_emissions_find_action_name (gpointer action)
{
  guint64 words[ACTION_WORDS];

  return jank_memory_read_all ((guintptr) action, words, sizeof words)
           ? jank_emissions_find_word (words, ACTION_WORDS, (guintptr) g_action_get_name (action)) : 0;
}

void
jank_emissions_learn (void)
{
  static gsize once;
  g_autoptr (GSimpleAction) action = NULL;
  Lesson lesson = { .outer = (guintptr) __builtin_frame_address (0) };
  struct dl_find_object object;
  guint64 after;

  if (!g_once_init_enter (&once))
    return;
  if (_dl_find_object ((void *) g_object_new, &object) == 0)
    {
      action = g_simple_action_new ("org.jankwatch.lesson", NULL);
      lesson.action = action;
      lesson.signal = g_signal_lookup ("activate", G_TYPE_SIMPLE_ACTION);
      lesson.begin = (guintptr) object.dlfo_map_start;
      lesson.end = (guintptr) object.dlfo_map_end;
      g_signal_connect (action, "activate", G_CALLBACK (jank_emissions_activate_cb), &lesson);
      g_action_activate (G_ACTION (action), NULL);
      lesson.found.action_name = jank_emissions_find_action_name (action);
      if (lesson.n_heads == 1 && lesson.n_signals == 1 &&
          jank_memory_read_all (lesson.found.head, &after, sizeof after) && after == lesson.next)
        {
          learned = lesson.found;
          g_atomic_int_set (&is_learned, TRUE);
        }
    }
  g_once_init_leave (&once, 1);
}

const JankEmissions *
jank_emissions_get (void)
{
  return g_atomic_int_get (&is_learned) ? &learned : NULL;
}

JankEmission
jank_emissions_read (const JankEmissions *self, const guint64 *words)
{
  return (JankEmission) { words[0], words[self->instance], (guint32) words[self->instance + 1],
                          (guint32) (words[self->instance + 1] >> 32) };
}

gboolean
jank_emissions_read_signal (const JankEmissions *self, guint32 signal, char *ret_name, gsize n_bytes, guint64 *ret_type)
{
  guint64 array, record, words[SIGNAL_WORDS];

  if (signal == 0 || !jank_memory_read_all (self->signals, &array, sizeof array)
      || !jank_memory_read_all (array + signal * sizeof record, &record, sizeof record)
      || !jank_type_is_pointer (record) || !jank_memory_read_all (record, words, sizeof words)
      || (guint32) words[0] != signal || !jank_memory_read_text (words[self->name], ret_name, n_bytes))
    return FALSE;
  *ret_type = words[self->type];
  return TRUE;
}
