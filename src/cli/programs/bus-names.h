/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which processes serve the D-Bus names that a program waited for. The reader asks, never the observed program: its own
 * session's bus and the system's, of these only org.freedesktop.DBus, which starts nothing for it. A report's address
 * is compared with theirs and never connected to: it may come from anybody. A bus that takes a second is asked no
 * more. */

#pragma once

#include "report/jank-report-private.h"

typedef struct _BusNames BusNames;

BusNames *bus_names_new  (void);
void      bus_names_free (BusNames *self);

/* Fills peer and peer_pid of the report's waits where they are certain: the report is of this boot, as clocks that were
 * not set and no suspend since tell, and the process that has the name had begun before the stall. */
void      bus_names_fill (BusNames *self, JankReport *report);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (BusNames, bus_names_free)
