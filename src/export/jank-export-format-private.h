/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A format: one file jank-export-NAME.c, and NAME in the list in meson.build. */

#pragma once

#include "export/jank-export-private.h"

typedef enum
{
  JANK_EXPORT_BINARY     = 1 << 0, /* nothing for a terminal */
  JANK_EXPORT_FOR_OTHERS = 1 << 1, /* always redacted, never translated */
} JankExportFlags;

typedef struct
{
  const char     *name;
  const char     *summary; /* (translatable) */
  JankExportFlags flags;
  /* Returns: (transfer full) (nullable): with an error; the whole file */
  GBytes       *(*make) (const JankExport *self, GError **error);
} JankExportFormat;

extern const JankExportFormat *const jank_export_formats[];
extern const guint jank_export_n_formats;

/* Returns: (transfer none) (nullable): there is none of that name */
const JankExportFormat *jank_export_format_find (const char *name);
