/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whom the recorder tells. Watcher thread only, unless a line says otherwise. */

#pragma once

#include <glib.h>

#include "base/jank-clock-private.h"
#include "base/jank-histogram-private.h"
#include "base/jank-spans-private.h"
#include "sinks/jank-gtk-host-private.h"
#include "store/jank-session-private.h"
#include "symbols/jank-known-names-private.h"
#include "watch/jank-sink-private.h"

/* When a context ran handlers of monitors' signals, with whatever they called. The monitors of one context share it:
 * what one handler makes late must not call another, which makes late in turn. */

/* Any thread. */
JankSpans *jank_handler_time_ref   (GMainContext *context);
void       jank_handler_time_unref (JankSpans *spans);

/* The calls on the main thread that may block, each place in the program once. Watcher thread only. */
typedef struct _JankCallList JankCallList;

JankCallList *jank_call_list_new  (void);
void          jank_call_list_free (JankCallList *self);

/* stall: its only sample is of the call. Returns: whether the call is listed: a function of the program made it,
 * while the loop dispatched it, and no library on its own account */
gboolean      jank_call_list_add  (JankCallList *self, JankCodeMap *map, const JankStall *stall,
                                   const JankBlockingCall *call);

/* Returns: (transfer none) (element-type JankSessionCall): the list, with its counts of now */
GPtrArray    *jank_call_list_get  (JankCallList *self);

/* Keeps reports in the store, and starts what tells people of a new one. The first of the recorder's sinks. */
typedef struct _JankReportKeeper JankReportKeeper;

JankReportKeeper *jank_report_keeper_new (void);

extern const JankSinkFuncs jank_report_keeper_sink;

/* Keeps the session file of this process up to date for `jankwatch run`, which reads it also after the process was
 * killed. Writes it soon after frames or stalls, at most once a second. Where nobody runs the program by it, how long
 * it was watched and how long it hung is kept all the same, in a session of its own, and written after stalls, at a
 * look that is taken anyway every ten minutes, and at its end: an idle program is not woken for it. */
typedef struct _JankSessionKeeper JankSessionKeeper;

/* Any thread. session (nullable): of `jankwatch run`, a name of jank_session_is_name(). startup_began_ns: since when
 * the start-up is watched, 0: it is not. beat, gtk, turns (nullable): outlive the keeper. */
JankSessionKeeper *jank_session_keeper_new        (const char *store_folder, const char *session,
                                                   gint64 startup_began_ns, JankBeat *beat,
                                                   JankGtkHostState *gtk, const JankTimes *turns);

/* The session's name, which is of its own without `run`. */
const char        *jank_session_keeper_get_name   (const JankSessionKeeper *self);

/* Any thread, once. */
void               jank_session_keeper_set_ledger (JankSessionKeeper *self, const JankSourceLedger *ledger);

extern const JankSinkFuncs jank_session_keeper_sink;

/* Keeps the program's live file. Written when a stall is found, told and over; between them once a second, if a reader
 * asks for it and the watcher looks at the loop anyway. */
typedef struct _JankLiveKeeper JankLiveKeeper;

/* Any thread. session (nullable): of `jankwatch run`. gtk (nullable): whose frames are counted */
JankLiveKeeper *jank_live_keeper_new (const JankSettings *settings, const char *session, JankGtkHostState *gtk);

extern const JankSinkFuncs jank_live_keeper_sink;

/* Every frame of an animation as a row of a table, where the setting “frame-log” asks for it: comma-separated values,
 * the first columns as MangoHud's, so that what draws its logs draws these. */
typedef struct _JankFrameLog JankFrameLog;

/* path: the file's name is that, this process's number and “.csv”. */
JankFrameLog *jank_frame_log_new (const char *path);

extern const JankSinkFuncs jank_frame_log_sink;

/* Tells the program's own log of a stall the moment it is found, where the setting “log” asks for it. */
typedef struct _JankLogLine JankLogLine;

/* On the thread that starts watching. Returns: (transfer full) (nullable): the library of texts cannot be opened */
JankLogLine *jank_log_line_new (void);

extern const JankSinkFuncs jank_log_line_sink;
