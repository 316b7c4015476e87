/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "javascript/jank-javascript-private.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest/jank-plugin-private.h"
#include "javascript/jank-engine-private.h"

static _Atomic (const JankJavascriptPlugin *) opened;

bool
jank_javascript_make (JankCodeMap *map, const JankJavascriptPlugin **engine, JankJavascript **self)
{
  if (*engine == NULL && (*engine = atomic_load_explicit (&opened, memory_order_acquire)) != NULL)
    *self = (*engine)->new (map);
  return *engine != NULL;
}

bool
jank_javascript_attach (GError **error)
{
  static bool is_missing;
  const JankJavascriptPlugin *plugin = atomic_load_explicit (&opened, memory_order_relaxed);

  /* gjs gives its context, but not the context's thread. */
  if (is_missing || syscall (SYS_gettid) != getpid () ||
      (plugin == NULL && dlsym (RTLD_DEFAULT, JANK_JAVASCRIPT_PROOF) == NULL))
    return true;
  if (plugin == NULL)
    {
      plugin = jank_plugin_find (JANK_JAVASCRIPT_LIBRARY, JANK_JAVASCRIPT_SYMBOL, error);
      is_missing = plugin == NULL;
      atomic_store_explicit (&opened, plugin, memory_order_release);
    }
  return is_missing || plugin->attach (&jank_engine_asked);
}
