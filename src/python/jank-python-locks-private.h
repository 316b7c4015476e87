/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which Python thread holds a threading.Lock, or is to end, when another waits for its semaphore. An RLock says who
 * holds it, a Lock does not; a `with` block that has taken one keeps its __exit__ on the stack of its call, and is
 * believed if nothing on that thread's stack may have unlocked it. All reads are safe copies of what other threads may
 * be changing. Watcher thread only. */

#pragma once

#include "python/jank-python-names-private.h"

/* frame: the thread's innermost call. Whether it is in the `with` block of that lock. */
gboolean jank_python_locks_holds   (const JankPythonNames *names, guint64 frame, guint64 semaphore);

/* frame: the waiting thread's innermost call. Returns: pthread_t of who holds the RLock that it waits for, 0: it is
 * none */
guint64  jank_python_locks_find_owner (const JankPythonNames *names, guint64 frame, guint64 semaphore);

/* state: a PyThreadState. Whether Thread.join() of that thread waits for the semaphore. */
gboolean jank_python_locks_is_joined (const JankPythonNames *names, guint64 state, guint64 semaphore);
