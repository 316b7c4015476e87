/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "monitor/jank-tags-private.h"

#include "base/jank-clock-private.h"

struct _JankTag
{
  JankTags *tags; /* (owned) */
  guint     id;   /* 0: it found no room */
};

G_DEFINE_BOXED_TYPE (JankTag, jank_tag, jank_tag_ref, jank_tag_unref)

JankTag *
jank_tag_new (JankTags *tags, const char *name, const char *value)
{
  JankTag *self = g_atomic_rc_box_new (JankTag);

  self->tags = g_atomic_rc_box_acquire (tags);
  self->id = jank_tags_push (tags, name, value, jank_clock_now_ns ());
  return self;
}

static void
jank_tag_clear (gpointer data)
{
  JankTag *self = data;

  jank_tag_pop (self);
  g_atomic_rc_box_release (self->tags);
}

/**
 * jank_tag_ref:
 * @self: a tag
 *
 * Acquires a reference. Any thread.
 *
 * Returns: (transfer full): @self
 */
JankTag *
jank_tag_ref (JankTag *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return g_atomic_rc_box_acquire (self);
}

/**
 * jank_tag_unref:
 * @self: (transfer full): a tag
 *
 * Releases a reference; the last one takes the tag off. Any thread.
 */
void
jank_tag_unref (JankTag *self)
{
  g_return_if_fail (self != NULL);

  g_atomic_rc_box_release_full (self, jank_tag_clear);
}

/**
 * jank_tag_pop:
 * @self: a tag
 *
 * Takes the tag off; the order does not matter. A second call does nothing. Any thread.
 */
void
jank_tag_pop (JankTag *self)
{
  g_return_if_fail (self != NULL);

  jank_tags_pop (self->tags, self->id, jank_clock_now_ns ());
}
