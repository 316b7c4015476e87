/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "python/jank-python-private.h"

#include <string.h>
#include <sys/auxv.h>
#include <glib/gi18n-lib.h>

#include "base/jank-error.h"
#include "base/jank-memory-private.h"
#include "python/jank-python-names-private.h"
#include "wait/jank-exports-private.h"

/* A longer list must be damaged. */
#define MAX_INTERPRETERS 64
#define MAX_THREADS      1024
#define FIND_TRIES       4

/* Where the lock's condition variable may begin: at the word waited on, or up to 48 bytes before it. */
#define GIL_WORDS   10
#define MIN_ADDRESS 4096

struct _JankPython
{
  JankCodeMap    *map;
  guint           n_seen;  /* modules of the map looked at so far */
  guint64         runtime; /* address of _PyRuntime, 0: no CPython that we can read */
  guint64         n_runtime_bytes;
  gboolean        is_program; /* the interpreter is no library */
  JankPythonNames names;
  GError         *error;   /* (owned) (nullable): not yet taken */
};

JankPython *
jank_python_new (JankCodeMap *map)
{
  JankPython *self = g_new0 (JankPython, 1);

  self->map = map;
  jank_python_names_init (&self->names);
  return self;
}

void
jank_python_free (JankPython *self)
{
  g_clear_error (&self->error);
  jank_python_names_clear (&self->names);
  g_free (self);
}

static void
open_runtime (JankPython *self, const JankExports *exports, guint64 runtime)
{
  guint64 address = jank_exports_find_data (exports, "Py_Version", NULL), version = 0;

  /* Python before 3.11 has no such variable. */
  if (address != 0)
    jank_memory_read_all (address, &version, sizeof version);
  self->names.code_type = jank_exports_find_data (exports, "PyCode_Type", NULL);
  self->names.unicode_type = jank_exports_find_data (exports, "PyUnicode_Type", NULL);
  self->names.bytes_type = jank_exports_find_data (exports, "PyBytes_Type", NULL);
  if (jank_python_layout_find (version, runtime, &self->names.layout))
    {
      self->runtime = runtime;
      return;
    }
  g_clear_error (&self->error);
  if (version != 0)
    g_set_error (&self->error, JANK_ERROR, JANK_ERROR_UNAVAILABLE,
                 _("The calls of this Python %u.%u cannot be read, only those of 3.11 to 3.14 with a global lock: stacks show the "
                   "interpreter's own functions"),
                 (guint) (version >> 24 & 0xff), (guint) (version >> 16 & 0xff));
  else
    g_set_error_literal (&self->error, JANK_ERROR, JANK_ERROR_UNAVAILABLE,
                         _("This Python is older than 3.11: stacks show the interpreter's own functions"));
}

/* The interpreter is a library or the executable itself, and may be loaded late. */
gboolean
jank_python_look (JankPython *self)
{
  gboolean was_known = self->runtime != 0;

  for (; self->runtime == 0 && self->n_seen < jank_code_map_get_n_modules (self->map); self->n_seen++)
    {
      const JankModule *module = jank_code_map_get (self->map, self->n_seen);
      JankExports exports;
      guint64 runtime;

      if (!module->loaded || module->link_map == 0 || !jank_exports_open (module->link_map, &exports))
        continue;
      runtime = jank_exports_find_data (&exports, "_PyRuntime", &self->n_runtime_bytes);
      if (runtime == 0)
        continue;
      self->is_program = getauxval (AT_ENTRY) - module->start < module->end - module->start;
      open_runtime (self, &exports, runtime);
    }
  return !was_known && self->runtime != 0;
}

static guint64
read_word (guint64 address)
{
  guint64 word;

  return address != 0 && jank_memory_read_all (address, &word, sizeof word) ? word : 0;
}

/* Takes the oldest state with that ID: a state made for a new thread has its creator's ID until the thread starts.
 * Returns: address of the thread's PyThreadState, 0: it has none */
static guint64
find_thread (JankPython *self, pid_t tid)
{
  const JankPythonLayout *layout = &self->names.layout;
  guint64 interpreter = read_word (self->runtime + layout->interpreters), found = 0;

  for (guint i = 0; interpreter != 0 && found == 0 && i < MAX_INTERPRETERS; i++)
    {
      guint64 thread = read_word (interpreter + layout->threads);

      for (guint k = 0; thread != 0 && k < MAX_THREADS; k++)
        {
          if (read_word (thread + layout->native_id) == (guint64) tid)
            found = thread;
          thread = read_word (thread + layout->next_thread);
        }
      interpreter = read_word (interpreter + layout->next_interpreter);
    }
  return found;
}

