/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A home of the test's own, with no settings of the user's. Not G_TEST_OPTION_ISOLATE_DIRS, which leaks (GLib 2.74). */

#pragma once

/* First of all in main(). Subprocesses of the test have the same one. */
void home_isolate (void);

/* g_test_run(), after which the home is gone. */
int  home_run     (void);
