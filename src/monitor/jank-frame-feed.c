/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "monitor/jank-frame-feed-private.h"

struct _JankFrameFeed
{
  gint              n_refs;
  GMainContext     *context; /* (owned) */
  JankFrameFeedFunc func;    /* (nullable): nobody listens any more */
  gpointer          data;
  GSource          *source;  /* (owned) (nullable) */
  GQueue            frames;  /* (owned) of (owned) JankFrame */
};

/* Ready at its ready time, and never else. */
static gboolean
jank_frame_feed_dispatch_cb (GSource *source, GSourceFunc callback, gpointer data)
{
  return callback (data);
}

static GSourceFuncs source_funcs = { .dispatch = jank_frame_feed_dispatch_cb };

static void
jank_frame_feed_unref (gpointer data)
{
  JankFrameFeed *self = data;

  if (--self->n_refs > 0)
    return;
  g_queue_clear_full (&self->frames, (GDestroyNotify) jank_frame_unref);
  g_main_context_unref (self->context);
  g_free (self);
}

/* Only frames that wait already: those that arrive during func, in a nested loop, wait for the next turn. */
static gboolean
jank_frame_feed_deliver_cb (gpointer data)
{
  JankFrameFeed *self = data;

  g_source_set_ready_time (self->source, -1);
  self->n_refs++;
  for (guint n = self->frames.length; n > 0 && self->func != NULL; n--)
    {
      JankFrame *frame = g_queue_pop_head (&self->frames);

      self->func (frame, self->data);
      jank_frame_unref (frame);
    }
  if (self->func != NULL && self->frames.length > 0)
    g_source_set_ready_time (self->source, 0);
  jank_frame_feed_unref (self);
  return G_SOURCE_CONTINUE;
}

JankFrameFeed *
jank_frame_feed_new (GMainContext *context, JankFrameFeedFunc func, gpointer data)
{
  JankFrameFeed *self = g_new0 (JankFrameFeed, 1);

  self->n_refs = 1;
  self->context = g_main_context_ref (context);
  self->func = func;
  self->data = data;
  g_queue_init (&self->frames);
  return self;
}

void
jank_frame_feed_free (JankFrameFeed *self)
{
  self->func = NULL;
  if (self->source != NULL)
    g_source_destroy (self->source);
  g_clear_pointer (&self->source, g_source_unref);
  jank_frame_feed_unref (self);
}

void
jank_frame_feed_push (JankFrameFeed *self, const JankFrameEvent *event, const JankFrameVerdict *verdict,
                      const char *window)
{
  if (self->frames.length == JANK_FRAME_FEED_MAX)
    return;
  if (self->source == NULL)
    {
      self->source = g_source_new (&source_funcs, sizeof (GSource));
      g_source_set_static_name (self->source, "jankwatch: frames");
      g_source_set_callback (self->source, jank_frame_feed_deliver_cb, self, NULL);
      g_source_attach (self->source, self->context);
    }
  g_queue_push_tail (&self->frames, jank_frame_new (event, verdict, window));
  if (self->frames.length == 1)
    g_source_set_ready_time (self->source, 0);
}