static gboolean
is_thread (JankPython *self, guint64 address)
{
  const JankPythonLayout *layout = &self->names.layout;
  guint64 interpreter = read_word (self->runtime + layout->interpreters);

  for (guint i = 0; interpreter != 0 && i < MAX_INTERPRETERS; i++)
    {
      guint64 thread = read_word (interpreter + layout->threads);

      for (guint k = 0; thread != 0 && thread != address && k < MAX_THREADS; k++)
        thread = read_word (thread + layout->next_thread);
      if (thread == address && thread != 0)
        return TRUE;
      interpreter = read_word (interpreter + layout->next_interpreter);
    }
  return FALSE;
}

/* In all versions the lock consists of its last holder, whether it is held, how often it changed hands, and the condition
 * variable that waiting threads wait on. Returns: address of the holder's PyThreadState, 0: it is another lock */
static guint64
find_holder (JankPython *self, guint64 condition)
{
  guint64 words[GIL_WORDS];

  if (condition % sizeof words[0] != 0 || !jank_memory_read_all (condition - sizeof words, words, sizeof words))
    return 0;
  for (guint i = 0; i + 1 < GIL_WORDS; i++)
    if ((guint32) words[i + 1] == 1 && words[i] >= MIN_ADDRESS && is_thread (self, words[i]))
      return words[i];
  return 0;
}

void
jank_python_explain_wait (JankPython *self, pid_t tid, JankWait *wait)
{
  guint64 holder;
  pid_t owner;

  if (self->runtime == 0 || wait->kind != JANK_WAIT_LOCK
      || (wait->lock.kind != JANK_LOCK_COND && wait->lock.kind != JANK_LOCK_UNKNOWN))
    return;
  holder = find_holder (self, wait->lock.address & ~G_GUINT64_CONSTANT (7));
  owner = holder != 0 ? (pid_t) read_word (holder + self->names.layout.native_id) : 0;
  if (owner <= 0 || owner == tid)
    return;
  wait->lock.kind = JANK_LOCK_GIL;
  wait->lock.owner = owner;
  g_snprintf (wait->detail, sizeof wait->detail, "%s held by thread %d", jank_lock_kind_to_nick (JANK_LOCK_GIL), (int) owner);
}

void
jank_python_request (JankPython *self, pid_t tid, JankPythonRequest *ret_request)
{
  ret_request->layout = self->names.layout;
  memcpy (ret_request->stable, self->names.stable, sizeof ret_request->stable);
  ret_request->thread = 0;
  /* The list changes as threads come and go. */
  for (guint i = 0; i < FIND_TRIES && self->runtime != 0 && ret_request->thread == 0; i++)
    ret_request->thread = find_thread (self, tid);
  /* The first thread's is a part of a variable of the interpreter's. */
  ret_request->is_static = self->runtime != 0 && ret_request->thread >= self->runtime &&
                           ret_request->thread + ret_request->layout.chunk + 2 * sizeof (guint64) <=
                             self->runtime + self->n_runtime_bytes;
  ret_request->is_program = ret_request->is_static && self->is_program;
}

/* Adds the run that begins at first. Returns: the number of calls added */
static guint
add_run (JankPython *self, const JankPythonCalls *calls, guint first, JankCall *to, guint max)
{
  JankScripts *scripts = jank_code_map_get_scripts (self->map);
  guint n = 0;

  for (guint i = first; calls->calls[i].code != 0 && n < max; i++)
    n += jank_python_names_find (&self->names, &calls->calls[i], calls, scripts, &to[n]);
  return n;
}

/* Returns: index of the end of the run that begins at first, or n_calls */
static guint
find_end (const JankPythonCalls *calls, guint first)
{
  while (first < calls->n_calls && calls->calls[first].code != 0)
    first++;
  return first;
}

JankStack *
jank_python_merge (JankPython *self, JankStack *stack, const guint64 *cfas, const JankStackCopy *copy,
                   const JankPythonCalls *calls)
{
  g_autofree JankCall *merged = NULL;
  guint64 low = copy->regs[JANK_REG_SP];
  guint n = 0, first = 0, end, i = 0;
  JankStack *result;

  if (stack == NULL || calls->n_calls == 0)
    return stack;
  merged = g_new (JankCall, JANK_STACK_MAX_CALLS);
  for (end = find_end (calls, first); i < stack->n_calls && n < JANK_STACK_MAX_CALLS; low = cfas[i++])
    {
      guint n_added = 0;

      while (end < calls->n_calls && calls->calls[end].place < low)
        end = find_end (calls, first = end + 1);
      if (end < calls->n_calls && calls->calls[end].place < cfas[i])
        n_added = add_run (self, calls, first, &merged[n], JANK_STACK_MAX_CALLS - n);
      if (n_added == 0)
        merged[n++] = stack->calls[i];
      n += n_added;
    }
  result = jank_stack_new (merged, n, stack->complete && i == stack->n_calls);
  jank_stack_steal_notes (result, stack);
  jank_stack_unref (stack);
  return result;
}

GError *
jank_python_take_error (JankPython *self)
{
  return g_steal_pointer (&self->error);
}
