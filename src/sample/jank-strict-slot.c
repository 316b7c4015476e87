/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The observed thread's half runs on the program's main thread, outside of GLib and of locks: it neither allocates nor
 * takes any. */

#include "sample/jank-strict-slot-private.h"

#include <dlfcn.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <glib.h>

#include "base/jank-clock-private.h"
#include "base/jank-memory-private.h"
#include "wait/jank-wait-private.h"

/* A sample takes less than a millisecond of a watcher that has a CPU. One that takes so long may wait for what the
 * observed thread holds: then that goes on, and no call is told of any more. */
#define WAIT_NS        (100 * JANK_NS_PER_MS)
#define TAKE_NS        JANK_NS_PER_S

/* So much of the stack tells one site from another; more costs more each call. */
#define KEY_BYTES      8192
#define N_KEYS         2048 /* a power of two */

/* Where stacks do not tell sites, as below JavaScript, the watcher is asked each time; of many such calls, some: then
 * what asking takes stays below 5 % of the time. */
#define MAX_VAIN       64
#define VAIN_EVERY_NS  (20 * JANK_NS_PER_MS)

enum { EMPTY, ASKED, TAKEN, DONE };

#define STATE(number, state) ((number) << 2 | (uint32_t) (state))

typedef struct
{
  uint64_t key;  /* 0: none */
  uint32_t site;
} Entry;

static struct
{
  /* set before the preloaded library is told */
  JankBeat         *beat;
  JankThreadInfo    info;
  JankStrictSetFunc *set_funcs;

  /* shared, see above */
  _Atomic uint32_t  state;
  atomic_bool       is_on;
  JankStrictRequest request;
  JankStrictReply   reply;
  struct
  {
    _Atomic uint64_t n;
    _Atomic int64_t  longest_ns;
    bool             is_measured; /* observed thread only: longest_ns is of a call that no question held up */
  } sites[JANK_STRICT_MAX_SITES];
  _Atomic uint32_t  remote;      /* which of the two is read, with release and acquire */
  char              paths[2][JANK_STRICT_REMOTE_BYTES];

  /* observed thread only */
  Entry             entries[N_KEYS];
  uint32_t          n_entries, n_vain, last_site;
  bool              is_asking;
  int64_t           asked_ns;
  int64_t           question_ns; /* how long the call under way was held up although it had begun, 0: it was not */
  JankPythonCalls   calls;
} slot;

static void
jank_strict_slot_mix (uint64_t *key, uint64_t word)
{
  *key = (*key ^ word) * UINT64_C (0x9e3779b97f4a7c15);
  *key ^= *key >> 29;
}

static bool
jank_strict_slot_is_code (uint64_t address)
{
  const JankStrictCode *code = &slot.reply.code;
  uint32_t low = 0, high = code->n;

  while (low < high)
    {
      uint32_t middle = (low + high) / 2;

      if (address < code->ranges[middle].start)
        high = middle;
      else if (address >= code->ranges[middle].end)
        low = middle + 1;
      else
        return true;
    }
  return false;
}

/* Return addresses, and some that were. */
JANK_NO_SANITIZE static void
jank_strict_slot_mix_stack (uint64_t *key, uint64_t from, uint64_t end)
{
  for (const uint64_t *word = (const uint64_t *) from; (uint64_t) (word + 1) <= end; word++)
    if (jank_strict_slot_is_code (*word))
      jank_strict_slot_mix (key, *word);
}

/* Python's calls are not on the native stack. ret_inner, ret_outer: where the innermost and the outermost run of the
 * interpreter are, which the calls between these two say enough of. Returns: FALSE without Python's calls */
