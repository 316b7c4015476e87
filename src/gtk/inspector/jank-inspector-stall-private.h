/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One report as a row of a list. Properties, read-only: “began-ns” and “duration-ns” (int64), “severity”,
 * “culprit”, “wait”, “time”, “length”, “headline”, “kind” and “fingerprint” (string), “count” (uint), “level”
 * (uint: JankSeverity). */

#pragma once

#include <glib-object.h>

#include "report/jank-report-private.h"

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
