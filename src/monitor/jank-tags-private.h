/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the program says it is doing: tags, each with the time during which it held. Fixed memory. Threads that write
 * wait for one another only, any other thread reads.
 *
 * A tag that was taken off stays readable until its slot is needed, since a stall is reported after its end. */

#pragma once

#include <glib.h>
#include <pthread.h>

#include "base/jank-seqlock-private.h"
#include "monitor/jank-tag.h"

#define JANK_TAGS_MAX         32
#define JANK_TAG_NAME_BYTES   64  /* with the final 0 */
#define JANK_TAG_VALUE_BYTES  128

typedef struct
{
  guint64 id;        /* 0: unused */
  gint64  pushed_ns; /* CLOCK_MONOTONIC */
  gint64  popped_ns; /* 0: still holds */
  char    name[JANK_TAG_NAME_BYTES];
  char    value[JANK_TAG_VALUE_BYTES];
} JankTagSlot;

#define JANK_TAG_N_WORDS (sizeof (JankTagSlot) / sizeof (guint64))

/* All zero is empty; an atomic g_rc_box of GLib's. */
typedef struct
{
  /* under mutex: those that write; not GLib's, which no thread sanitizer sees */
  pthread_mutex_t  mutex;
  JankTagSlot          tags[JANK_TAGS_MAX];
  guint            last_id;

  /* shared, atomic */
  JankSeqlock      lock;
  _Atomic uint64_t words[JANK_TAGS_MAX][JANK_TAG_N_WORDS];
} JankTags;

/* Any thread. Both texts are made UTF-8 and cut between two characters. Returns: the tag's number, 0 when all
 * slots hold */
guint    jank_tags_push (JankTags *self, const char *name, const char *value, gint64 now_ns);

/* Any thread. FALSE: no tag that holds has this number. */
gboolean jank_tags_pop  (JankTags *self, guint id, gint64 now_ns);

/* Any thread: the tags that held at any moment of [began_ns, ended_ns], in the order in which they were pushed.
 * ret_tags has room for JANK_TAGS_MAX. Returns: how many; none where a thread is held up in mid-write */
guint    jank_tags_read (JankTags *self, gint64 began_ns, gint64 ended_ns, JankTagSlot *ret_tags);

/* Pushed onto tags, which it keeps. Returns: (transfer full) */
JankTag *jank_tag_new   (JankTags *tags, const char *name, const char *value);
