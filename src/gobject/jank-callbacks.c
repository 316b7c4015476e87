/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: records of callbacks.
 *
 * GTask, D-Bus methods and signals, a widget's ticks. */

#include "gobject/jank-callbacks-private.h"

#include <glib-object.h>
#include <glib-unix.h>
#include <string.h>

#include "base/jank-memory-private.h"
#include "gobject/jank-type-nodes-private.h"
#include "observe/jank-source-ledger-private.h"

#define CLOSURE_WORDS     5
#define CLOSURE_MARSHAL   1
#define CLOSURE_DATA      2
#define TASK_WORDS        24
#define METHOD_WORDS      7
#define SIGNAL_WORDS      9
#define OBJECT_WORDS      3
#define MAX_NAME          96
#define MAX_TICKS         64
#define MAX_REFERENCES    16
#define MAX_PRIVATE_WORDS 96 /* of GtkWidget */

/* A word that is equal to one of the 15 before it leads to a record already seen. */
static gboolean
jank_callbacks_read_record (const JankClues *clues, guint i, guint64 *ret_words, guint n_words)
{
  if (!jank_type_is_pointer (clues->words[i]))
    return FALSE;
  for (guint k = i; k-- > 0 && i - k < 16;)
    if (clues->words[k] == clues->words[i])
      return FALSE;
  return jank_memory_read_all (clues->words[i], ret_words, n_words * sizeof *ret_words);
}

/* GObject keeps the marshaller for va_list arguments in front of the closure. */
static gboolean
jank_callbacks_has_marshal (guint64 closure, const guint64 *words, guint64 marshal)
{
  guint64 va_marshal;

  return marshal == 0 || words[CLOSURE_MARSHAL] == marshal
         || (jank_memory_read_all (closure - sizeof va_marshal, &va_marshal, sizeof va_marshal) &&
             va_marshal == marshal);
}

gboolean
jank_callback_find_closure (const JankClues *clues, guint64 function, guint64 marshal, guint64 *ret_data)
{
  guint64 words[CLOSURE_WORDS];

  G_STATIC_ASSERT (G_STRUCT_OFFSET (GCClosure, callback) == (CLOSURE_WORDS - 1) * sizeof (guint64));
  G_STATIC_ASSERT (G_STRUCT_OFFSET (GClosure, data) == CLOSURE_DATA * sizeof (guint64));
  for (guint i = 0; i < clues->n_words; i++)
    if (jank_callbacks_read_record (clues, i, words, CLOSURE_WORDS) && words[CLOSURE_WORDS - 1] == function
        && jank_callbacks_has_marshal (clues->words[i], words, marshal))
      {
        *ret_data = words[CLOSURE_DATA];
        return TRUE;
      }
  return FALSE;
}

/* node: of a list of records */
static gboolean
jank_callbacks_is_in_list (guint64 node, guint64 function)
{
  guint64 words[2], record[2];

  for (guint i = 0; i < MAX_TICKS && jank_type_is_pointer (node) &&
       jank_memory_read_all (node, words, sizeof words); i++)
    {
      if (!jank_type_is_pointer (words[0]) || !jank_memory_read_all (words[0], record, sizeof record))
        return FALSE;
      if (record[1] == function && (guint32) record[0] > 0 && (guint32) record[0] < MAX_REFERENCES)
        return TRUE;
      node = words[1];
    }
  return FALSE;
}

/* The list is in the widget's private part, which GObject puts in front of the widget. In a record stand its number of
 * references and its ID, then the function. */
gboolean
jank_callback_is_tick (guint64 widget, guint64 function)
{
  guint64 words[MAX_PRIVATE_WORDS];

  for (gsize i = jank_memory_read (widget - sizeof words, words, sizeof words) / sizeof *words; i-- > 0;)
    if (jank_callbacks_is_in_list (words[i], function))
      return TRUE;
  return FALSE;
}

static gboolean
jank_callbacks_read_interface (guint64 address, char *ret_text, gsize n_bytes)
{
  return jank_instance_read_text (address, ret_text, n_bytes) && strchr (ret_text, '.') != NULL
         && strspn (ret_text, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS ".-_") == strlen (ret_text);
}

