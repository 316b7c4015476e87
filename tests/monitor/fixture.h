/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A monitor of a context that the test itself turns, a store in a folder of its own, and work of known length. */

#pragma once

#include <glib.h>

#include "base/jank-clock-private.h"
#include "folder.h"
#include "home.h"
#include "jankwatch.h"

#define MS JANK_NS_PER_MS

#define AWAIT_NS (30 * JANK_NS_PER_S)

typedef struct
{
  GMainContext *context; /* (owned) */
  char         *store;   /* (owned) */
  JankMonitor  *monitor; /* (owned) (nullable) */
  GPtrArray    *reports; /* (owned): as they came */
  GThread      *thread;  /* that they came on */
} Fixture;

typedef struct
{
  void  (*func) (gint64 duration_ns);
  gint64 duration_ns;
  gint64 began_ns, ended_ns; /* the truth */
} Work;

/* Longer, by all that the machine keeps them for: what it stops them for is not in reports. */
void         monitor_compute          (gint64 duration_ns);
void         monitor_sleep            (gint64 duration_ns);

/* For g_test_add(): threshold 80 ms, and reports are collected. */
void         fixture_set_up           (Fixture *fixture, gconstpointer data);
void         fixture_tear_down        (Fixture *fixture, gconstpointer data);

JankMonitor *fixture_new_monitor      (Fixture *fixture, const char *store);
void         fixture_start            (JankMonitor *monitor);
void         fixture_stall_cb         (JankMonitor *monitor, JankReport *report, gpointer fixture);

/* First of a test that needs a process of its own. Returns: FALSE: it has run there, and passed */
gboolean     fixture_enter_subprocess (void);

/* As a source that is called once; its end is noted in the work that data is. */
gboolean     fixture_work_cb          (gpointer data);
void         fixture_run_work         (Fixture *fixture, Work *work);

/* Turns the context until there are more than i reports. */
JankReport  *fixture_await            (Fixture *fixture, guint i);
/* Turns it until there is the report of the stall in which that was done: a busy machine makes others. */
JankReport  *fixture_await_work       (Fixture *fixture, const Work *work);
/* Its culprit is monitor_sleep(). */
void         fixture_check_slept      (JankReport *report);
/* Turns it for so long, sleeping in between. */
void         fixture_turn             (Fixture *fixture, gint64 duration_ns);
