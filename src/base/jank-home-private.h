/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The user's folders, by the XDG base directory specification: a variable counts if it is an absolute path, else
 * the folder is below $HOME or, where that is not absolute either, below the home of the user's entry in passwd.
 * GLib's functions keep what they see at their first call for the whole program, which may set its variables later;
 * they believe relative paths; and without any home they write a warning into the program's log. */

#pragma once

/* Where a store is when there is no folder for it: nothing can be made there, by no user. */
#define JANK_HOME_NO_STORE "/dev/null/jankwatch"

/* $XDG_STATE_HOME/jankwatch. Returns: (transfer full): JANK_HOME_NO_STORE: the user has no folder */
char *jank_home_get_store    (void);
/* Why folder could not be used, as errno has it. (nullable): there is none; nor is there below JANK_HOME_NO_STORE. */
const char *jank_home_explain (const char *folder, int number);
/* $XDG_CONFIG_HOME/FILE. Returns: (transfer full) (nullable): the user has no folder */
char *jank_home_get_config   (const char *file);
/* $XDG_CONFIG_HOME/jankwatch/settings.conf. Returns: (transfer full) (nullable): the user has no folder */
char *jank_home_get_settings (void);
