/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which JavaScript function a closure of gjs calls. The engine is not asked. For the thread that has dispatched the
 * closure's source, which holds all that is read. */

#pragma once

#include "javascript/jank-engine-frames-private.h"
#include "observe/jank-callee-private.h"

/* context: JSContext; data: anything. FALSE: it is no closure of that context's with a function */
bool jank_engine_callee_find (const void *context, uint64_t data, JankCalleeId *ret_id);
bool jank_engine_callee_read (const JankEngineLayout *layout, const JankCalleeId *id, JankCallee *ret_callee);
