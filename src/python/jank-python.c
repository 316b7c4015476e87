/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: CPython's threads and lock. */

#include "python/jank-python-private.h"

#include <string.h>
#include <glib/gi18n-lib.h>

#include "base/jank-error.h"
#include "base/jank-memory-private.h"
#include "proc/jank-proc-private.h"
#include "python/jank-python-parts-private.h"
#include "elf/jank-exports-private.h"
#include "unwind/jank-eh-frame-private.h"
#include "unwind/jank-processor-private.h"
#include "unwind/jank-scripts-private.h"

/* A longer list must be damaged. */
#define MAX_INTERPRETERS 64
#define MAX_THREADS      1024
#define FIND_TRIES       4
#define MAX_READS        (1 << 14)

/* Where the lock's condition variable may begin: at the word waited on, or up to 48 bytes before it. */
#define GIL_WORDS   10
#define MIN_ADDRESS 4096

/* The function that collects has 5 to 7 KB of code. Around it stands one that tells Python's callbacks, of some 300
 * bytes, if the compiler has kept the two apart. */
#define MIN_CODE_BYTES     2048
#define MAX_CALLER_BYTES   4096 /* PyGC_Collect() has 200 */
#define MAX_COLLECTORS     2

/* What the walk through the states read, to be read in one system call by the next: mostly nothing has changed. */
typedef struct
{
  JankMemoryPiece pieces[JANK_MEMORY_MAX_PIECES];
  guint64         buffers[JANK_MEMORY_MAX_PIECES][JANK_PYTHON_MAX_STATE_WORDS];
  guint           n_pieces;
} Walk;

/* Which functions of the interpreter's are Python's garbage collector? */
typedef struct
{
  guint64 functions[MAX_COLLECTORS]; /* the outer one first */
  guint   n_functions; /* 0: not known */
} JankPythonCollector;

struct _JankPython
{
  JankCodeMap    *map;
  guint           n_seen;  /* modules of the map looked at so far */
  guint64         runtime; /* address of _PyRuntime, 0: no CPython that we can read */
  JankPythonNames names;
  JankPythonCollector collector;
  guint64         ends[1 + JANK_EXPORTS_MAX_JUMPS]; /* Py_FinalizeEx(), and what it may have become */
  guint           n_ends;
  guint           module;  /* the interpreter's */
  Walk            before, now; /* the last walk, as it is now; the walk under way */
  GError         *error;   /* (owned) (nullable): not yet taken */
};

typedef struct
{
  guint64 address, n_bytes;
} Function;

/* Returns: the largest function without an exported name that caller calls directly; n_bytes 0: none */
static Function
jank_python_collector_find_callee (JankPageCache *pages, const JankModule *module, const JankExports *exports,
                                   Function caller)
{
  g_autofree JankFde *fde = g_new (JankFde, 1);
  Function found = { 0, 0 };
  guint64 target;

  for (guint64 at = caller.address + 1; at <= caller.address + MIN (caller.n_bytes, MAX_CALLER_BYTES); at++)
    if (jank_processor_classify_call (pages, at, &target) == JANK_CALL_DIRECT &&
        target >= module->start && target < module->end &&
        jank_eh_frame_find (pages, module->eh_frame_hdr, target, fde) &&
        fde->function == target && target != caller.address && fde->n_code_bytes > found.n_bytes &&
        !jank_exports_has_function (exports, target))
      found = (Function) { target, fde->n_code_bytes };
  return found;
}

/* Finds the functions. module: of the map, the interpreter's */
static void
jank_python_collector_init (JankPythonCollector *self, const JankModule *module)
{
  JankPageCache *pages = jank_page_cache_new ();
  JankExports exports;
  JankExport asked;
  Function function = { 0, 0 };

  *self = (JankPythonCollector) { .n_functions = 0 };
  if (jank_exports_open (module->link_map, &exports) && jank_exports_find (&exports, "PyGC_Collect", &asked, 1) == 1)
    function = (Function) { asked.address, asked.n_bytes };
  while (function.n_bytes > 0 && function.n_bytes < MIN_CODE_BYTES && self->n_functions < MAX_COLLECTORS)
    {
      function = jank_python_collector_find_callee (pages, module, &exports, function);
      self->functions[self->n_functions++] = function.address;
    }
  if (function.n_bytes < MIN_CODE_BYTES)
    self->n_functions = 0;
  jank_page_cache_free (pages);
}

