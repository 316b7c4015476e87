/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* libunwind's remote interface, opened by name and privately. Debian's libunwind exports _Unwind_* and
 * backtrace(): linked to, it would take part in the program's C++ exceptions. */

#pragma once

#include <glib.h>
#include <libunwind-x86_64.h>

typedef struct
{
  __typeof__ (&unw_create_addr_space)  create_addr_space;
  __typeof__ (&unw_destroy_addr_space) destroy_addr_space;
  __typeof__ (&unw_set_caching_policy) set_caching_policy;
  __typeof__ (&unw_flush_cache)        flush_cache;
  __typeof__ (&unw_init_remote)        init_remote;
  __typeof__ (&unw_step)               step;
  __typeof__ (&unw_get_reg)            get_reg;
  __typeof__ (&unw_get_proc_info)      get_proc_info;
  __typeof__ (&unw_is_signal_frame)    is_signal_frame;
  int (*dwarf_search_unwind_table) (unw_addr_space_t, unw_word_t ip, unw_dyn_info_t *, unw_proc_info_t *, int need_info, void *);
} JankLibunwind;

/* Any thread, once; takes the loader's lock. (transfer none), lives for ever.
 * NULL with JANK_ERROR_UNAVAILABLE when the library or one of the functions is missing. */
const JankLibunwind *jank_libunwind_open (GError **error);
