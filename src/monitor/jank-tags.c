/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "monitor/jank-tags-private.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/jank-clock-private.h"

/* A program that takes a tag off at the end of a stall does it just when the stall is told: a reader waits for that, also when
 * the writer has lost its CPU within. */
#define N_YIELDS    20
#define NAP_NS      (20 * JANK_NS_PER_US)
#define MAX_WAIT_NS (50 * JANK_NS_PER_MS)

G_STATIC_ASSERT (sizeof (JankTag) % sizeof (guint64) == 0);

/* Cut between two characters; what is not UTF-8 is replaced. */
static void
copy_text (char *to, gsize n_bytes, const char *from)
{
  g_autofree char *start = g_strndup (from, n_bytes);
  g_autofree char *valid = g_utf8_make_valid (start, -1);
  gsize n = strnlen (valid, n_bytes);

  if (n == n_bytes)
    n = (gsize) (g_utf8_find_prev_char (valid, valid + n) - valid);
  memcpy (to, valid, n);
  memset (to + n, 0, n_bytes - n);
}

static void
publish (JankTags *self, guint slot)
{
  uint32_t seq = atomic_load_explicit (&self->seq, memory_order_relaxed);
  guint64 words[JANK_TAG_N_WORDS];

  memcpy (words, &self->tags[slot], sizeof words);
  /* Stays before the data: those are stored with release. */
  atomic_store_explicit (&self->seq, seq + 1, memory_order_relaxed);
  for (guint i = 0; i < JANK_TAG_N_WORDS; i++)
    atomic_store_explicit (&self->words[slot][i], words[i], memory_order_release);
  /* Pairs with the first load of read_all(). */
  atomic_store_explicit (&self->seq, seq + 2, memory_order_release);
}

/* An unused one, else the one that has been off for longest. */
static gint
find_slot (JankTags *self)
{
  gint found = -1;

  for (gint i = 0; i < JANK_TAGS_MAX; i++)
    {
      const JankTag *tag = &self->tags[i];

      if (tag->id == 0)
        return i;
      if (tag->popped_ns != 0 && (found < 0 || tag->popped_ns < self->tags[found].popped_ns))
        found = i;
    }
  return found;
}

guint
jank_tags_push (JankTags *self, const char *name, const char *value, gint64 now_ns)
{
  gint slot = find_slot (self);
  JankTag *tag;

  if (slot < 0)
    return 0;
  if (++self->last_id == 0)
    self->last_id = 1;
  tag = &self->tags[slot];
  *tag = (JankTag) { .id = self->last_id, .pushed_ns = now_ns };
  copy_text (tag->name, sizeof tag->name, name);
  copy_text (tag->value, sizeof tag->value, value);
  publish (self, (guint) slot);
  return self->last_id;
}

gboolean
jank_tags_pop (JankTags *self, guint id, gint64 now_ns)
{
  for (guint i = 0; id != 0 && i < JANK_TAGS_MAX; i++)
    if (self->tags[i].id == id && self->tags[i].popped_ns == 0)
      {
        self->tags[i].popped_ns = now_ns;
        publish (self, i);
        return TRUE;
      }
  return FALSE;
}

static gboolean
read_all (JankTags *self, JankTag *ret_tags)
{
  /* Pairs with the last store of publish(). */
  uint32_t seq = atomic_load_explicit (&self->seq, memory_order_acquire);

  if (seq & 1)
    return FALSE;
  for (guint slot = 0; slot < JANK_TAGS_MAX; slot++)
    {
      guint64 words[JANK_TAG_N_WORDS];

      for (guint i = 0; i < JANK_TAG_N_WORDS; i++)
        words[i] = atomic_load_explicit (&self->words[slot][i], memory_order_acquire);
      memcpy (&ret_tags[slot], words, sizeof words);
    }
  /* Stays after the data: those were loaded with acquire. */
  return atomic_load_explicit (&self->seq, memory_order_relaxed) == seq;
}

static int
compare_pushed_cb (const void *a, const void *b)
{
  const JankTag *x = a, *y = b;

  if (x->pushed_ns != y->pushed_ns)
    return x->pushed_ns < y->pushed_ns ? -1 : 1;
  return x->id < y->id ? -1 : x->id > y->id;
}

guint
jank_tags_read (JankTags *self, gint64 began_ns, gint64 ended_ns, JankTag *ret_tags)
{
  gint64 until_ns = jank_clock_now_ns () + MAX_WAIT_NS;
  guint n = 0;

  for (guint i = 0; !read_all (self, ret_tags); i++)
    {
      if (i < N_YIELDS)
        sched_yield ();
      else if (jank_clock_now_ns () < until_ns)
        nanosleep (&(struct timespec) { 0, NAP_NS }, NULL);
      else
        return 0;
    }
  for (guint i = 0; i < JANK_TAGS_MAX; i++)
    {
      const JankTag *tag = &ret_tags[i];

      if (tag->id != 0 && tag->pushed_ns <= ended_ns && (tag->popped_ns == 0 || tag->popped_ns > began_ns))
        ret_tags[n++] = *tag;
    }
  qsort (ret_tags, n, sizeof *ret_tags, compare_pushed_cb);
  return n;
}
