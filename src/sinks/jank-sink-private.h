/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whom the recorder tells what it finds. Each function runs on the watcher thread, in the order of the list, and may
 * be NULL. */

#pragma once

#include "settings/jank-settings-private.h"
#include "sinks/jank-program-private.h"
#include "report/jank-brief-stacks-private.h"
#include "report/jank-report.h"
#include "watch/jank-watcher-private.h"

/* What a sink may need to know, valid during the call. */
typedef struct
{
  JankSettings      *settings;
  JankProgram       *program;
  JankBriefStacks   *briefs;
  JankCodeMap       *map;     /* (nullable): names cannot be looked up */
  JankWatcherCounts  counts;
  GError            *error;   /* (owned) (nullable): a sink sets it when reports are lost */
} JankRecord;

typedef struct
{
  /* The first call. What will grow is made here: realloc() leaves a block in the heap of the thread that made it, and one of
   * ours on top of the program's heap would keep that from shrinking. */
  void (*started)  (gpointer data, JankRecord *record);
  /* Other settings hold from now on. */
  void (*changed)  (gpointer data, JankRecord *record);
  /* A stack has been read; a busy period too short for a stall has ended; a frame was drawn. */
  void (*sampled)  (gpointer data, JankRecord *record, const JankSample *sample);
  void (*period)   (gpointer data, JankRecord *record, const JankBusyPeriod *period);
  void (*brief)    (gpointer data, JankRecord *record, const JankStall *stall);
  void (*frame)    (gpointer data, JankRecord *record, const JankFrameTime *frame);
  /* A rule that counts frames has a figure, in frames a second. */
  void (*figure)   (gpointer data, JankRecord *record, double fps);
  /* Ongoing; ended. The first sink sets the report's id. */
  void (*ongoing)  (gpointer data, JankRecord *record, JankReport *report);
  void (*ended)    (gpointer data, JankRecord *record, const JankStall *stall, JankReport *report);
  /* ret_due_ns is set by a sink that wants another tick even if the loop stays idle. */
  void (*tick)     (gpointer data, JankRecord *record, gint64 now_ns, gint64 *ret_due_ns);
  /* The last call: the program ends, or watching does. */
  void (*exiting)  (gpointer data, JankRecord *record);
  /* With the recorder. */
  void (*free)     (gpointer data);
} JankSinkFuncs;

typedef struct
{
  const JankSinkFuncs *funcs;
  gpointer             data; /* (nullable): this sink is not there */
} JankSink;
