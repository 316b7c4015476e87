/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <glib.h>

/* Runs the default main context for so long. */
void run_ms (guint ms);

/* Runs it until func (data) is TRUE, for max_ms at most. Returns: whether it became so */
gboolean run_until (gboolean (*func) (gpointer data), gpointer data, guint max_ms);