JANK_NO_SANITIZE static bool
jank_strict_slot_mix_python (uint64_t *key, uint64_t from, uint64_t *ret_inner, uint64_t *ret_outer)
{
  *ret_inner = *ret_outer = 0;
  if (slot.reply.python.n_states == 0)
    return false;
  jank_python_walk_here (&slot.reply.python, from, slot.info.stack_base, slot.info.tid, &slot.calls);
  for (uint32_t i = 0; i < slot.calls.n_calls; i++)
    if (slot.calls.calls[i].code != 0)
      {
        jank_strict_slot_mix (key, slot.calls.calls[i].code);
        jank_strict_slot_mix (key, slot.calls.calls[i].instruction);
      }
    else
      {
        *ret_outer = slot.calls.calls[i].place;
        *ret_inner = *ret_inner == 0 ? *ret_outer : *ret_inner;
      }
  return *ret_inner >= from && *ret_outer >= *ret_inner;
}

/* Returns: 0: this is no stack that we know */
static uint64_t
jank_strict_slot_make_key (const JankStrictCall *call, uint64_t from)
{
  uint64_t key = (uint64_t) call->kind + 1, end = slot.info.stack_base, inner, outer;

  if (from < slot.info.stack_low || from >= end)
    return 0;
  from &= ~UINT64_C (7);
  jank_strict_slot_mix (&key, (uintptr_t) call->caller);
  jank_strict_slot_mix (&key, (uintptr_t) call->function);
  if (jank_strict_slot_mix_python (&key, from, &inner, &outer))
    {
      jank_strict_slot_mix_stack (&key, from, inner);
      from = outer & ~UINT64_C (7);
    }
  jank_strict_slot_mix_stack (&key, from, end - from > KEY_BYTES ? from + KEY_BYTES : end);
  return key != 0 ? key : 1;
}

/* Returns: the key's entry, or a free one for it */
static Entry *
jank_strict_slot_find (uint64_t key)
{
  uint32_t i = (uint32_t) key & (N_KEYS - 1);

  while (slot.entries[i].key != 0 && slot.entries[i].key != key)
    i = (i + 1) & (N_KEYS - 1);
  return &slot.entries[i];
}

static void
jank_strict_slot_fill_request (const JankStrictCall *call)
{
  JankStrictRequest *request = &slot.request;

  request->target[0] = '\0';
  jank_memory_read_text ((uintptr_t) call->target, request->target, sizeof request->target);
  request->kind = call->kind;
  request->function = call->function;
  request->fd = call->fd;
}

/* Returns: the state, other than that one, or the same after until_ns */
static uint32_t
jank_strict_slot_await (uint32_t state, int64_t until_ns)
{
  struct timespec until = { until_ns / JANK_NS_PER_S, until_ns % JANK_NS_PER_S };
  uint32_t now = state;

  while (now == state && jank_clock_now_ns () < until_ns)
    {
      syscall (SYS_futex, &slot.state, FUTEX_WAIT_BITSET_PRIVATE, state, &until, NULL, FUTEX_BITSET_MATCH_ANY);
      now = atomic_load_explicit (&slot.state, memory_order_acquire);
    }
  return now;
}

/* Returns: whether the watcher has answered */
static bool
jank_strict_slot_ask (void)
{
  uint32_t number = atomic_load_explicit (&slot.state, memory_order_relaxed) >> 2;
  int64_t asked_ns = jank_clock_now_ns ();
  uint32_t asked = STATE (number, ASKED), state;

  atomic_store_explicit (&slot.state, asked, memory_order_release);
  jank_beat_ring (slot.beat);
  state = jank_strict_slot_await (asked, asked_ns + WAIT_NS);
  if (state == asked && atomic_compare_exchange_strong_explicit (&slot.state, &state, STATE (number, EMPTY),
                                                                 memory_order_acq_rel, memory_order_acquire))
    return false;
  if (state == STATE (number, TAKEN))
    state = jank_strict_slot_await (state, asked_ns + TAKE_NS);
  if (state != STATE (number, DONE))
    {
      jank_strict_slot_set_on (false);
      return false;
    }
  atomic_store_explicit (&slot.state, STATE (number + 1, EMPTY), memory_order_relaxed);
  return true;
}

