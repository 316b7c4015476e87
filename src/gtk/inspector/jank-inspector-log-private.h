/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The stalls of this session as a list model, in the order in which their fingerprints came first. A report that comes
 * again, with a greater count, takes its former place. Bounded: the oldest rows go first. */

#pragma once

#include <gio/gio.h>

#include "gtk/inspector/jank-inspector-stall-private.h"
#include "gtk/jank-inspector-host-private.h"

#define JANK_INSPECTOR_LOG_MAX 10000

#define JANK_TYPE_INSPECTOR_LOG (jank_inspector_log_get_type ())
G_DECLARE_FINAL_TYPE (JankInspectorLog, jank_inspector_log, JANK, INSPECTOR_LOG, GObject)

JankInspectorLog   *jank_inspector_log_new   (void);

/* Takes over what is new; another host than before: from its beginning. Returns: how many reports came */
guint               jank_inspector_log_update (JankInspectorLog *self, const JankInspectorHost *host);

/* (transfer none): of JankInspectorStall */
GListModel         *jank_inspector_log_get_model (JankInspectorLog *self);

/* (transfer none) (nullable) */
JankInspectorStall *jank_inspector_log_get_newest (JankInspectorLog *self);

/* When the loop was stalled, also by those that came again: the newest ones. */
typedef struct
{
  gint64 began_ns, ended_ns; /* CLOCK_MONOTONIC */
  char  *id;                 /* (owned): of the report */
} JankInspectorSpan;

const JankInspectorSpan *jank_inspector_log_get_spans (JankInspectorLog *self, guint *ret_n_spans);

/* That of the longest span that overlaps. Returns: (transfer none) (nullable) */
JankInspectorStall *jank_inspector_log_find  (JankInspectorLog *self, gint64 began_ns, gint64 ended_ns);
