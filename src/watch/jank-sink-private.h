/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whom the watcher tells what it finds. Each function runs on the watcher thread, in the order of the list, and may
 * be NULL. */

#pragma once

#include "observe/jank-beat-private.h"
#include "rules/jank-rule-private.h"
#include "sample/jank-sampler-private.h"
#include "sample/jank-strict-slot-private.h"
#include "watch/jank-stall-private.h"

#define JANK_MAX_SINKS 10

struct _JankReport;
typedef struct _JankSettings JankSettings;

typedef struct
{
  guint64           n_wakeups; /* of the watcher thread */
  guint64           n_missed;  /* stalls that ended before the watcher was given a CPU */
  guint64           n_dropped; /* stalls that found the ring of ended ones full */
  JankSamplerCounts sampler;
  JankSignalCounts  signals;
} JankWatcherCounts;

/* A call that may block. */
typedef struct
{
  guint32        site;     /* jank_strict_slot_count() knows how many there were */
  JankStrictKind kind;
  const char    *function; /* static */
  const char    *target;   /* path, host or method; empty: not known */
} JankBlockingCall;

/* What a sink may need to know, valid during the call. */
typedef struct
{
  JankSettings      *settings;
  struct _JankProgram *program;
  struct _JankBriefStacks *briefs;
  JankCodeMap       *map;        /* (nullable): names cannot be looked up */
  JankWatcherCounts  counts;
  GError            *error;      /* (owned) (nullable): a sink sets it when reports are lost */
  gboolean           has_warned; /* of that */
  gboolean           has_other_loop; /* the program has waited in a loop that is not observed */
  gboolean           is_asked;   /* somebody wants to see a stall as it goes on: a sink sets it */
  gboolean          is_dump_asked; /* somebody wants a dump: the same */
  JankBell          bell;       /* that they ring when the watcher is parked: the same */
  gboolean          has_rung;   /* it has; a sink clears it */
} JankRecord;

typedef struct
{
  /* The first call. What will grow is made here: realloc() leaves a block in the heap of the thread that made it,
   * and one of ours on top of the program's heap would keep that from shrinking. */
  void (*started)  (gpointer data, JankRecord *record);
  /* Something does not work; the watcher goes on without it. */
  void (*failed)   (gpointer data, JankRecord *record, const GError *error);
  /* Other settings hold from now on. */
  void (*changed)  (gpointer data, JankRecord *record);
  /* A busy period too short for a stall has ended of which there are samples, for late frames. */
  void (*brief)    (gpointer data, JankRecord *record, const JankStall *stall);
  /* A frame was drawn, in order. */
  void (*frame)    (gpointer data, JankRecord *record, const JankFrameTime *frame);
  /* A rule that counts frames has a figure, in frames a second. */
  void (*figure)   (gpointer data, JankRecord *record, double fps);
  /* The rule has found a stall, or it still lasts and is due again, or it has ended (ended_ns), maybe since the
   * program is about to end (exiting). One at a time: a spin that is reported has ended before a stall is. */
  void (*stall)    (gpointer data, JankRecord *record, const JankStall *stall, gboolean exiting);
  /* The same of one that lasts, once a second while it is asked for. */
  void (*glance)   (gpointer data, JankRecord *record, const JankStall *stall);
  /* The recorder is about to make a report of a stall that lasts. */
  void (*found)    (gpointer data, JankRecord *record, const JankStall *stall);
  /* That report, at a glance: nobody keeps it, and it has no id. */
  void (*asked)    (gpointer data, JankRecord *record, struct _JankReport *report);
  /* The recorder's report of it: ongoing; ended. The first of these sinks sets the report's id. */
  void (*ongoing)  (gpointer data, JankRecord *record, struct _JankReport *report);
  void (*ended)    (gpointer data, JankRecord *record, const JankStall *stall, struct _JankReport *report);
  /* The thread that runs the loop, and all others, as they are: that was asked for. */
  void (*dump)     (gpointer data, JankRecord *record, const JankStall *stall);
  /* The recorder's report of it. The first of these sinks sets its id, if the report is kept. */
  void (*dumped)   (gpointer data, JankRecord *record, struct _JankReport *report);
  /* Once each time the watcher has looked at the loop. ret_due_ns is set by a sink that wants another tick even if
   * the loop stays idle. */
  void (*tick)     (gpointer data, JankRecord *record, gint64 now_ns, gint64 *ret_due_ns);
  /* The main thread is about to make a call that may block: from a place that is new, as stall shows. */
  void (*blocking) (gpointer data, JankRecord *record, const JankStall *stall, const JankBlockingCall *call);
  /* The last call: the program ends, or watching does. */
  void (*exiting)  (gpointer data, JankRecord *record);
  /* With the recorder. */
  void (*free)     (gpointer data);
} JankSinkFuncs;

typedef struct
{
  const JankSinkFuncs *funcs;
  gpointer             data;
} JankSink;

typedef struct
{
  JankSink   list[JANK_MAX_SINKS];
  guint      n;
  JankRecord record;
  /* (nullable): an opaque ID of the heaviest stack so far, 0: none */
  guint64  (*find_heaviest) (const JankStall *stall, JankPick pick);
} JankSinks;

/* Before they are told anything. data (nullable): this sink is not there */
void jank_sinks_add       (JankSinks *self, const JankSinkFuncs *funcs, gpointer data);

/* Says once that reports are lost, if a sink has set an error. */
void jank_sinks_warn_once (JankSinks *self);

#define JANK_SINKS_TELL(self, func, ...)                                             \
  G_STMT_START {                                                                     \
    JankSinks *told = (self);                                                        \
                                                                                     \
    for (const JankSink *sink = told->list; sink < told->list + told->n; sink++)     \
      if (sink->funcs->func != NULL)                                                 \
        {                                                                            \
          sink->funcs->func (sink->data, &told->record, ##__VA_ARGS__);              \
          jank_sinks_warn_once (told);                                               \
        }                                                                            \
  } G_STMT_END
