/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* libunwind's remote interface by name. It is opened with local scope and never linked: in the program's global
 * scope, libunwind.so.8 would catch the program's C++ exceptions. */

#pragma once

#include <glib.h>
#include <libunwind.h>

/* The last is exported, but in no header. */
#define unw_search_unwind_table UNW_OBJ (dwarf_search_unwind_table)
int unw_search_unwind_table (unw_addr_space_t space, unw_word_t ip, unw_dyn_info_t *table, unw_proc_info_t *info,
                             int need_info, void *data);

#define JANK_LIBUNWIND_FUNCTIONS(F) \
  F (create_addr_space) F (destroy_addr_space) F (set_caching_policy) F (init_remote) F (get_reg) \
  F (reg_states_iterate) F (apply_reg_state) F (search_unwind_table)

typedef struct
{
#define F(name) __typeof__ (&unw_##name) name;
  JANK_LIBUNWIND_FUNCTIONS (F)
#undef F
} JankLibunwind;

/* Any thread. The first call takes the loader's lock. Returns: (transfer none): valid for ever; NULL with
 * JANK_ERROR_UNAVAILABLE without the library, or when it lacks a function. */
const JankLibunwind *jank_libunwind_open (GError **error);
