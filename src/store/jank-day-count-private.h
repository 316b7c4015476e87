/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* How many reports a program made today (UTC), over all of its processes: one small file for each program,
 * STORE/days/HASH.json. No lock: of two processes that count at the same moment one may be lost. Any thread; blocks
 * on the disk. */

#pragma once

#include <glib.h>

/* 0 where nothing can be read. program: what tells it from others, such as its path. day: 20261121. */
guint    jank_day_count_read (const char *store_folder, const char *program, guint day);
/* Adds n. Returns: how many there are now, 0 with an error */
guint    jank_day_count_add  (const char *store_folder, const char *program, guint day, guint n, GError **error);

/* Of a time since the Unix epoch. */
guint    jank_day_of         (gint64 real_us);
