/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which processes have a socket, a pipe or a file open, by /proc of all processes that the reader may look into. Read
 * once, so it is of one moment. The reader's thread. */

#pragma once

#include <glib.h>
#include <sys/types.h>

typedef struct
{
  pid_t pid;
  int   fd;
} JankHolder;

typedef struct _JankHolders JankHolders;

JankHolders  *jank_holders_new          (void);
void          jank_holders_free         (JankHolders *self);

/* link: as /proc/PID/fd has it: "pipe:[812]", a path. Returns: (nullable) (element-type JankHolder) */
const GArray *jank_holders_find         (JankHolders *self, const char *link);

const GArray *jank_holders_find_socket  (JankHolders *self, guint64 inode);

/* A line of /proc/PID/fdinfo/FD. field: with its colon. Returns: (transfer full) (nullable): what follows it */
char         *jank_holder_read_info     (const JankHolder *holder, const char *field);

/* O_RDONLY, O_WRONLY or O_RDWR; -1 unknown */
int           jank_holder_read_mode     (const JankHolder *holder);
