/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "python/jank-python-layout-private.h"

static const JankPythonLayout layout_3_11 = {
  .interpreters = 40, .next_interpreter = 0, .threads = 16,
  .next_thread = 8, .native_id = 160, .chunk = 296, .frames = 56,
  .has_c_frames = TRUE, .c_frame = 8,
  .code = 32, .previous = 48, .instruction = 56, .mark = 68,
  .first_line = 72, .file = 112, .name = 128, .lines = 136, .n_code_bytes = 184,
  .ascii = 48, .compact = 72, .bytes = 32,
};

gboolean
jank_python_layout_find (guint64 version, guint64 runtime, JankPythonLayout *ret_layout)
{
  switch (version >> 16)
    {
    case 0x30b:
      *ret_layout = layout_3_11;
      return TRUE;
    default:
      return FALSE;
    }
}
