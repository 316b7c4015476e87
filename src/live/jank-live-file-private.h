/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The program's end of its live file. Nothing that happens to the file or the disk matters to the program: then
 * there is no file, or an old one. Watcher thread, but for the first two functions. */

#pragma once

#include "live/jank-live-private.h"

typedef struct _JankLiveFile JankLiveFile;

/* Any thread; reads the environment, touches no file. session: the program belongs to one. Then whoever waits for it
 * has made the folder: where there is none the program sees another $XDG_RUNTIME_DIR, but maybe the same store. */
JankLiveFile *jank_live_file_new       (const char *store_folder, gboolean session);
/* Any thread: after jank_live_file_close(), or where the file is left to the process's end. */
void          jank_live_file_free      (JankLiveFile *self);

/* The few facts that a live line needs: the report without its stacks, of its verdict's waits those that it is about,
 * of its samples the last, of its threads the holders of locks. Returns: (transfer full) */
JankReport   *jank_live_gist_new       (JankReport *report);

/* Sets live's has_path. gist (nullable): of the stall under way. Either loses its waits where it does not fit. */
void          jank_live_file_set       (JankLiveFile *self, JankLive *live, JankReport *gist);
/* What has ended, number n_ended of live; set live next, which writes it. */
void          jank_live_file_add_ended (JankLiveFile *self, JankReport *gist);
/* Whether a reader wants to know more, and whether one wants a dump. */
gboolean      jank_live_file_is_asked  (JankLiveFile *self, gboolean *ret_dump);
/* (nullable): what readers wake the watcher by, until the file is set or closed. It has the first four bytes of
 * JANK_LIVE_SCHEMA, and may not be read: somebody may have cut off the file */
const void   *jank_live_file_get_bell  (const JankLiveFile *self);
/* Removes it, unless whoever waits for the session may still have something to read. */
void          jank_live_file_close     (JankLiveFile *self);