/* Adds its name to scripts. */
static gboolean
jank_python_collector_name (const JankModule *module, JankScripts *scripts, JankCall *ret_call)
{
  const JankScript script = { .language = "python", .file = module->path, .is_collector = TRUE,
                              .name = (char *) N_("Python's garbage collector") };

  return module->path != NULL && jank_scripts_add (scripts, &script, 0, ret_call);
}

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
jank_python_open_runtime (JankPython *self, const JankExports *exports, guint64 runtime)
{
  guint64 address = jank_exports_find_data (exports, "Py_Version", NULL), version = 0;

  /* Python before 3.11 has no such variable. */
  if (address != 0)
    jank_memory_read_all (address, &version, sizeof version);
  self->names.code_type = jank_exports_find_data (exports, "PyCode_Type", NULL);
  self->names.unicode_type = jank_exports_find_data (exports, "PyUnicode_Type", NULL);
  self->names.bytes_type = jank_exports_find_data (exports, "PyBytes_Type", NULL);
  self->names.function_type = jank_exports_find_data (exports, "PyCFunction_Type", NULL);
  if (jank_python_layout_find (version, runtime, &self->names.layout))
    {
      self->runtime = runtime;
      return;
    }
  g_clear_error (&self->error);
  if (version != 0)
    g_set_error (&self->error, JANK_ERROR, JANK_ERROR_UNAVAILABLE,
                 _("Cannot read the calls of this Python %u.%u (only 3.11 to 3.%u with a global lock): stacks show the "
                   "interpreter's own functions"),
                 (guint) (version >> 24 & 0xff), (guint) (version >> 16 & 0xff), jank_python_layout_get_newest ());
  else
    g_set_error_literal (&self->error, JANK_ERROR, JANK_ERROR_UNAVAILABLE,
                         _("This Python is older than 3.11: stacks show the interpreter's own functions"));
}

static void
jank_python_find_ends (JankPython *self, const JankExports *exports)
{
  JankExport end;

  if (jank_exports_find (exports, "Py_FinalizeEx", &end, 1) == 0)
    return;
  self->ends[0] = end.address;
  self->n_ends = 1 + jank_exports_find_jumps (&end, self->ends + 1, JANK_EXPORTS_MAX_JUMPS);
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
      runtime = jank_exports_find_data (&exports, "_PyRuntime", NULL);
      if (runtime == 0)
        continue;
      jank_python_open_runtime (self, &exports, runtime);
      self->module = self->n_seen;
      if (self->runtime != 0)
        {
          jank_python_collector_init (&self->collector, module);
          jank_python_find_ends (self, &exports);
        }
    }
  return !was_known && self->runtime != 0;
}

static guint64
jank_python_read_word_at (guint64 address)
{
  guint64 word;

  return address != 0 && jank_memory_read_all (address, &word, sizeof word) ? word : 0;
}

/* For a walk. n_bytes: of the words of a state at most */
static gboolean
jank_python_read (JankPython *self, guint64 address, void *buffer, gsize n_bytes)
{
  Walk *now = &self->now;

  if (address == 0)
    return FALSE;
  if (now->n_pieces < JANK_MEMORY_MAX_PIECES)
    now->pieces[now->n_pieces++] = (JankMemoryPiece) { address, NULL, n_bytes };
  for (guint i = 0; i < self->before.n_pieces; i++)
    if (self->before.pieces[i].address == address && self->before.pieces[i].n_bytes == n_bytes)
      {
        memcpy (buffer, self->before.buffers[i], n_bytes);
        return TRUE;
      }
  return jank_memory_read_all (address, buffer, n_bytes);
}

static guint64
jank_python_read_word (JankPython *self, guint64 address)
{
  guint64 word;

  return jank_python_read (self, address, &word, sizeof word) ? word : 0;
}

