/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The lists under a stall: heaviest path, samples, threads, tags. */

#pragma once

#include "gtk/jank-gtk-names-private.h"
#include "report/jank-report-private.h"

/* Each fills an empty list; where there is nothing, with a sentence that says why. */
void jank_inspector_rows_add_path    (GtkListBox *list, JankReport *report);
void jank_inspector_rows_add_samples (GtkListBox *list, JankReport *report);
void jank_inspector_rows_add_threads (GtkListBox *list, JankReport *report);
void jank_inspector_rows_add_tags    (GtkListBox *list, JankReport *report);

void jank_inspector_rows_clear       (GtkListBox *list);

/* (transfer floating): a bar for a share. */
GtkWidget *jank_inspector_rows_make_bar (int width_px);
