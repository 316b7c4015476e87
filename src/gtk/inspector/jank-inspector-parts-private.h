/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The inspector's page, from the inside out: what its parts have for each other. GTK's thread only. */

#pragma once

#include "gtk/charts/jank-drawing-private.h"
#include "gtk/jank-inspector-private.h"
#include "report/jank-report-private.h"

/* One report as a row of a list. Properties, read-only: “began-ns” and “duration-ns” (int64), “severity”,
 * “culprit”, “wait”, “time”, “length”, “headline”, “kind” and “fingerprint” (string), “count” (uint), “level”
 * (uint: JankSeverity). */

#define JANK_TYPE_INSPECTOR_STALL (jank_inspector_stall_get_type ())
G_DECLARE_FINAL_TYPE (JankInspectorStall, jank_inspector_stall, JANK, INSPECTOR_STALL, GObject)

struct _JankInspectorStall
{
  GObject     parent_instance;

  JankReport *report;   /* (owned) */
  char       *culprit;  /* (owned) */
  char       *wait;     /* (owned) (nullable) */
  char       *headline; /* (owned) (nullable): until it is asked for */
};

/* report: (transfer full) */
JANK_API JankInspectorStall *jank_inspector_stall_new (JankReport *report);
const char         *jank_inspector_stall_get_headline (JankInspectorStall *self);
/* CLOCK_MONOTONIC; includes time while the program was stopped. */
void                jank_inspector_stall_get_range    (JankInspectorStall *self, gint64 *ret_began_ns,
                                                       gint64 *ret_ended_ns);

/* The stalls of this session as a list model, in order of their first occurrence. A report that comes again, with a
 * greater count, replaces its former row. Bounded: the oldest rows go first. */

#define JANK_INSPECTOR_LOG_MAX 10000

#define JANK_TYPE_INSPECTOR_LOG (jank_inspector_log_get_type ())
G_DECLARE_FINAL_TYPE (JankInspectorLog, jank_inspector_log, JANK, INSPECTOR_LOG, GObject)

/* Adds what is new; starts over for another host. Returns: how many reports came */
guint               jank_inspector_log_update (JankInspectorLog *self, const JankInspectorHost *host);

/* (transfer none): of JankInspectorStall */
GListModel         *jank_inspector_log_get_model (JankInspectorLog *self);

/* (transfer none) (nullable) */
JankInspectorStall *jank_inspector_log_get_newest (JankInspectorLog *self);

/* When the loop was stalled; repeated stalls have a span each. */
typedef struct
{
  gint64 began_ns, ended_ns; /* CLOCK_MONOTONIC */
  char  *id;                 /* (owned): of the report */
} JankInspectorSpan;

const JankInspectorSpan *jank_inspector_log_get_spans (JankInspectorLog *self, guint *ret_n_spans);

/* Returns: (transfer none) (nullable): the stall of the longest span that overlaps */
JankInspectorStall *jank_inspector_log_find  (JankInspectorLog *self, gint64 began_ns, gint64 ended_ns);

#define JANK_INSPECTOR_RESOURCES "/org/jankwatch/inspector/"

/* What the page reads: in `jankwatch view`, which has no page, without members. */
void                     jank_inspector_feed_set      (const JankInspectorFeed *feed);
const JankInspectorFeed *jank_inspector_feed_get      (void);

/* Once: templates and styles. */
void                     jank_inspector_load_resource (void);
/* Once for each display. */
JANK_API void            jank_inspector_load_style    (GdkDisplay *display);

/* A square of a chart's colour and what that means, for its legend. Properties “label” and “color-name” (string):
 * "update", "layout", "paint", "other", "late", "very-late", "frozen", "compositor", "own", "library", "computing",
 * "blocked", "preempted". */
#define JANK_TYPE_INSPECTOR_SWATCH (jank_inspector_swatch_get_type ())
G_DECLARE_FINAL_TYPE (JankInspectorSwatch, jank_inspector_swatch, JANK, INSPECTOR_SWATCH, JankDrawing)

/* The lists under a stall: heaviest path, samples, threads, tags. */

/* Each fills an empty list; where there is nothing, with a sentence that says why. */
void jank_inspector_rows_add_path    (GtkListBox *list, JankReport *report);
void jank_inspector_rows_add_samples (GtkListBox *list, JankReport *report);
void jank_inspector_rows_add_threads (GtkListBox *list, JankReport *report);
void jank_inspector_rows_add_tags    (GtkListBox *list, JankReport *report);

void jank_inspector_rows_clear       (GtkListBox *list);

/* One stall in detail. */
#define JANK_TYPE_INSPECTOR_STALL_VIEW (jank_inspector_stall_view_get_type ())
JANK_API G_DECLARE_FINAL_TYPE (JankInspectorStallView, jank_inspector_stall_view, JANK, INSPECTOR_STALL_VIEW, GtkBox)

/* stall (nullable) */
JANK_API void jank_inspector_stall_view_set_stall (JankInspectorStallView *self, JankInspectorStall *stall);
/* Puts an issue of the stall, if there is one, on the clipboard, as soon as the command has written it. */
JANK_API void jank_inspector_stall_view_copy      (JankInspectorStallView *self);
/* As `jankwatch report-bug`: opens the page for a new issue in the program's bug tracker; what that does not take is
 * put on the clipboard. */
JANK_API void jank_inspector_stall_view_report    (JankInspectorStallView *self);

/* Tab “Stalls”: the list, sorted and filtered, and the selected stall; in a low window, that is a page of its own. */
#define JANK_TYPE_INSPECTOR_STALLS (jank_inspector_stalls_get_type ())
G_DECLARE_FINAL_TYPE (JankInspectorStalls, jank_inspector_stalls, JANK, INSPECTOR_STALLS, GtkBox)

void jank_inspector_stalls_set_log (JankInspectorStalls *self, JankInspectorLog *log);
/* Around new stalls: if the newest one was selected, select the new newest; else keep the selection. */
void jank_inspector_stalls_hold    (JankInspectorStalls *self);
void jank_inspector_stalls_update  (JankInspectorStalls *self);
/* While it is shown. */
void jank_inspector_stalls_look    (JankInspectorStalls *self);
/* Shows its details; clears the filters where they hide it. */
void jank_inspector_stalls_select  (JankInspectorStalls *self, JankInspectorStall *stall);

/* Tab “Frames”: the chart, what its colours mean, and the numbers of one frame. Signal “stall-wanted”
 * (JankInspectorStall *): a frame was clicked in which the loop stalled. */
#define JANK_TYPE_INSPECTOR_FRAMES (jank_inspector_frames_get_type ())
G_DECLARE_FINAL_TYPE (JankInspectorFrames, jank_inspector_frames, JANK, INSPECTOR_FRAMES, GtkBox)

void jank_inspector_frames_set_log       (JankInspectorFrames *self, JankInspectorLog *log);
void jank_inspector_frames_update_stalls (JankInspectorFrames *self);
/* Sums up the frames that are shown. */
void jank_inspector_frames_look          (JankInspectorFrames *self);

/* What the inspector's page shows: three tabs, of which “Settings” lists those in force. Work only while mapped. */
#define JANK_TYPE_INSPECTOR_TABS (jank_inspector_tabs_get_type ())
G_DECLARE_FINAL_TYPE (JankInspectorTabs, jank_inspector_tabs, JANK, INSPECTOR_TABS, GtkBox)

/* JANK_INSPECTOR_SYMBOL. Returns: (transfer floating) */
JANK_API GtkWidget *jank_inspector_tabs_new (const JankInspectorFeed *feed);
