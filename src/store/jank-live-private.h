/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the watcher tells `jankwatch run` while the program hangs: one line through a FIFO beside the session's files.
 * It has the facts, and run the words, which are in the language of its user. A writer never waits: where nobody reads,
 * or the reader is slow, the line is lost. */

#pragma once

#include "report/jank-report-private.h"

typedef enum
{
  JANK_LIVE_ONGOING, /* the stall lasts */
  JANK_LIVE_ENDED,   /* it is over */
} JankLiveState;

typedef struct
{
  JankLiveState state;
  JankReport   *report; /* (owned): as jank_text_gist() leaves it */
} JankLive;

/* Creates the FIFO. Returns: (transfer full) (nullable): its path; ret_fd never ends and does not block */
char     *jank_live_open  (const char *store_folder, const char *session, int *ret_fd);

/* Any thread. gist: loses what does not fit. Returns: FALSE: nobody takes it */
gboolean  jank_live_send  (const char *store_folder, const char *session, JankLiveState state, JankReport *gist);

/* line: without its end. Returns: (transfer full) (nullable): it is none of ours */
JankLive *jank_live_parse (const char *line);
void      jank_live_free  (JankLive *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankLive, jank_live_free)
