/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

/* What jankwatch adds to tables of the process, GObject's types and signals and GLib's quarks, before anything is
 * watched. By the program's thread, or whichever starts a monitor; once per process, 0.1 ms. The tables grow by
 * realloc(): done by the watcher in the middle of the program's work, that would leave them on top of the program's
 * heap, which then keeps its largest size for ever. */
void jank_prepare (void);