static void
jank_python_begin_walk (JankPython *self)
{
  Walk *before = &self->before;

  *before = self->now;
  self->now.n_pieces = 0;
  for (guint i = 0; i < before->n_pieces; i++)
    before->pieces[i].buffer = before->buffers[i];
  if (before->n_pieces > 0 && !jank_memory_read_pieces (before->pieces, before->n_pieces))
    before->n_pieces = 0;
}

/* Goes through the states of all threads, interpreter by interpreter; the newest comes first. */
typedef struct
{
  guint64 interpreter, next; /* 0: none */
  guint   n_interpreters, n_threads;
  guint64 address;
  guint64 words[JANK_PYTHON_MAX_STATE_WORDS]; /* of the state, native_id and all before it */
} States;

static void
jank_python_begin_states (JankPython *self, States *ret_states)
{
  jank_python_begin_walk (self);
  *ret_states = (States) { .interpreter = jank_python_read_word (self,
                                                                 self->runtime + self->names.layout.interpreters) };
}

/* FALSE: there is no further one. */
static gboolean
jank_python_next_state (JankPython *self, States *states)
{
  const JankPythonLayout *layout = &self->names.layout;

  for (;;)
    {
      states->address = states->next;
      if (states->address != 0 && states->n_threads++ < MAX_THREADS &&
          jank_python_read (self, states->address, states->words, layout->native_id + sizeof (guint64)))
        {
          states->next = states->words[layout->next_thread / 8];
          return TRUE;
        }
      if (states->interpreter == 0 || states->n_interpreters++ == MAX_INTERPRETERS)
        return FALSE;
      states->n_threads = 0;
      states->next = jank_python_read_word (self, states->interpreter + layout->threads);
      states->interpreter = jank_python_read_word (self, states->interpreter + layout->next_interpreter);
    }
}

/* A state has the ID of the thread that made it: another thread's until that begins, and for ever where 3.11 runs a
 * sub-interpreter on another thread. A frame on the thread's stack shows who uses it. */
static gboolean
jank_python_is_of_thread (JankPython *self, const States *states, pid_t tid, guint64 stack_low, guint64 stack_base)
{
  const JankPythonLayout *layout = &self->names.layout;
  guint64 frames = states->words[layout->frames / 8];

  return states->words[layout->native_id / 8] == (guint64) tid ||
         (layout->has_c_frames && frames >= stack_low && frames < stack_base);
}

/* Returns: the innermost Python call; 0: none is under way */
static guint64
jank_python_get_frame (JankPython *self, const States *states)
{
  const JankPythonLayout *layout = &self->names.layout;
  guint64 frames = states->words[layout->frames / 8];

  return layout->has_c_frames ? jank_python_read_word (self, frames + layout->c_frame) : frames;
}

/* States in use come first: beyond the limit are those that are the least likely to matter. */
static void
jank_python_find_states (JankPython *self, pid_t tid, guint64 stack_low, guint64 stack_base, JankPythonRequest *request)
{
  guint n_used = 0;
  States states;

  jank_python_begin_states (self, &states);
  while (n_used < JANK_PYTHON_MAX_STATES && jank_python_next_state (self, &states))
    {
      guint at = request->n_states;

      if (!jank_python_is_of_thread (self, &states, tid, stack_low, stack_base))
        continue;
      if (jank_python_get_frame (self, &states) != 0)
        {
          at = MIN (at, JANK_PYTHON_MAX_STATES - 1);
          request->states[at] = request->states[n_used];
          at = n_used++;
        }
      else if (at == JANK_PYTHON_MAX_STATES)
        continue;
      request->states[at] = (JankPythonState) { states.address };
      request->n_states = MIN (request->n_states + 1, JANK_PYTHON_MAX_STATES);
    }
}

static gboolean
jank_python_is_state (JankPython *self, guint64 address)
{
  States states;

  jank_python_begin_states (self, &states);
  while (jank_python_next_state (self, &states))
    if (states.address == address)
      return TRUE;
  return FALSE;
}

/* In all versions the lock consists of its last holder, whether it is held, how often it changed hands, and the
 * condition variable that waiting threads wait on. Returns: address of the holder's PyThreadState, 0: it is another
 * lock */
