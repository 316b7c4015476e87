/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the watcher tells `jankwatch run` while the program hangs: one line through a FIFO beside the session's files. A
 * writer never waits: where nobody reads, or the reader is slow, the line is lost. */

#pragma once

#include "report/jank-report-private.h"

typedef enum
{
  JANK_LIVE_ONGOING, /* the stall lasts */
  JANK_LIVE_ENDED,   /* it is over */
  JANK_LIVE_DROPPED, /* it was none, although it was told */
} JankLiveState;

typedef struct
{
  JankLiveState  state;
  JankReportKind kind;
  gint           pid;
  gint64         began_ns;    /* CLOCK_MONOTONIC */
  gint64         duration_ns; /* until now, or of the whole stall */
  char          *id;          /* (nullable): of the report */
  char          *who;         /* the culprit in words; "": unknown */
  char          *doing;       /* what it does, in words; "": unknown */
} JankLive;

/* Creates the FIFO. Returns: (transfer full) (nullable): its path; ret_fd never ends and does not block */
char     *jank_live_open  (const char *store_folder, const char *session, int *ret_fd);

/* Any thread. Returns: FALSE: nobody takes it */
gboolean  jank_live_send  (const char *store_folder, const char *session, const JankLive *live);

/* line: without its end. Returns: (transfer full) (nullable): it is none of ours */
JankLive *jank_live_parse (const char *line);
void      jank_live_free  (JankLive *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankLive, jank_live_free)
