/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "export/jank-export-variant-private.h"

#include <json-glib/json-glib.h>

GVariant *
jank_export_ints (const GArray *array)
{
  return g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, array->data, array->len, sizeof (gint64));
}

GVariant *
jank_export_numbers (const GArray *array)
{
  return g_variant_new_fixed_array (G_VARIANT_TYPE_DOUBLE, array->data, array->len, sizeof (double));
}

GVariant *
jank_export_functions (const GArray *stack)
{
  g_autoptr (GArray) functions = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint i = 0; stack != NULL && i < stack->len; i++)
    {
      gint64 function = g_array_index (stack, JankExportCall, i).function;

      g_array_append_val (functions, function);
    }
  return jank_export_ints (functions);
}

GVariant *
jank_export_repeat (GVariant *value, guint n)
{
  g_autoptr (GVariant) owned = g_variant_ref_sink (value);
  GVariantBuilder builder;

  jank_export_array_init (&builder);
  for (guint i = 0; i < n; i++)
    g_variant_builder_add (&builder, "v", owned);
  return g_variant_builder_end (&builder);
}

GVariant *
jank_export_indices (const GArray *array)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("amx"));
  for (guint i = 0; i < array->len; i++)
    {
      gint64 index = g_array_index (array, gint64, i);

      g_variant_builder_add (&builder, "mx", index >= 0, index);
    }
  return g_variant_builder_end (&builder);
}

GBytes *
jank_export_to_json (GVariant *value)
{
  g_autoptr (GVariant) owned = g_variant_ref_sink (value);
  gsize n_bytes;
  char *text = json_gvariant_serialize_data (owned, &n_bytes);

  return g_bytes_new_take (text, n_bytes);
}
