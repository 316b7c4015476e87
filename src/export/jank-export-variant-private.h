/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The formats that are JSON are made as variants: a dictionary is an object, an absent maybe is null. */

#pragma once

#include <gio/gio.h>

#include "export/jank-export-private.h"

/* Builds what an array holds: g_variant_builder_add_parsed (&builder, …). */
#define jank_export_array_init(builder) g_variant_builder_init (builder, G_VARIANT_TYPE ("av"))
#define jank_export_array_add(builder, ...) \
  g_variant_builder_add (builder, "v", g_variant_new_parsed (__VA_ARGS__))

/* array: of gint64, or of double. Returns: (transfer floating) */
GVariant *jank_export_ints    (const GArray *array);
GVariant *jank_export_numbers (const GArray *array);
/* stack (nullable): of JankExportCall; its functions' numbers. Returns: (transfer floating) */
GVariant *jank_export_functions (const GArray *stack);
/* n times the same. Returns: (transfer floating) */
GVariant *jank_export_repeat  (GVariant *value, guint n);
/* array: of gint64; -1 is null. Returns: (transfer floating) */
GVariant *jank_export_indices (const GArray *array);

/* value: (transfer floating). Returns: (transfer full) */
GBytes   *jank_export_to_json (GVariant *value);