/* Of a question that the program jumped out of. FALSE: the watcher still answers it */
static bool
jank_strict_slot_take_back (void)
{
  uint32_t state = atomic_load_explicit (&slot.state, memory_order_relaxed);

  if (!slot.is_asking)
    return true;
  if ((state & 3) == TAKEN ||
      !atomic_compare_exchange_strong_explicit (&slot.state, &state, STATE ((state >> 2) + 1, EMPTY),
                                                memory_order_acquire, memory_order_relaxed))
    return false;
  jank_spans_end (&slot.beat->own.spans);
  slot.is_asking = false;
  return true;
}

static bool
jank_strict_slot_may_ask (int64_t now_ns)
{
  return slot.n_entries < N_KEYS / 2 && (slot.n_vain < MAX_VAIN || now_ns - slot.asked_ns >= VAIN_EVERY_NS);
}

static uint32_t
jank_strict_slot_learn_site (const JankStrictCall *call, uint64_t key)
{
  int64_t began_ns = jank_clock_now_ns ();
  bool is_answered;

  if (!jank_strict_slot_take_back () || !jank_strict_slot_may_ask (began_ns))
    return 0;
  jank_strict_slot_fill_request (call);
  slot.is_asking = true;
  /* What it takes is ours. */
  jank_spans_begin (&slot.beat->own.spans);
  is_answered = jank_strict_slot_ask ();
  jank_spans_end (&slot.beat->own.spans);
  slot.is_asking = false;
  slot.asked_ns = jank_clock_now_ns ();
  /* The message is sent, the child runs. */
  if (call->kind == JANK_STRICT_DBUS || call->kind == JANK_STRICT_CHILD)
    slot.question_ns = slot.asked_ns - began_ns;
  if (!is_answered)
    {
      slot.n_vain++;
      return 0;
    }
  slot.n_vain += slot.reply.site <= slot.last_site;
  slot.last_site = slot.reply.site > slot.last_site ? slot.reply.site : slot.last_site;
  if (slot.reply.is_exact)
    {
      Entry *entry = jank_strict_slot_find (key);

      slot.n_entries += entry->key == 0;
      *entry = (Entry) { key, slot.reply.site };
    }
  return slot.reply.site;
}

static uint64_t
jank_strict_slot_get_turn (void)
{
  return jank_beat_load (slot.beat);
}

/* Calls of start-up are not listed: nothing is there to freeze. */
static uint32_t
jank_strict_slot_call_begins (const JankStrictCall *call)
{
  const Entry *entry;
  uint64_t key;

  slot.question_ns = 0;
  if (!atomic_load_explicit (&slot.is_on, memory_order_relaxed) ||
      jank_beat_word_state (jank_beat_load (slot.beat)) != JANK_BEAT_BUSY)
    return 0;
  key = jank_strict_slot_make_key (call, (uintptr_t) __builtin_frame_address (0));
  entry = jank_strict_slot_find (key);
  if (key == 0)
    return 0;
  return entry->key == key ? entry->site : jank_strict_slot_learn_site (call, key);
}

static void
jank_strict_slot_call_ends (uint32_t site, int64_t took_ns)
{
  uint64_t n = atomic_load_explicit (&slot.sites[site].n, memory_order_relaxed);
  int64_t longest_ns = atomic_load_explicit (&slot.sites[site].longest_ns, memory_order_relaxed);
  bool is_measured = slot.question_ns == 0;

  /* An upper bound counts until a call is measured. */
  took_ns += slot.question_ns;
  if (is_measured > slot.sites[site].is_measured ||
      (is_measured == slot.sites[site].is_measured && took_ns > longest_ns))
    atomic_store_explicit (&slot.sites[site].longest_ns, took_ns, memory_order_relaxed);
  slot.sites[site].is_measured |= is_measured;
  atomic_store_explicit (&slot.sites[site].n, n + 1, memory_order_relaxed);
}

