/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Answers what the main thread asks of a call that may block: which site it is. A site is new where its stack is; the
 * sinks are told of it. */

#include "watch/jank-finders-private.h"

#include "base/jank-clock-private.h"
#include "descriptors/jank-descriptor-private.h"

/* A sample of a thread that waits for it. */
#define SAMPLE_NS  (20 * JANK_NS_PER_MS)
/* While the engine has yet to answer. */
#define AWAIT_NS   JANK_NS_PER_MS

typedef struct
{
  GHashTable *sites;       /* (owned) (nullable): a stack's key → number of its site */
  guint32     n_sites;     /* numbers given out: from 1 on */

  /* A site whose script's calls the engine has yet to tell. */
  JankStack  *awaited;     /* (owned) (nullable) */
  JankBlockingCall call;
  char        target[JANK_STRICT_TARGET_BYTES]; /* of call */
  guint64     n_turns;     /* of the loop, at the call */
} JankStrictWatch;

/* Equal stacks have one. */
static gpointer
jank_strict_watch_make_key (const JankStack *stack, JankStrictKind kind)
{
  guint64 key = (guint64) kind + 1;

  for (guint i = 0; i < stack->n_calls; i++)
    key = (key ^ stack->calls[i].pc) * G_GUINT64_CONSTANT (0x100000001b3);
  return GSIZE_TO_POINTER (key);
}

/* As if it were all that a stall has. */
static void
jank_strict_watch_tell (JankWatchPost *post, JankStack *stack, const JankBlockingCall *call)
{
  g_autoptr (JankSampleRing) ring = jank_sample_ring_new ();
  g_autoptr (JankCallTree) tree = jank_call_tree_new ();
  gint64 now_ns = jank_clock_now_ns ();
  JankSample sample = {
    .at_ns = now_ns, .weight_ns = JANK_NS_PER_MS, .method = JANK_SAMPLE_BLOCKED, .state = JANK_STATE_BLOCKED,
    .syscall = -1, .stack = stack,
  };
  JankStall stall = {
    .kind = JANK_STALL_LOOP, .began_ns = now_ns - JANK_NS_PER_MS, .ended_ns = now_ns, .cpu_ns = -1, .ring = ring,
    .tree = tree, .n_samples = 1,
  };

  jank_sample_ring_add (ring, &sample);
  jank_call_tree_add (tree, stack, sample.weight_ns, 1);
  post->sinks->record.map = jank_sampler_get_map (post->sampler);
  JANK_SINKS_TELL (post->sinks, blocking, &stall, call);
}

/* Whether the engine has yet to name a call. */
static gboolean
jank_strict_watch_awaits_engine (const JankStack *stack)
{
  for (guint i = 0; i < stack->n_calls; i++)
    if (stack->calls[i].script_request != 0)
      return TRUE;
  return FALSE;
}

static void
jank_strict_watch_find_target (JankStrictWatch *self, const JankStrictRequest *request, const JankWait *wait)
{
  JankDescriptor descriptor;

  self->call = (JankBlockingCall) { .kind = request->kind, .function = request->function, .target = self->target };
  g_strlcpy (self->target, request->target, sizeof self->target);
  if (wait != NULL && wait->dbus != NULL)
    g_strlcpy (self->target, wait->target, sizeof self->target);
  else if (request->fd >= 0)
    {
      jank_descriptor_look (request->fd, &descriptor);
      g_strlcpy (self->target, descriptor.name, sizeof self->target);
    }
}

/* The stack of the thread that asks. One of another moment, such as the late answer to an earlier look, would be of
 * another call, so the thread must sleep for our answer. Returns: (transfer full) (nullable) */
static JankStack *
jank_strict_watch_take (JankStrictWatch *self, JankWatchPost *post, const JankStrictRequest *request)
{
  gint64 until_ns = jank_clock_now_ns () + SAMPLE_NS;
  gboolean is_asleep;
  JankSample sample;
  JankSyscall call;

  do
    {
      jank_sampler_take_other (post->sampler, jank_sampler_get_thread (post->sampler), NULL, until_ns, &call, &sample);
      is_asleep = jank_strict_slot_is_asleep (&call);
      if (is_asleep)
        jank_strict_watch_find_target (self, request, sample.wait);
      else
        g_clear_pointer (&sample.stack, jank_stack_unref);
      g_clear_pointer (&sample.wait, jank_wait_unref);
    }
  while (!is_asleep && jank_clock_now_ns () < until_ns);
  return sample.stack;
}

static void
jank_strict_watch_answer (JankStrictWatch *self, JankWatchPost *post, const JankStrictRequest *request)
{
  g_autoptr (JankStack) stack = jank_strict_watch_take (self, post, request);
  gpointer key = stack != NULL ? jank_strict_watch_make_key (stack, request->kind) : NULL;
  guint32 known = GPOINTER_TO_UINT (g_hash_table_lookup (self->sites, key));

  g_clear_pointer (&self->awaited, jank_stack_unref);
  self->call.site = known;
  if (stack != NULL && known == 0 && self->n_sites + 1 < JANK_STRICT_MAX_SITES)
    self->call.site = ++self->n_sites;
  if (!jank_strict_slot_answer (self->call.site) || self->call.site == known)
    return;
  if (jank_strict_watch_awaits_engine (stack))
    {
      self->awaited = g_steal_pointer (&stack);
      self->n_turns = jank_beat_read_live (post->beat).n_turns;
      return;
    }
  g_hash_table_insert (self->sites, key, GUINT_TO_POINTER (self->call.site));
  jank_strict_watch_tell (post, stack, &self->call);
}

/* What the engine tells in the same turn of the loop is of the same function, or of one that called it. */
static void
jank_strict_watch_name (JankStrictWatch *self, JankWatchPost *post)
{
  gint64 now_ns = jank_clock_now_ns ();

  if (jank_beat_read_live (post->beat).n_turns != self->n_turns)
    g_clear_pointer (&self->awaited, jank_stack_unref);
  else if (jank_sampler_has_names (post->sampler, now_ns))
    {
      self->awaited = jank_sampler_name_stack (post->sampler, self->awaited, now_ns);
      jank_strict_watch_tell (post, self->awaited, &self->call);
      g_clear_pointer (&self->awaited, jank_stack_unref);
    }
}

static gint64
jank_strict_watch_look (gpointer data, JankWatchPost *post)
{
  JankStrictWatch *self = data;
  const JankStrictRequest *request;

  if (!jank_strict_slot_is_of (post->beat) || jank_sampler_get_thread (post->sampler) == NULL)
    return G_MAXINT64;
  if (self->sites == NULL)
    self->sites = g_hash_table_new (NULL, NULL);
  if (self->awaited != NULL)
    jank_strict_watch_name (self, post);
  while ((request = jank_strict_slot_take ()) != NULL)
    jank_strict_watch_answer (self, post, request);
  return self->awaited != NULL ? jank_clock_now_ns () + AWAIT_NS : G_MAXINT64;
}

static void
jank_strict_watch_drop (gpointer data, JankWatchPost *post, gboolean exiting)
{
  JankStrictWatch *self = data;

  g_clear_pointer (&self->awaited, jank_stack_unref);
  g_clear_pointer (&self->sites, g_hash_table_unref);
}

const JankFinder jank_strict_watch = {
  sizeof (JankStrictWatch), .look = jank_strict_watch_look, .drop = jank_strict_watch_drop,
};
