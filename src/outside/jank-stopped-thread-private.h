/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads a thread of another process that runs, while it is stopped: for some 100 µs. */

#pragma once

#include "sample/jank-sampler-private.h"

/* As JankSamplerCopyFunc. A thread that does not stop at once, since it is long inside the kernel or has no CPU, is let
 * go. */
gboolean jank_stopped_thread_copy (pid_t tid, const JankStackRanges *ranges, const JankPythonRequest *python,
                                   JankStackCopy *copy, JankPythonCalls *calls, gint64 *ret_stopped_ns);