static gboolean
jank_callbacks_read_member (guint64 address, char *ret_text, gsize n_bytes)
{
  return jank_instance_read_text (address, ret_text, n_bytes)
         && strspn (ret_text, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_") == strlen (ret_text);
}

static gboolean
jank_callbacks_is_instance_of (const JankTypes *types, guint64 address, const char *type)
{
  JankTypeNode node;

  return jank_type_instance_read (types, address, &node) && strcmp (jank_type_node_get_name (types, &node), type) == 0;
}

/* GObject, source object, source tag, name, … */
char *
jank_callback_describe_task (const JankTypes *types, const JankClues *clues, guint64 function)
{
  guint64 words[TASK_WORDS];
  char name[MAX_NAME];

  for (guint i = 0; i < clues->n_words; i++)
    {
      if (!jank_callbacks_read_record (clues, i, words, TASK_WORDS) ||
          !jank_memory_has_word (words + OBJECT_WORDS, TASK_WORDS - OBJECT_WORDS, function)
          || !jank_callbacks_is_instance_of (types, clues->words[i], "GTask"))
        continue;
      if (jank_instance_read_text (words[OBJECT_WORDS + 2], name, sizeof name))
        return g_strdup_printf ("callback of GTask “%s”", name);
      return g_strdup ("callback of GTask");
    }
  return NULL;
}

/* GObject, sender, object path, interface, method */
char *
jank_callback_describe_method (const JankTypes *types, const JankClues *clues)
{
  guint64 words[METHOD_WORDS];
  char path[MAX_NAME], interface[MAX_NAME], method[MAX_NAME];

  for (guint i = 0; i < clues->n_words; i++)
    if (jank_callbacks_read_record (clues, i, words, METHOD_WORDS)
        && jank_callbacks_is_instance_of (types, clues->words[i], "GDBusMethodInvocation")
        && jank_instance_read_text (words[OBJECT_WORDS + 1], path, sizeof path) && path[0] == '/'
        && jank_callbacks_read_interface (words[OBJECT_WORDS + 2], interface, sizeof interface)
        && jank_callbacks_read_member (words[OBJECT_WORDS + 3], method, sizeof method))
      return g_strdup_printf ("D-Bus method %s.%s", interface, method);
  return NULL;
}

/* Subscriber, message, connection, sender, path, interface, member; before 2.66 the callback and its data came first */
char *
jank_callback_describe_signal (const JankTypes *types, const JankClues *clues)
{
  guint64 words[SIGNAL_WORDS];
  char path[MAX_NAME], interface[MAX_NAME], member[MAX_NAME];

  for (guint i = 0; i < clues->n_words; i++)
    {
      guint k = 0;

      if (!jank_callbacks_read_record (clues, i, words, SIGNAL_WORDS))
        continue;
      while (k < SIGNAL_WORDS && !jank_callbacks_is_instance_of (types, words[k], "GDBusMessage"))
        k++;
      for (k += 2; k + 2 < SIGNAL_WORDS; k++)
        if (jank_instance_read_text (words[k], path, sizeof path) && path[0] == '/'
            && jank_callbacks_read_interface (words[k + 1], interface, sizeof interface)
            && jank_callbacks_read_member (words[k + 2], member, sizeof member))
          return g_strdup_printf ("D-Bus signal %s.%s", interface, member);
    }
  return NULL;
}

const char *
jank_callback_get_source (guint64 dispatch)
{
  const struct { GSourceFuncs *funcs; const char *name; } kinds[] = {
    { &g_timeout_funcs, "timeout" },         { &g_idle_funcs, "idle" },
    { &g_io_watch_funcs, "I/O watch" },      { &g_child_watch_funcs, "child watch" },
    { &g_unix_signal_funcs, "Unix signal" }, { &g_unix_fd_source_funcs, "file descriptor" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    /* Pairs with the ledger's exchange of the function, on the observed thread. */
    if (jank_source_ledger_get_dispatch ((guintptr) g_atomic_pointer_get (&kinds[i].funcs->dispatch)) == dispatch)
      return kinds[i].name;
  return NULL;
}
