/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "monitor/jank-tags-private.h"

#include <stdlib.h>
#include <string.h>

G_STATIC_ASSERT (sizeof (JankTagSlot) % sizeof (guint64) == 0);

/* Cut between two characters; what is not UTF-8 is replaced. */
static void
jank_tags_copy_text (char *to, gsize n_bytes, const char *from)
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
jank_tags_publish (JankTags *self, guint slot)
{
  jank_seqlock_begin (&self->lock);
  jank_seqlock_store (self->words[slot], &self->tags[slot], JANK_TAG_N_WORDS);
  jank_seqlock_end (&self->lock);
}

/* An unused one, else the one that has been off for longest. */
static gint
jank_tags_find_slot (JankTags *self)
{
  gint found = -1;

  for (gint i = 0; i < JANK_TAGS_MAX; i++)
    {
      const JankTagSlot *tag = &self->tags[i];

      if (tag->id == 0)
        return i;
      if (tag->popped_ns != 0 && (found < 0 || tag->popped_ns < self->tags[found].popped_ns))
        found = i;
    }
  return found;
}

static guint
jank_tags_push_unlocked (JankTags *self, JankTagSlot *tag)
{
  gint slot = jank_tags_find_slot (self);

  if (slot < 0)
    return 0;
  if (++self->last_id == 0)
    self->last_id = 1;
  tag->id = self->last_id;
  self->tags[slot] = *tag;
  jank_tags_publish (self, (guint) slot);
  return self->last_id;
}

guint
jank_tags_push (JankTags *self, const char *name, const char *value, gint64 now_ns)
{
  JankTagSlot tag = { .pushed_ns = now_ns };
  guint id;

  jank_tags_copy_text (tag.name, sizeof tag.name, name);
  jank_tags_copy_text (tag.value, sizeof tag.value, value);
  pthread_mutex_lock (&self->mutex);
  id = jank_tags_push_unlocked (self, &tag);
  pthread_mutex_unlock (&self->mutex);
  return id;
}

gboolean
jank_tags_pop (JankTags *self, guint id, gint64 now_ns)
{
  gboolean is_found = FALSE;

  pthread_mutex_lock (&self->mutex);
  for (guint i = 0; id != 0 && i < JANK_TAGS_MAX && !is_found; i++)
    if (self->tags[i].id == id && self->tags[i].popped_ns == 0)
      {
        self->tags[i].popped_ns = now_ns;
        jank_tags_publish (self, i);
        is_found = TRUE;
      }
  pthread_mutex_unlock (&self->mutex);
  return is_found;
}

static gboolean
jank_tags_read_all (JankTags *self, JankTagSlot *ret_tags)
{
  JankSeqlockReader reader = { 0 };

  while (jank_seqlock_read_begin (&self->lock, &reader))
    {
      for (guint slot = 0; slot < JANK_TAGS_MAX; slot++)
        jank_seqlock_load (self->words[slot], &ret_tags[slot], JANK_TAG_N_WORDS);
      if (jank_seqlock_read_end (&self->lock, &reader))
        return TRUE;
    }
  return FALSE;
}

static int
jank_tags_compare_pushed_cb (const void *a, const void *b)
{
  const JankTagSlot *x = a, *y = b;

  return x->pushed_ns < y->pushed_ns ? -1 : x->pushed_ns > y->pushed_ns ? 1 : x->id < y->id ? -1 : x->id > y->id;
}

guint
jank_tags_read (JankTags *self, gint64 began_ns, gint64 ended_ns, JankTagSlot *ret_tags)
{
  guint n = 0;

  if (!jank_tags_read_all (self, ret_tags))
    return 0;
  for (guint i = 0; i < JANK_TAGS_MAX; i++)
    {
      const JankTagSlot *tag = &ret_tags[i];

      if (tag->id != 0 && tag->pushed_ns <= ended_ns && (tag->popped_ns == 0 || tag->popped_ns > began_ns))
        ret_tags[n++] = *tag;
    }
  qsort (ret_tags, n, sizeof *ret_tags, jank_tags_compare_pushed_cb);
  return n;
}
