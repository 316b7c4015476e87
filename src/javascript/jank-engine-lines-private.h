/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where in SpiderMonkey's bytecode a call is, and on which line. Any thread. */

#pragma once

#include <stdbool.h>
#include <stdint.h>

/* code: address of SharedImmutableScriptData; pc: address of an instruction. FALSE: pc is not in that code. */
bool jank_engine_find_place          (uint64_t code, uint64_t pc, uint32_t *ret_place);

/* The same of compiled code. compiled: address of BaselineScript; returns: where the call returns to */
bool jank_engine_find_compiled_place (uint64_t compiled, uint64_t returns, uint32_t *ret_place);

/* By the notes behind the code. has_columns: of the two encodings, the one whose notes of lines may have a column.
 * first_line: the function's. FALSE: place is not in that code, or it cannot be read. */
bool jank_engine_find_line           (uint64_t code, bool has_columns, uint32_t place, uint32_t first_line,
                                      uint32_t *ret_line);
