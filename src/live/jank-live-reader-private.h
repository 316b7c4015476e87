/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The reader's end of the live files: all programs of this user that are watched. Files may be hostile: a reader
 * believes a regular file of the user's that nobody else can write, of which it reads one page, whose check is right,
 * and whose program holds the lock on it. Of any other the reader says one line. The file of a program
 * that is gone is removed. One thread; nothing here waits for a program. */

#pragma once

#include "live/jank-live-private.h"

typedef struct _JankLiveReader JankLiveReader;

typedef struct
{
  JankLive   *live;  /* (owned) (nullable): nothing was written yet */
  JankReport *stall; /* (owned) (nullable): the one under way, as the program told it last */
  gint        pid;   /* as we see the program, 0: it is in another PID namespace that we do not see */
  gpointer    data;  /* whoever reads: freed by JankLiveReaderFuncs.gone */
} JankLiveProgram;

/* Each may be NULL. */
typedef struct
{
  void (*changed) (gpointer data, JankLiveProgram *program);
  /* Called before changed(); of many that end at once, of the last that fit into the page. */
  void (*ended)   (gpointer data, JankLiveProgram *program, JankReport *stall);
  /* The last call: it has ended itself, or was killed. */
  void (*gone)    (gpointer data, JankLiveProgram *program);
  void (*ignored) (gpointer data, const char *path, const char *why);
} JankLiveReaderFuncs;

/* store_folder: where programs without a runtime folder have theirs. session (nullable): the caller's, whose programs
 * leave their files to it. Makes the folders for these files. */
JankLiveReader *jank_live_reader_new      (const char *store_folder, const char *session,
                                           const JankLiveReaderFuncs *funcs, gpointer data);
/* Without a call of gone(). */
void            jank_live_reader_free     (JankLiveReader *self);

/* Becomes readable when there is something to look at; -1: there is no folder. */
int             jank_live_reader_get_fd   (const JankLiveReader *self);
/* What has changed since the last time; the first time: everything. */
void            jank_live_reader_look     (JankLiveReader *self);
/* Asks all programs for newer figures, which come within a second while they are busy. To be repeated each second. */
void            jank_live_reader_ask      (JankLiveReader *self);
/* Asks one for a dump, now. To be repeated until n_dumps has grown: that may be a dump that another reader has asked
 * for. Returns: whether its file is still there */
gboolean        jank_live_reader_ask_dump (JankLiveReader *self, const JankLiveProgram *program);
/* (element-type JankLiveProgram) of those that run and have written */
GPtrArray      *jank_live_reader_get_all  (JankLiveReader *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankLiveReader, jank_live_reader_free)