static guint64
jank_python_find_holder (JankPython *self, guint64 condition)
{
  guint64 words[GIL_WORDS];

  if (condition % sizeof words[0] != 0 || !jank_memory_read_all (condition - sizeof words, words, sizeof words))
    return 0;
  for (guint i = 0; i + 1 < GIL_WORDS; i++)
    if ((guint32) words[i + 1] == 1 && words[i] >= MIN_ADDRESS && jank_python_is_state (self, words[i]))
      return words[i];
  return 0;
}

static void
jank_python_explain_lock (JankPython *self, pid_t tid, JankWait *wait)
{
  guint64 holder = jank_python_find_holder (self, wait->lock.address & ~G_GUINT64_CONSTANT (7));
  pid_t owner = holder != 0 ? (pid_t) jank_python_read_word_at (holder + self->names.layout.native_id) : 0;

  if (owner <= 0 || owner == tid)
    return;
  wait->lock.kind = JANK_LOCK_GIL;
  wait->lock.owner = owner;
}

/* Returns: pthread_t of the RLock's owner, 0: the thread waits for no RLock */
static guint64
jank_python_find_rlock_owner (JankPython *self, pid_t tid, guint64 semaphore)
{
  States states;

  jank_python_begin_states (self, &states);
  while (jank_python_next_state (self, &states))
    if ((pid_t) states.words[self->names.layout.native_id / 8] == tid)
      return jank_python_locks_find_owner (&self->names, jank_python_get_frame (self, &states), semaphore);
  return 0;
}

/* One of a threading.Lock or RLock, or for the end of a thread. Two that may hold a Lock are none. */
static void
jank_python_explain_semaphore (JankPython *self, pid_t tid, JankWait *wait)
{
  guint64 id = self->names.layout.native_id / 8, owner = jank_python_find_rlock_owner (self, tid, wait->lock.address);
  guint n_holders = 0;
  States states;

  jank_python_begin_states (self, &states);
  while (owner != 0 && jank_python_next_state (self, &states))
    if (states.words[id - 1] == owner) /* thread_id comes before native_thread_id */
      {
        wait->lock.kind = JANK_LOCK_PYTHON_RLOCK;
        wait->lock.owner = (pid_t) states.words[id];
        return;
      }
  jank_python_begin_states (self, &states);
  while (wait->lock.kind != JANK_LOCK_JOIN && jank_python_next_state (self, &states))
    if (jank_python_locks_is_joined (&self->names, states.address, wait->lock.address))
      {
        wait->lock.kind = JANK_LOCK_JOIN;
        wait->lock.owner = (pid_t) states.words[id];
      }
    else if (jank_python_locks_holds (&self->names, jank_python_get_frame (self, &states), wait->lock.address))
      {
        wait->lock.kind = JANK_LOCK_PYTHON;
        wait->lock.owner = n_holders++ == 0 ? (pid_t) states.words[id] : 0;
      }
}

void
jank_python_explain_wait (JankPython *self, pid_t tid, JankWait *wait)
{
  pid_t owner = wait->lock.owner;
  JANK_MEMORY_BUDGET (MAX_READS);

  if (self->runtime == 0 || wait->kind != JANK_WAIT_LOCK)
    return;
  tid = jank_proc_get_own_number (0, tid);
  if (wait->lock.kind == JANK_LOCK_COND || wait->lock.kind == JANK_LOCK_UNKNOWN)
    jank_python_explain_lock (self, tid, wait);
  else if (wait->lock.kind == JANK_LOCK_SEM && owner == 0)
    jank_python_explain_semaphore (self, tid, wait);
  if (wait->lock.owner == owner)
    return;
  wait->lock.owner = jank_proc_find_thread (0, wait->lock.owner);
  if (wait->lock.owner != 0)
    g_snprintf (wait->detail, sizeof wait->detail, "%s %s thread %d", jank_lock_kind_to_nick (wait->lock.kind),
                wait->lock.kind == JANK_LOCK_JOIN ? "of" : "held by", (int) wait->lock.owner);
}

