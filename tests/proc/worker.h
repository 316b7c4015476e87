/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A thread that the tests look at. */

#pragma once

#include <glib.h>

#include "proc/jank-thread-private.h"
#include "sanitizer.h"

#define WORKER_TASKS "/proc/self/task"

typedef struct _Worker Worker;

/* On the worker's thread; is to return once worker_is_stopped(). */
typedef void (*WorkerFunc) (Worker *self, gpointer data);

/* Returns when the thread runs and is known. */
Worker               *worker_new        (WorkerFunc func, gpointer data);
const JankThreadInfo *worker_get_info   (Worker *self);
gboolean              worker_is_stopped (Worker *self);
/* Asks it to stop, and waits for that. */
void                  worker_free       (Worker *self);

/* Work for worker_new(), data unused: until stopped, by what its name says. */
void                  worker_compute    (Worker *self, gpointer data);
void                  worker_sleep      (Worker *self, gpointer data);

/* Waits until the kernel says that the thread is of that kind; it must be within seconds. */
void                  await_call        (JankThread *thread, JankSyscallKind kind, JankSyscall *ret_call);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Worker, worker_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankThread, jank_thread_free)
