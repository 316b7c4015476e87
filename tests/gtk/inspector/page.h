/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The real inspector over a program that is watched, and stalls in every way the demo knows. */

#pragma once

#include <jankwatch.h>

#include "demo.h"
#include "inspector.h"
#include "test.h"

#define MS G_GINT64_CONSTANT (1000000)
#define MAX_WAIT_MS 60000
#define N_TABS 3

extern JankMonitor *monitor;
extern GtkWindow *window;
extern char *store;
extern const char *const tabs[N_TABS];

/* Opens the inspector, with our page and that tab. */
void       page_open            (const char *tab);
/* Sleeps until the watcher has told of it. */
void       sleep_until_told     (void);
/* Lasts until the watcher has told of it. Returns when the page has it. */
void       page_stall           (void (*func) (int64_t duration_ns));
/* Until the page shows one such stall below its list, and not a later one of the machine's. */
void       page_stall_as_newest (void (*func) (int64_t duration_ns));
/* (transfer none): of the page's first widget of that type, the part that its template calls so */
gpointer   page_get_part        (const char *type, const char *name);

/* GDK 4.8 loses what the X server says of a clipboard or selection that it has taken. Its functions have no names
 * here. */
void       page_keep_leaks_of_others (gboolean keep);

/* Runs each TEST as path/…. Returns what g_test_run() does. */
int        page_main            (int argc, char **argv, const char *path);

/* The rest of a program: its main(). */
#define PAGE_TESTS(path) \
  int \
  main (int argc, char **argv) \
  { \
    return page_main (argc, argv, path); \
  }
