/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The window of `jankwatch view`, from the outside in: what its parts have for each other. */

#pragma once

#include <gio/gio.h>
#include <gtk/gtk.h>

#include "gtk/inspector/jank-inspector-parts-private.h"
#include "index/jank-index-private.h"
#include "index/jank-problem-private.h"
#include "report/jank-report-private.h"
#include "store/jank-session-private.h"

/* Where the window's reports come from: a store, of which a filter lets some pass, or files. Reading is done in
 * threads; answers come in the main context of the caller. */

/* What can be shown. Shared by reference counting (g_atomic_rc_box); never changes. */
typedef struct
{
  GPtrArray *rows;     /* (owned) of JankRow */
  GPtrArray *problems; /* (owned) of JankProblem: those with the most time first */
  GPtrArray *files;    /* (owned) of JankSessionSummary: what sessions say of each of their processes */
  GPtrArray *bad;      /* (owned) of utf8: a sentence for each file that is no report; cleaned */
} JankViewList;

void            jank_view_list_unref         (JankViewList *self);

typedef struct _JankViewSource JankViewSource;

/* store, filter: (transfer full) */
JankViewSource *jank_view_source_new_store   (JankStore *store, JankFilter *filter);
JankViewSource *jank_view_source_new_files   (char **paths);
JankViewSource *jank_view_source_ref         (JankViewSource *self);
void            jank_view_source_unref       (JankViewSource *self);

void            jank_view_source_list        (JankViewSource *self, GCancellable *cancellable,
                                              GAsyncReadyCallback callback, gpointer data);

/* id: of a row. Names and lines come from the debug information of this machine. */
void            jank_view_source_load        (JankViewSource *self, const char *id, GCancellable *cancellable,
                                              GAsyncReadyCallback callback, gpointer data);
/* ret_lines: (nullable): of the source, around the culprit, as jank_export_source_lines() has them.
 * Returns: (transfer full) (nullable) */
JankReport     *jank_view_source_load_finish (GAsyncResult *result, char **ret_lines, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankViewList, jank_view_list_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankViewSource, jank_view_source_unref)

/* A row of a list. Read-only properties: “title”, “details”, “badge” (string), “badge-classes” (strv). Main thread. */
#define JANK_TYPE_VIEW_ITEM (jank_view_item_get_type ())
G_DECLARE_FINAL_TYPE (JankViewItem, jank_view_item, JANK, VIEW_ITEM, GObject)

/* Filled by who makes one. */
struct _JankViewItem
{
  GObject            parent_instance;

  char              *title, *details;     /* (owned) */
  const char        *badge, *badge_class; /* the class: of CSS */
  char              *app;                 /* (owned) (nullable): of a row that is a program */
  gint64             total_ns;            /* of such a row */
  JankViewList      *list;                /* (owned) (nullable): of problem */
  const JankProblem *problem;             /* (nullable) */
};

/* A problem as an item of the list. Main thread. */

/* problem: of list, to which a reference is kept */
JankViewItem *jank_view_problem_new          (JankViewList *list, const JankProblem *problem);

/* needle: case-folded. Whether it is in the culprit, a program or the reason. */
gboolean      jank_view_problem_has_text     (const JankViewItem *self, const char *needle);

/* All that the list has no room for, as one paragraph. Returns: (transfer full) */
char         *jank_view_problem_describe     (const JankViewItem *self);

/* The programs of a list as rows: all of them, then those with the most time first. Main thread. */

/* Returns: (transfer full) (element-type JankViewItem) */
GPtrArray *jank_view_programs_new    (JankViewList *list);
/* program (nullable): all of them */
gboolean   jank_view_program_has     (const JankViewItem *program, const JankProblem *problem);

/* The page of what was recorded: programs › problems › one stall. Properties, read-only: “narrow” and “can-go-back”.
 * Main thread. */
#define JANK_TYPE_VIEW_BROWSER (jank_view_browser_get_type ())
G_DECLARE_FINAL_TYPE (JankViewBrowser, jank_view_browser, JANK, VIEW_BROWSER, GtkBox)

/* source: a reference is kept. Begins to read it. */
void jank_view_browser_set_source (JankViewBrowser *self, JankViewSource *source);
/* Reads anew. */
void jank_view_browser_reload     (JankViewBrowser *self);
/* Where a person writes what to look for. */
void jank_view_browser_search     (JankViewBrowser *self);
/* To another report of the problem. */
void jank_view_browser_step       (JankViewBrowser *self, gint n_newer);
/* Closes the report, else leaves the program. */
void jank_view_browser_back       (JankViewBrowser *self);
/* Returns: (transfer none) */
JankInspectorStallView *jank_view_browser_get_stall_view (JankViewBrowser *self);

/* The window of `jankwatch view`: what was recorded, and what runs now. Reports are shown by the inspector's own
 * widgets. */
#define JANK_TYPE_VIEW_WINDOW (jank_view_window_get_type ())
G_DECLARE_FINAL_TYPE (JankViewWindow, jank_view_window, JANK, VIEW_WINDOW, GtkApplicationWindow)

/* app (nullable). source: a reference is kept. Begins to read it. */
JankViewWindow *jank_view_window_new (GtkApplication *app, JankViewSource *source);
