/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "unwind/jank-engine-layout-private.h"

#include <string.h>

const JankEngineLayout jank_engine_layouts[] = {
  /* The trampoline has saved five registers and keeps the address of the result. */
  { "libmozjs-102.so", FALSE, 6 * 8, 0x130, 112, 1 << 9, FALSE, 112 },
  { "libmozjs-128.so", TRUE, 0, 0xf8, 104, 1 << 10, TRUE, 40 },
  { "libmozjs-140.so", TRUE },
  { NULL },
};

const JankEngineLayout *
jank_engine_layout_find (const char *path)
{
  const char *slash = path != NULL ? strrchr (path, '/') : NULL;

  for (gsize i = 0; slash != NULL && jank_engine_layouts[i].library != NULL; i++)
    if (g_str_has_prefix (slash + 1, jank_engine_layouts[i].library))
      return &jank_engine_layouts[i];
  return NULL;
}
