/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "sample/jank-libunwind-private.h"

#include <dlfcn.h>
#include <glib/gi18n-lib.h>

#include "base/jank-error.h"

#define LIBRARY "libunwind-x86_64.so.8"

#define STRINGIFY_(name) #name
#define STRINGIFY(name)  STRINGIFY_ (name)

#define FUNCTION(field, symbol) { G_STRUCT_OFFSET (JankLibunwind, field), STRINGIFY (symbol) }

static const struct { gsize offset; const char *name; } functions[] = {
  FUNCTION (create_addr_space, unw_create_addr_space),
  FUNCTION (destroy_addr_space, unw_destroy_addr_space),
  FUNCTION (set_caching_policy, unw_set_caching_policy),
  FUNCTION (flush_cache, unw_flush_cache),
  FUNCTION (init_remote, unw_init_remote),
  FUNCTION (step, unw_step),
  FUNCTION (get_reg, unw_get_reg),
  FUNCTION (get_proc_info, unw_get_proc_info),
  FUNCTION (is_signal_frame, unw_is_signal_frame),
  FUNCTION (dwarf_search_unwind_table, UNW_OBJ (dwarf_search_unwind_table)),
};

const JankLibunwind *
jank_libunwind_open (GError **error)
{
  static JankLibunwind library;
  static gsize once;

  if (g_once_init_enter (&once))
    {
      void *handle = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL);
      gsize result = handle != NULL ? 1 : 2;

      for (guint i = 0; handle != NULL && i < G_N_ELEMENTS (functions); i++)
        {
          void *address = dlsym (handle, functions[i].name);

          G_STRUCT_MEMBER (void *, &library, functions[i].offset) = address;
          if (address == NULL)
            result = 2;
        }
      g_once_init_leave (&once, result);
    }

  if (once == 1)
    return &library;
  g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE,
               _("Could not open “%s” of libunwind 1.6 or later, which reads stacks: it is not installed, or lacks a function"),
               LIBRARY);
  return NULL;
}