void
jank_python_request (JankPython *self, pid_t tid, guint64 stack_low, guint64 stack_base, JankPythonRequest *ret_request)
{
  JANK_MEMORY_BUDGET (MAX_READS);

  ret_request->layout = self->names.layout;
  memcpy (ret_request->stable, self->names.stable, sizeof ret_request->stable);
  ret_request->n_states = 0;
  /* The list changes as threads come and go. */
  for (guint i = 0; i < FIND_TRIES && self->runtime != 0 && ret_request->n_states == 0; i++)
    jank_python_find_states (self, jank_proc_get_own_number (0, tid), stack_low, stack_base, ret_request);
}

/* Adds the run that begins at first. Returns: the number of calls added */
static guint
jank_python_add_run (JankPython *self, const JankPythonCalls *calls, guint first, JankCall *to, guint max)
{
  JankScripts *scripts = jank_code_map_get_scripts (self->map);
  guint n = 0;

  for (guint i = first; calls->calls[i].code != 0 && n < max; i++)
    n += jank_python_names_find (&self->names, &calls->calls[i], calls, scripts, &to[n]);
  return n;
}

/* Runs of several interpreters are in no order. Returns: index of the first call of the run whose place is in the
 * native frame from low to high, or n_calls */
static guint
jank_python_find_run (const JankPythonCalls *calls, guint64 low, guint64 high)
{
  for (guint i = 0, first = 0; i < calls->n_calls; i++)
    if (calls->calls[i].code == 0)
      {
        if (calls->calls[i].place >= low && calls->calls[i].place < high)
          return first;
        first = i + 1;
      }
  return calls->n_calls;
}

/* The collector's functions, where there are two, are one call. Returns: the number of calls added, of none to the n of
 * to; -1: it is no collector */
static gint
jank_python_add_collector (JankPython *self, const JankCall *native, JankCall *to, guint n)
{
  const JankModule *module = jank_code_map_get (self->map, self->module);

  if (!jank_memory_has_word (self->collector.functions, self->collector.n_functions, native->function) ||
      !jank_python_collector_name (module, jank_code_map_get_scripts (self->map), &to[n]))
    return -1;
  return n == 0 || to[n - 1].module != to[n].module || to[n - 1].function != to[n].function;
}

static gboolean
jank_python_add_end (JankPython *self, JankCall *to)
{
  const JankModule *module = jank_code_map_get (self->map, self->module);
  const JankScript script = { .language = "python", .file = module->path,
                              .name = (char *) N_("the shutdown of Python (destructors, exit handlers)") };

  return module->path != NULL && jank_scripts_add (jank_code_map_get_scripts (self->map), &script, 0, to);
}

/* Adds what native stands for to the n of to. Returns: the number of calls added */
static guint
jank_python_add_call (JankPython *self, const JankCall *native, guint64 low, const JankPythonCalls *calls, JankCall *to,
                      guint n)
{
  guint first = jank_python_find_run (calls, low, native->cfa), n_added = 0;
  gint n_collectors = jank_python_add_collector (self, native, to, n);

  if (n_collectors >= 0)
    return (guint) n_collectors;
  if (jank_memory_has_word (self->ends, self->n_ends, native->function) && jank_python_add_end (self, &to[n]))
    return 1;
  if (first < calls->n_calls)
    n_added = jank_python_add_run (self, calls, first, &to[n], JANK_STACK_MAX_CALLS - n);
  if (n_added > 0)
    return n_added;
  to[n] = *native;
  return 1;
}

JankStack *
jank_python_merge (JankPython *self, JankStack *stack, const JankStackCopy *copy, const JankPythonCalls *calls)
{
  g_autofree JankCall *merged = NULL;
  guint64 low = copy->regs[JANK_REG_SP];
  guint n = 0, i = 0;

  if (self->runtime == 0)
    return stack;
  merged = g_new (JankCall, JANK_STACK_MAX_CALLS);
  for (; i < stack->n_calls && n < JANK_STACK_MAX_CALLS; low = stack->calls[i++].cfa)
    n += jank_python_add_call (self, &stack->calls[i], low, calls, merged, n);
  return jank_stack_set_calls (stack, merged, n + (i < stack->n_calls));
}

GError *
jank_python_take_error (JankPython *self)
{
  return g_steal_pointer (&self->error);
}
