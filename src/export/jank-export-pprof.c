/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* For pprof, Pyroscope and Parca: compressed protobuf. Messages of the wire format may be concatenated, so each part is
 * packed as a profile of its own. Functions and mappings have the same numbers, those of the export's functions. */

#include "export/jank-export-format-private.h"

#include <glib/gi18n-lib.h>

#include "base/jank-hash-private.h"
#include "export/jank-gzip-private.h"
#include "export/jank-pprof.pb-c.h"

typedef struct
{
  const JankExport *export;
  GByteArray       *out;
  GHashTable       *strings;   /* → index */
  GHashTable       *locations; /* function, line → index + 1 */
} Writer;

static void
pack (Writer *self, const JankPprof__Profile *part)
{
  guint n_before = self->out->len;

  g_byte_array_set_size (self->out, n_before + (guint) jank_pprof__profile__get_packed_size (part));
  jank_pprof__profile__pack (part, self->out->data + n_before);
}

static gint64
get_string (Writer *self, const char *text)
{
  JankPprof__Profile part = JANK_PPROF__PROFILE__INIT;
  char *added = (char *) text;
  gpointer found;

  if (g_hash_table_lookup_extended (self->strings, text, NULL, &found))
    return GPOINTER_TO_INT (found);
  part.n_string_table = 1;
  part.string_table = &added;
  pack (self, &part);
  g_hash_table_insert (self->strings, g_strdup (text), GINT_TO_POINTER ((gint) g_hash_table_size (self->strings)));
  return g_hash_table_size (self->strings) - 1;
}

static void
add_functions (Writer *self)
{
  for (guint i = 0; i < self->export->functions->len; i++)
    {
      const JankExportFunction *place = g_ptr_array_index (self->export->functions, i);
      JankPprof__Profile part = JANK_PPROF__PROFILE__INIT;
      JankPprof__Function function = JANK_PPROF__FUNCTION__INIT, *functions = &function;
      JankPprof__Mapping mapping = JANK_PPROF__MAPPING__INIT, *mappings = &mapping;

      function.id = mapping.id = i + 1;
      function.name = function.system_name = get_string (self, place->name);
      function.filename = get_string (self, place->file[0] != '\0' ? place->file : place->module);
      mapping.filename = get_string (self, place->module);
      mapping.build_id = get_string (self, place->build_id);
      mapping.has_functions = TRUE;
      part.n_function = part.n_mapping = 1;
      part.function = &functions;
      part.mapping = &mappings;
      pack (self, &part);
    }
}

static guint64
get_location (Writer *self, const JankExportCall *call)
{
  gint64 key = call->function * G_GINT64_CONSTANT (0x100000000) + call->line;
  guint64 id = GPOINTER_TO_UINT (g_hash_table_lookup (self->locations, &key));
  JankPprof__Profile part = JANK_PPROF__PROFILE__INIT;
  JankPprof__Location location = JANK_PPROF__LOCATION__INIT, *locations = &location;
  JankPprof__Line line = JANK_PPROF__LINE__INIT, *lines = &line;

  if (id > 0)
    return id;
  id = g_hash_table_size (self->locations) + 1;
  g_hash_table_insert (self->locations, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER ((guint) id));
  line.function_id = location.mapping_id = call->function + 1;
  line.line = call->line;
  location.id = id;
  location.n_line = part.n_location = 1;
  location.line = &lines;
  part.location = &locations;
  pack (self, &part);
  return id;
}

static void
add_sample (Writer *self, const JankExportReport *report, const JankExportSample *taken)
{
  const GArray *stack = g_ptr_array_index (report->stacks, taken->stack);
  g_autofree guint64 *ids = g_new (guint64, stack->len);
  JankPprof__Profile part = JANK_PPROF__PROFILE__INIT;
  JankPprof__Sample sample = JANK_PPROF__SAMPLE__INIT, *samples = &sample;
  JankPprof__Label labels[3] = { JANK_PPROF__LABEL__INIT, JANK_PPROF__LABEL__INIT, JANK_PPROF__LABEL__INIT };
  JankPprof__Label *label_list[] = { &labels[0], &labels[1], &labels[2] };
  int64_t values[] = { 1, taken->to_ns - taken->from_ns };

  for (guint i = 0; i < stack->len; i++)
    ids[stack->len - 1 - i] = get_location (self, &g_array_index (stack, JankExportCall, i));
  labels[0].key = get_string (self, "program");
  labels[0].str = get_string (self, report->program);
  labels[1].key = get_string (self, "report");
  labels[1].str = get_string (self, report->report->id);
  labels[2].key = get_string (self, "state");
  labels[2].str = get_string (self, taken->state);
  sample.n_location_id = stack->len;
  sample.location_id = ids;
  sample.n_value = G_N_ELEMENTS (values);
  sample.value = values;
  sample.n_label = G_N_ELEMENTS (labels) - (taken->state[0] == '\0');
  sample.label = label_list;
  part.n_sample = 1;
  part.sample = &samples;
  pack (self, &part);
}

static void
add_head (Writer *self)
{
  JankPprof__Profile part = JANK_PPROF__PROFILE__INIT;
  JankPprof__ValueType types[2] = { JANK_PPROF__VALUE_TYPE__INIT, JANK_PPROF__VALUE_TYPE__INIT };
  JankPprof__ValueType *type_list[] = { &types[0], &types[1] };

  get_string (self, "");
  types[0].type = get_string (self, "samples");
  types[0].unit = get_string (self, "count");
  types[1].type = part.default_sample_type = get_string (self, "time");
  types[1].unit = get_string (self, "nanoseconds");
  part.n_sample_type = G_N_ELEMENTS (types);
  part.sample_type = type_list;
  part.time_nanos = self->export->began_real_ns;
  part.duration_nanos = self->export->length_ns;
  pack (self, &part);
}

static GBytes *
jank_export_pprof_make (const JankExport *self, GError **error)
{
  g_autoptr (GByteArray) out = g_byte_array_new ();
  g_autoptr (GHashTable) strings = g_hash_table_new_full (jank_hash_text, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) locations = g_hash_table_new_full (jank_hash_int64, g_int64_equal, g_free, NULL);
  Writer writer = { self, out, strings, locations };

  add_head (&writer);
  add_functions (&writer);
  for (guint i = 0; i < self->reports->len; i++)
    {
      const JankExportReport *report = g_ptr_array_index (self->reports, i);

      for (guint j = 0; j < report->samples->len; j++)
        add_sample (&writer, report, &g_array_index (report->samples, JankExportSample, j));
    }
  return jank_gzip (out->data, out->len, -1);
}

const JankExportFormat jank_export_pprof = {
  "pprof", N_("For pprof, Pyroscope and Parca"), JANK_EXPORT_BINARY, jank_export_pprof_make,
};
