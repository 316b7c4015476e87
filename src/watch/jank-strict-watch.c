/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "watch/jank-watches-private.h"

#include <string.h>

#include "base/jank-clock-private.h"
#include "descriptors/jank-descriptor-private.h"
#include "descriptors/jank-mounts-private.h"
#include "unwind/jank-scripts-private.h"

/* A sample of a thread that waits for it. */
#define SAMPLE_NS  (20 * JANK_NS_PER_MS)
/* While the engine has yet to answer. */
#define AWAIT_NS   JANK_NS_PER_MS
#define MOUNTS_NS  JANK_NS_PER_S

static guint64
jank_strict_watch_hash (const JankStack *stack, JankStrictKind kind)
{
  guint64 hash = (guint64) kind + 1;

  for (guint i = 0; i < stack->n_calls; i++)
    hash = (hash ^ stack->calls[i].pc) * G_GUINT64_CONSTANT (0x100000001b3);
  return hash;
}

/* site: 0: not to be counted */
static void
jank_strict_watch_remember (JankStrictWatch *self, const JankStack *stack, JankStrictKind kind, guint32 site)
{
  guint64 hash = jank_strict_watch_hash (stack, kind);

  g_hash_table_insert (self->sites, g_memdup2 (&hash, sizeof hash), GUINT_TO_POINTER (site));
}

static gboolean
jank_strict_watch_recall (JankStrictWatch *self, const JankStack *stack, JankStrictKind kind, guint32 *ret_site)
{
  guint64 hash = jank_strict_watch_hash (stack, kind);
  gpointer site;

  if (!g_hash_table_lookup_extended (self->sites, &hash, NULL, &site))
    return FALSE;
  *ret_site = GPOINTER_TO_UINT (site);
  return TRUE;
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

/* ret_awaited: the engine has yet to name a call */
static gboolean
jank_strict_watch_has_javascript (JankWatchPost *post, const JankStack *stack, gboolean *ret_awaited)
{
  JankScripts *scripts = jank_code_map_get_scripts (jank_sampler_get_map (post->sampler));
  gboolean has = FALSE;
  guint line;

  for (guint i = 0; i < stack->n_calls; i++)
    {
      const JankScript *script = jank_scripts_get (scripts, &stack->calls[i], &line);

      *ret_awaited |= stack->calls[i].script_request != 0;
      has |= script != NULL && strcmp (script->language, "javascript") == 0;
    }
  return has || *ret_awaited;
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

static void
jank_strict_watch_fill_reply (JankStrictWatch *self, JankWatchPost *post, JankStrictReply *reply)
{
  guint generation = jank_code_map_get_generation (jank_sampler_get_map (post->sampler));

  if (generation != self->generation)
    jank_strict_code_read (&reply->code, "/proc/self/maps");
  self->generation = generation;
  jank_sampler_request_python (post->sampler, jank_sampler_get_thread (post->sampler), &reply->python);
}

/* The stack of the thread that asks. Returns: (transfer full) (nullable) */
static JankStack *
jank_strict_watch_take (JankStrictWatch *self, JankWatchPost *post, const JankStrictRequest *request)
{
  JankSight sight;

  jank_sampler_take_other (post->sampler, jank_watch_post_get_thread (post), NULL, jank_clock_now_ns () + SAMPLE_NS,
                           &sight);
  jank_strict_watch_find_target (self, request, sight.wait);
  g_clear_pointer (&sight.wait, jank_wait_unref);
  return sight.stack;
}

static void
jank_strict_watch_answer (JankStrictWatch *self, JankWatchPost *post, const JankStrictRequest *request)
{
  JankStrictReply *reply = jank_strict_slot_get_reply ();
  g_autoptr (JankStack) stack = jank_strict_watch_take (self, post, request);
  gboolean is_awaited = FALSE, is_new;

  g_clear_pointer (&self->awaited, jank_stack_unref);
  jank_strict_watch_fill_reply (self, post, reply);
  reply->site = 0;
  reply->is_exact = stack != NULL && !jank_strict_watch_has_javascript (post, stack, &is_awaited);
  is_new = stack != NULL && !jank_strict_watch_recall (self, stack, request->kind, &reply->site);
  if (is_new)
    self->call.site = reply->site = self->n_sites + 1 < JANK_STRICT_MAX_SITES ? ++self->n_sites : 0;
  is_new &= reply->site != 0;
  if (is_new && !is_awaited)
    jank_strict_watch_remember (self, stack, self->call.kind, reply->site);
  jank_strict_slot_answer ();

  if (is_new && is_awaited)
    {
      self->awaited = g_steal_pointer (&stack);
      self->n_turns = jank_beat_read_live (post->beat).n_turns;
    }
  else if (is_new)
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

static void
jank_strict_watch_read_mounts (JankStrictWatch *self)
{
  g_autoptr (GString) paths = NULL;

  if (jank_clock_now_ns () - self->listed_ns < MOUNTS_NS)
    return;
  self->listed_ns = jank_clock_now_ns ();
  paths = jank_mounts_list_remote (JANK_STRICT_REMOTE_BYTES);
  jank_strict_slot_set_remote (paths->str, (unsigned) paths->len + 1);
}

gint64
jank_strict_watch_look (JankStrictWatch *self, JankWatchPost *post)
{
  const JankStrictRequest *request;

  if (!jank_strict_slot_is_of (post->beat) || jank_watch_post_get_thread (post) == NULL)
    return G_MAXINT64;
  if (self->sites == NULL)
    self->sites = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  if (self->awaited != NULL)
    jank_strict_watch_name (self, post);
  while ((request = jank_strict_slot_take ()) != NULL)
    jank_strict_watch_answer (self, post, request);
  jank_strict_watch_read_mounts (self);
  return self->awaited != NULL ? jank_clock_now_ns () + AWAIT_NS : G_MAXINT64;
}

void
jank_strict_watch_clear (JankStrictWatch *self)
{
  g_clear_pointer (&self->awaited, jank_stack_unref);
  g_clear_pointer (&self->sites, g_hash_table_unref);
}