static bool
jank_strict_slot_is_below (const char *path, const char *folder)
{
  size_t n = strlen (folder);

  return strncmp (path, folder, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/* A path that cannot be read is an error that open() returns. */
static bool
jank_strict_slot_is_remote (const char *given)
{
  const char *folder = slot.paths[atomic_load_explicit (&slot.remote, memory_order_acquire)];
  char path[JANK_STRICT_REMOTE_BYTES];

  if (*folder == '\0' || !jank_memory_read_text ((uintptr_t) given, path, sizeof path) ||
      (path[0] != '/' && syscall (SYS_getcwd, path, sizeof path) <= 0))
    return false;
  for (; *folder != '\0'; folder += strlen (folder) + 1)
    if (jank_strict_slot_is_below (path, folder))
      return true;
  return false;
}

static const JankStrictFuncs funcs = {
  .get_turn = jank_strict_slot_get_turn,
  .begin = jank_strict_slot_call_begins,
  .end = jank_strict_slot_call_ends,
  .is_remote = jank_strict_slot_is_remote,
};

void
jank_strict_slot_prepare (void)
{
  *(void **) &slot.set_funcs = dlsym (RTLD_DEFAULT, JANK_STRICT_SET_SYMBOL);
}

bool
jank_strict_slot_is_there (void)
{
  return slot.set_funcs != NULL;
}

void
jank_strict_slot_begin (JankBeat *beat, const JankThreadInfo *info)
{
  if (slot.set_funcs == NULL || slot.beat != NULL || info->tid != getpid ())
    return;
  slot.beat = beat;
  slot.info = *info;
  jank_wait_note_pause ((uintptr_t) &slot.state);
  atomic_store_explicit (&slot.is_on, true, memory_order_relaxed);
  slot.set_funcs (&funcs);
}

bool
jank_strict_slot_is_of (const JankBeat *beat)
{
  return slot.beat == beat;
}

void
jank_strict_slot_set_on (bool on)
{
  atomic_store_explicit (&slot.is_on, on, memory_order_relaxed);
}

const JankStrictRequest *
jank_strict_slot_take (void)
{
  uint32_t state = atomic_load_explicit (&slot.state, memory_order_relaxed);

  if ((state & 3) != ASKED || !atomic_compare_exchange_strong_explicit (&slot.state, &state, STATE (state >> 2, TAKEN),
                                                                        memory_order_acquire, memory_order_relaxed))
    return NULL;
  return &slot.request;
}

JankStrictReply *
jank_strict_slot_get_reply (void)
{
  return &slot.reply;
}

void
jank_strict_slot_answer (void)
{
  uint32_t number = atomic_load_explicit (&slot.state, memory_order_relaxed) >> 2;

  atomic_store_explicit (&slot.state, STATE (number, DONE), memory_order_release);
  syscall (SYS_futex, &slot.state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* "7f12a000-7f12b000 r-xp 00000000 08:01 1234 /usr/lib/…"; what an interpreter compiled has no path. */
void
jank_strict_code_read (JankStrictCode *self, const char *maps)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = g_file_get_contents (maps, &text, NULL, NULL) ? g_strsplit (text, "\n", -1) : NULL;

  self->n = 0;
  for (char **line = lines; line != NULL && *line != NULL && self->n < JANK_STRICT_MAX_CODE; line++)
    {
      guint64 start, end;
      char rights[5];

      if (sscanf (*line, "%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x %4s", &start, &end, rights) == 3 &&
          rights[2] == 'x' && strchr (*line, '/') != NULL)
        {
          self->ranges[self->n].start = start;
          self->ranges[self->n++].end = end;
        }
    }
}

void
jank_strict_slot_set_remote (const char *paths, unsigned n_bytes)
{
  uint32_t next = 1 - atomic_load_explicit (&slot.remote, memory_order_relaxed);

  if (n_bytes > JANK_STRICT_REMOTE_BYTES || memcmp (paths, slot.paths[1 - next], n_bytes) == 0)
    return;
  memcpy (slot.paths[next], paths, n_bytes);
  atomic_store_explicit (&slot.remote, next, memory_order_release);
}

uint64_t
jank_strict_slot_count (uint32_t site, int64_t *ret_longest_ns)
{
  *ret_longest_ns = atomic_load_explicit (&slot.sites[site].longest_ns, memory_order_relaxed);
  return atomic_load_explicit (&slot.sites[site].n, memory_order_relaxed);
}
