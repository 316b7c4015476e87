/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether a loop that only waits to be woken may be GDBus's own, in a synchronous call. From outside this cannot be
 * confirmed, but ruled out: no return address on the thread's stack is GIO's. The reader's thread. */

#pragma once

#include "chain/jank-look-private.h"

/* TRUE also where the stack cannot be read. */
gboolean jank_dbus_wait_is_possible (const JankLook *look);
