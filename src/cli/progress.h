/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* On a terminal, a line on stderr of what takes more than a second, which is erased afterwards. One at a time; main
 * thread. */

#pragma once

#include <glib.h>

/* what: translated, "Reading reports"; lives until the end. */
void progress_begin (const char *what);
void progress_step  (guint n_done, guint n);
/* Before anything else is printed; the next step draws again. */
void progress_erase (void);
void progress_end   (void);
