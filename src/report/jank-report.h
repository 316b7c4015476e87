/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined (JANKWATCH_INSIDE) && !defined (JANKWATCH_COMPILATION)
#error "Only <jankwatch.h> can be included directly."
#endif

#include <glib-object.h>
#include "jank-version-macros.h"

G_BEGIN_DECLS

/**
 * JankSeverity:
 * @JANK_SEVERITY_MINOR: shorter than 250 ms
 * @JANK_SEVERITY_MICROHANG: 250 to 500 ms
 * @JANK_SEVERITY_HANG: 500 ms to 5 s
 * @JANK_SEVERITY_FROZEN: 5 s or longer
 *
 * How bad a stall is, after Apple's hang and Android's ANR classes.
 */
typedef enum
{
  JANK_SEVERITY_MINOR,
  JANK_SEVERITY_MICROHANG,
  JANK_SEVERITY_HANG,
  JANK_SEVERITY_FROZEN,
} JankSeverity;

/**
 * JankOutcome:
 * @JANK_OUTCOME_ONGOING: the stall had not ended when the report was written
 * @JANK_OUTCOME_RECOVERED: the main loop came back
 * @JANK_OUTCOME_EXITED: the program ended itself during the stall
 * @JANK_OUTCOME_KILLED: the program was killed, or crashed, during the stall
 *
 * How a stall ended.
 */
typedef enum
{
  JANK_OUTCOME_ONGOING,
  JANK_OUTCOME_RECOVERED,
  JANK_OUTCOME_EXITED,
  JANK_OUTCOME_KILLED,
} JankOutcome;

/**
 * JankReportKind:
 * @JANK_REPORT_STALL: the main loop did not turn for at least the threshold
 * @JANK_REPORT_STARTUP: the same, before the loop turned for the first time
 * @JANK_REPORT_FRAME: frames were late, for a rule that looks at frames
 * @JANK_REPORT_SPIN: the main loop turned without ever waiting
 * @JANK_REPORT_CPU: the process used more than its share of the CPU
 * @JANK_REPORT_INPUT: what the user did had no answer for long, though the main loop turned
 * @JANK_REPORT_DUMP: no trouble: what the program did when somebody asked, by `jankwatch dump`
 *
 * What a report is about.
 */
typedef enum
{
  JANK_REPORT_STALL,
  JANK_REPORT_STARTUP,
  JANK_REPORT_FRAME,
  JANK_REPORT_SPIN,
  JANK_REPORT_CPU,
  JANK_REPORT_INPUT,
  JANK_REPORT_DUMP,
} JankReportKind;

#define JANK_TYPE_REPORT (jank_report_get_type ())

/**
 * JankReport:
 *
 * The facts of one stall, or of another trouble (see [enum@ReportKind]). Immutable and reference counted; any thread
 * may read it.
 */
typedef struct _JankReport JankReport;

JANK_AVAILABLE_IN_0_1 GType          jank_report_get_type           (void) G_GNUC_CONST;
JANK_AVAILABLE_IN_0_1 JankReport    *jank_report_ref                (JankReport *self);
JANK_AVAILABLE_IN_0_1 void           jank_report_unref              (JankReport *self);
JANK_AVAILABLE_IN_0_1 const char    *jank_report_get_id             (JankReport *self);
JANK_AVAILABLE_IN_0_1 JankReportKind jank_report_get_kind           (JankReport *self);
JANK_AVAILABLE_IN_0_1 gint64         jank_report_get_duration_ns    (JankReport *self);
JANK_AVAILABLE_IN_0_1 JankSeverity   jank_report_get_severity       (JankReport *self);
JANK_AVAILABLE_IN_0_1 JankOutcome    jank_report_get_outcome        (JankReport *self);
JANK_AVAILABLE_IN_0_1 const char    *jank_report_get_culprit        (JankReport *self);
JANK_AVAILABLE_IN_0_1 const char    *jank_report_get_culprit_module (JankReport *self);
JANK_AVAILABLE_IN_0_1 const char    *jank_report_get_culprit_file   (JankReport *self);
JANK_AVAILABLE_IN_0_1 guint          jank_report_get_culprit_line   (JankReport *self);
JANK_AVAILABLE_IN_0_1 const char    *jank_report_get_culprit_reason (JankReport *self);
JANK_AVAILABLE_IN_0_1 char          *jank_report_to_json            (JankReport *self);
JANK_AVAILABLE_IN_0_1 GVariant      *jank_report_to_variant         (JankReport *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankReport, jank_report_unref)

G_END_DECLS
