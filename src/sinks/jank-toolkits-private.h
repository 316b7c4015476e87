/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which GTK is loaded, or mutter, and has it opened a display? A set of toolkits is a word with bit i for
 * jank_toolkits[i]. */

#pragma once

#include <glib.h>
#include <link.h>

#define JANK_N_TOOLKITS 3

typedef struct
{
  const char *library; /* how the file's name begins */
  const char *plugin;
  const char *is_initialized; /* (nullable): function without which GTK 4 may not be asked for a display */
  gboolean    is_optional;    /* the plug-in need not be there */
} JankToolkit;

extern const JankToolkit jank_toolkits[JANK_N_TOOLKITS];

/* The end of the loader's list when it was last looked at; all 0: not yet. */
typedef struct
{
  guint64         address;
  struct link_map map;
} JankNewestModule;

/* Any thread but the watcher's: takes the loader's lock of its list. */
guint    jank_toolkits_find        (void);

/* Those among the modules that were loaded since newest. Takes no lock and believes nothing it reads: two system calls
 * where nothing is new. */
guint    jank_toolkits_find_new    (JankNewestModule *newest);

/* Main thread. toolkit is loaded. Only the first call waits for a thread that is loading something. */
gboolean jank_toolkits_has_display (guint toolkit);
