/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A thread of ours has descriptors of its own: the program sees none of ours, can close none and is given the
 * numbers that it would be given without us. The threads that such a thread starts share its descriptors, not the
 * program's.
 *
 * /proc/self/fd shows the program's still, as long as its first thread lives. */

#pragma once

#include <glib.h>

/* Any thread: whether this system has what the functions below need. JANK_ERROR_UNAVAILABLE otherwise. */
gboolean jank_own_files_can    (GError **error);

/* From now on this thread has no descriptors but 0 to 2, which are /dev/null. FALSE with the same error: it shares the
 * program's as before. */
gboolean jank_own_files_begin  (GError **error);
gboolean jank_own_files_has    (void);

/* Any thread. Returns: a copy of a descriptor of the program's, to be closed by close(); -1: there is none, or the
 * system allows no copies */
int      jank_own_files_borrow (int fd);
