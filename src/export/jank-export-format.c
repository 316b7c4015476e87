/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "export/jank-export-private.h"

#include <string.h>

/* Written from the list in meson.build. */
#define FORMAT(name) extern const JankExportFormat jank_export_##name;
#include "src/export/jank-export-formats.inc"
#undef FORMAT

const JankExportFormat *const jank_export_formats[] = {
#define FORMAT(name) &jank_export_##name,
#include "src/export/jank-export-formats.inc"
#undef FORMAT
};
const guint jank_export_n_formats = G_N_ELEMENTS (jank_export_formats);

const JankExportFormat *
jank_export_format_find (const char *name)
{
  for (guint i = 0; i < jank_export_n_formats; i++)
    if (strcmp (jank_export_formats[i]->name, name) == 0)
      return jank_export_formats[i];
  return NULL;
}
