/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* How much memory this process has, in kB as the kernel counts it. -1: it does not tell. */

#pragma once

#include <glib.h>

/* Without pages of files, which come as code runs for the first time. */
gint64 own_memory_read_anonymous_kb     (void);

/* What nobody shares and nothing but swap can take: also pages of files that were written to, as relocations do. */
gint64 own_memory_read_private_dirty_kb (void);
