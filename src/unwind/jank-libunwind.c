/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "unwind/jank-libunwind-private.h"

#include <dlfcn.h>
#include <glib/gi18n-lib.h>

#include "base/jank-error.h"

#define TEXT_(name) #name
#define TEXT(name)  TEXT_ (name)
#define LIBRARY     "libunwind-" TEXT (UNW_TARGET) ".so.8"

static const struct { gsize offset; const char *symbol; } functions[] = {
#define F(name) { G_STRUCT_OFFSET (JankLibunwind, name), TEXT (unw_##name) },
  JANK_LIBUNWIND_FUNCTIONS (F)
#undef F
};

/* Returns: what is missing; NULL: nothing */
static const char *
jank_libunwind_load (JankLibunwind *library)
{
  void *handle = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL);

  if (handle == NULL)
    return LIBRARY;
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      void *address = dlsym (handle, functions[i].symbol);

      if (address == NULL)
        return functions[i].symbol;
      G_STRUCT_MEMBER (void *, library, functions[i].offset) = address;
    }
  return NULL;
}

const JankLibunwind *
jank_libunwind_open (GError **error)
{
  static JankLibunwind library;
  static const char *missing;
  static gsize once;

  if (g_once_init_enter (&once))
    {
      missing = jank_libunwind_load (&library);
      g_once_init_leave (&once, 1);
    }
  if (missing == NULL)
    return &library;
  g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE,
               _("Could not find “%s” of libunwind 1.6 or later, which reads stacks. "
                 "Stacks show only the function that was running"),
               missing);
  return NULL;
}
