/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The user's folders, by the XDG base directory specification: a variable counts if it is an absolute path, else
 * the folder is below $HOME or, where that is not absolute either, below the home of the user's entry in passwd.
 * GLib's functions keep what they see at their first call for the whole program, which may set its variables later;
 * they believe relative paths; and without any home they write a warning into the program's log. */

#pragma once

#include <glib.h>

/* Where a store is when there is no folder for it: nothing can be made there, by no user. */
#define JANK_HOME_NO_STORE "/dev/null/jankwatch"

/* $XDG_STATE_HOME/jankwatch. Returns: (transfer full): JANK_HOME_NO_STORE: the user has no folder */
char *jank_home_get_store    (void);

typedef enum
{
  JANK_HOME_READ,       /* what is there */
  JANK_HOME_MAKE_BELOW, /* the folder below is made if need be */
  JANK_HOME_MAKE,       /* both are */
} JankHomeUse;

/* The one way into a store. A symbolic link at folder is followed only if the user or root owns it, one at below
 * (nullable, a name in folder) never. Folders that are made belong to the user only, and unless use is JANK_HOME_READ
 * the user or root must own both. The caller opens what is in the folder by openat().
 * Returns: an O_PATH descriptor, -1 with errno */
gint  jank_home_open_folder  (const char *folder, const char *below, JankHomeUse use);

/* Why folder could not be used, as errno has it. (nullable): there is none; nor is there below JANK_HOME_NO_STORE. */
const char *jank_home_explain (const char *folder, int number);
/* $XDG_CONFIG_HOME/FILE. Returns: (transfer full) (nullable): the user has no folder */
char *jank_home_get_config   (const char *file);
/* $XDG_CONFIG_HOME/jankwatch/settings.conf. Returns: (transfer full) (nullable): the user has no folder */
char *jank_home_get_settings (void);
