/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The stalls of this session as a list model, in order of their first occurrence. A report that comes again, with a
 * greater count, replaces its former row. Bounded: the oldest rows go first. */

#pragma once

#include <gio/gio.h>

#include "gtk/inspector/jank-inspector-stall-private.h"
#include "gtk/jank-inspector-host-private.h"

#define JANK_INSPECTOR_LOG_MAX 10000

#define JANK_TYPE_INSPECTOR_LOG (jank_inspector_log_get_type ())
G_DECLARE_FINAL_TYPE (JankInspectorLog, jank_inspector_log, JANK, INSPECTOR_LOG, GObject)

JankInspectorLog   *jank_inspector_log_new   (void);

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
