/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A processed profile for https://profiler.firefox.com, in a version that it will always upgrade. Each program that ran
 * is a thread with tables of its own; times are in milliseconds. */

#include "export/jank-export-format-private.h"

#include <glib/gi18n-lib.h>

#include "base/jank-hash-private.h"
#include "base/jank-order-private.h"
#include "export/jank-export-variant-private.h"

#define PROCESSED_VERSION 55
#define GECKO_VERSION     31

enum { CATEGORY_OTHER, CATEGORY_PROGRAM, CATEGORY_PLATFORM };

/* Columns of gint64, and what is in them already. */
typedef struct
{
  const JankExport *export;
  GHashTable       *strings, *resources, *functions, *frames, *stacks;
  GVariantBuilder   string_array;
  GArray           *resource_name;
  GArray           *function_name, *function_resource, *function_file;
  GArray           *frame_function, *frame_line, *frame_category;
  GArray           *stack_frame, *stack_prefix;
} Thread;

static GArray *
new_column (void)
{
  return g_array_new (FALSE, FALSE, sizeof (gint64));
}

static void
append (GArray *column, gint64 value)
{
  g_array_append_val (column, value);
}

static double
to_ms (gint64 ns)
{
  return (double) ns / JANK_NS_PER_MS;
}

/* Whether the key was there; ret_index: its place, or the next one. */
static gboolean
find (GHashTable *table, gint64 a, gint64 b, gint64 *ret_index)
{
  gint64 key = a * G_GINT64_CONSTANT (0x100000000) + b;
  gpointer found;

  if (g_hash_table_lookup_extended (table, &key, NULL, &found))
    {
      *ret_index = GPOINTER_TO_INT (found);
      return TRUE;
    }
  *ret_index = g_hash_table_size (table);
  g_hash_table_insert (table, g_memdup2 (&key, sizeof key), GINT_TO_POINTER ((gint) *ret_index));
  return FALSE;
}

static gint64
get_string (Thread *self, const char *text)
{
  gpointer found;

  if (g_hash_table_lookup_extended (self->strings, text, NULL, &found))
    return GPOINTER_TO_INT (found);
  g_variant_builder_add (&self->string_array, "s", text);
  g_hash_table_insert (self->strings, g_strdup (text), GINT_TO_POINTER ((gint) g_hash_table_size (self->strings)));
  return g_hash_table_size (self->strings) - 1;
}

static gint64
get_resource (Thread *self, const char *module)
{
  g_autofree char *base = module[0] != '\0' ? g_path_get_basename (module) : NULL;
  gint64 name, index;

  if (base == NULL)
    return -1;
  name = get_string (self, base);
  if (!find (self->resources, 0, name, &index))
    append (self->resource_name, name);
  return index;
}

static gint64
get_function (Thread *self, guint function)
{
  const JankExportFunction *place = g_ptr_array_index (self->export->functions, function);
  gint64 index;

  if (find (self->functions, 0, function, &index))
    return index;
  append (self->function_name, get_string (self, place->name));
  append (self->function_resource, get_resource (self, place->module));
  append (self->function_file, place->file[0] != '\0' ? get_string (self, place->file) : -1);
  return index;
}

static gint64
get_stack (Thread *self, const GArray *calls)
{
  gint64 prefix = -1;

  for (guint i = 0; i < calls->len; i++)
    {
      const JankExportCall *call = &g_array_index (calls, JankExportCall, i);
      gint64 frame, stack;

      if (!find (self->frames, call->function, call->line, &frame))
        {
          append (self->frame_function, get_function (self, call->function));
          append (self->frame_line, call->line > 0 ? call->line : -1);
          append (self->frame_category, jank_export_get_function (self->export, call)->platform
                  ? CATEGORY_PLATFORM : CATEGORY_PROGRAM);
        }
      if (!find (self->stacks, prefix + 1, frame, &stack))
        {
          append (self->stack_frame, frame);
          append (self->stack_prefix, prefix);
        }
      prefix = stack;
    }
  return prefix;
}

typedef struct
{
  gint64 at_ns, length_ns, stack; /* -1: nobody looked */
} Sample;

JANK_ORDER_RISING (compare_samples, Sample, ->at_ns)

/* Reports may overlap, the times of a thread's samples only grow. */
static GVariant *
make_samples (Thread *self, guint process)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Sample));
  g_autoptr (GArray) stacks = new_column ();
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) weights = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; i < self->export->reports->len; i++)
    {
      const JankExportReport *report = g_ptr_array_index (self->export->reports, i);
      Sample none = { report->began_ns + report->length_ns, 0, -1 };

      if (report->process != process)
        continue;
      for (guint j = 0; j < report->samples->len; j++)
        {
          const JankExportSample *sample = &g_array_index (report->samples, JankExportSample, j);
          Sample one = { report->began_ns + sample->from_ns, sample->to_ns - sample->from_ns,
                         get_stack (self, g_ptr_array_index (report->stacks, sample->stack)) };

          g_array_append_val (all, one);
        }
      g_array_append_val (all, none);
    }
  g_array_sort (all, compare_samples);
  for (guint i = 0; i < all->len; i++)
    {
      const Sample *sample = &g_array_index (all, Sample, i);
      double time = to_ms (sample->at_ns), weight = to_ms (sample->length_ns);

      append (stacks, sample->stack);
      g_array_append_val (times, time);
      g_array_append_val (weights, weight);
    }
  return g_variant_new_parsed ("{'length': <%u>, 'stack': <%*>, 'time': <%*>, 'weight': <%*>, 'weightType': "
                               "<'tracing-ms'>}",
                               all->len, jank_export_indices (stacks), jank_export_numbers (times),
                               jank_export_numbers (weights));
}

static GVariant *
make_markers (Thread *self, const JankExportProcess *process)
{
  g_autoptr (GArray) names = new_column ();
  g_autoptr (GArray) begins = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) ends = g_array_new (FALSE, FALSE, sizeof (double));
  GVariantBuilder data;
  guint n = process->marks->len;

  jank_export_array_init (&data);
  for (guint i = 0; i < n; i++)
    {
      const JankExportMark *mark = g_ptr_array_index (process->marks, i);
      const char *kind = jank_export_mark_nicks[mark->kind];
      double from = to_ms (mark->from_ns), to = to_ms (mark->to_ns);

      append (names, get_string (self, kind));
      g_array_append_val (begins, from);
      g_array_append_val (ends, to);
      jank_export_array_add (&data, "{'type': %s, 'text': %s}", kind, mark->text);
    }
  return g_variant_new_parsed (
    "{'length': <%u>, 'name': <%*>, 'startTime': <%*>, 'endTime': <%*>, 'phase': <%*>, 'category': <%*>, 'data': <%*>}",
    n, jank_export_ints (names), jank_export_numbers (begins), jank_export_numbers (ends),
    jank_export_repeat (g_variant_new_int32 (1), n), jank_export_repeat (g_variant_new_int32 (CATEGORY_OTHER), n),
    g_variant_builder_end (&data));
}

static GVariant *
nulls (const GArray *like)
{
  return jank_export_repeat (g_variant_new_maybe (G_VARIANT_TYPE_INT32, NULL), like->len);
}

static GVariant *
all (GVariant *value, const GArray *like)
{
  return jank_export_repeat (value, like->len);
}

/* After what fills them. */
static void
add_tables (Thread *self, GVariantBuilder *thread)
{
  g_variant_builder_add (thread, "{sv}", "stackTable", g_variant_new_parsed (
    "{'length': <%u>, 'frame': <%*>, 'prefix': <%*>}", self->stack_frame->len, jank_export_ints (self->stack_frame),
    jank_export_indices (self->stack_prefix)));
  g_variant_builder_add (thread, "{sv}", "frameTable", g_variant_new_parsed (
    "{'length': <%u>, 'address': <%*>, 'inlineDepth': <%*>, 'category': <%*>, 'subcategory': <%*>, 'func': <%*>,"
    " 'nativeSymbol': <%*>, 'innerWindowID': <%*>, 'line': <%*>, 'column': <%*>}", self->frame_function->len,
    all (g_variant_new_int32 (-1), self->frame_function), all (g_variant_new_int32 (0), self->frame_function),
    jank_export_ints (self->frame_category), all (g_variant_new_int32 (0), self->frame_function),
    jank_export_ints (self->frame_function), nulls (self->frame_function), nulls (self->frame_function),
    jank_export_indices (self->frame_line), nulls (self->frame_function)));
  g_variant_builder_add (thread, "{sv}", "funcTable", g_variant_new_parsed (
    "{'length': <%u>, 'name': <%*>, 'isJS': <%*>, 'relevantForJS': <%*>, 'resource': <%*>, 'fileName': <%*>,"
    " 'lineNumber': <%*>, 'columnNumber': <%*>}", self->function_name->len, jank_export_ints (self->function_name),
    all (g_variant_new_boolean (FALSE), self->function_name), all (g_variant_new_boolean (FALSE), self->function_name),
    jank_export_ints (self->function_resource), jank_export_indices (self->function_file), nulls (self->function_name),
    nulls (self->function_name)));
  g_variant_builder_add (thread, "{sv}", "resourceTable", g_variant_new_parsed (
    "{'length': <%u>, 'lib': <%*>, 'name': <%*>, 'host': <%*>, 'type': <%*>}", self->resource_name->len,
    nulls (self->resource_name), jank_export_ints (self->resource_name), nulls (self->resource_name),
    all (g_variant_new_int32 (1), self->resource_name)));
  g_variant_builder_add (thread, "{sv}", "nativeSymbols", g_variant_new_parsed (
    "{'length': <0>, 'libIndex': <@av []>, 'address': <@av []>, 'name': <@av []>, 'functionSize': <@av []>}"));
  g_variant_builder_add (thread, "{sv}", "stringArray", g_variant_builder_end (&self->string_array));
}

static GHashTable *
new_index (void)
{
  return g_hash_table_new_full (jank_hash_int64, g_int64_equal, g_free, NULL);
}

static GVariant *
make_thread (const JankExport *export, guint index)
{
  const JankExportProcess *process = g_ptr_array_index (export->processes, index);
  g_autoptr (GHashTable) strings = g_hash_table_new_full (jank_hash_text, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) resources = new_index (), functions = new_index (), frames = new_index (),
      stacks = new_index ();
  g_autoptr (GArray) resource_name = new_column (), function_name = new_column (), function_resource = new_column (),
                     function_file = new_column (), frame_function = new_column (), frame_line = new_column (),
                     frame_category = new_column (), stack_frame = new_column (), stack_prefix = new_column ();
  g_autofree char *pid = g_strdup_printf ("%d", process->pid);
  GVariantBuilder thread;
  Thread self = {
    export, strings, resources, functions, frames, stacks, { { { 0 } } }, resource_name, function_name,
        function_resource,
    function_file, frame_function, frame_line, frame_category, stack_frame, stack_prefix,
  };

  g_variant_builder_init (&self.string_array, G_VARIANT_TYPE_STRING_ARRAY);
  g_variant_builder_init (&thread, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add_parsed (&thread, "{'processType', <'default'>}");
  g_variant_builder_add_parsed (&thread, "{'processStartupTime', <0>}");
  g_variant_builder_add_parsed (&thread, "{'processShutdownTime', <@mi nothing>}");
  g_variant_builder_add_parsed (&thread, "{'registerTime', <0>}");
  g_variant_builder_add_parsed (&thread, "{'unregisterTime', <@mi nothing>}");
  g_variant_builder_add_parsed (&thread, "{'pausedRanges', <@av []>}");
  g_variant_builder_add_parsed (&thread, "{'showMarkersInTimeline', <true>}");
  g_variant_builder_add_parsed (&thread, "{'name', <%s>}", process->program);
  g_variant_builder_add_parsed (&thread, "{'processName', <%s>}", process->program);
  g_variant_builder_add_parsed (&thread, "{'isMainThread', <true>}");
  g_variant_builder_add_parsed (&thread, "{'pid', <%s>}", pid);
  g_variant_builder_add_parsed (&thread, "{'tid', <%u>}", index + 1);
  g_variant_builder_add (&thread, "{sv}", "samples", make_samples (&self, index));
  g_variant_builder_add (&thread, "{sv}", "markers", make_markers (&self, process));
  add_tables (&self, &thread);
  return g_variant_builder_end (&thread);
}

static GVariant *
make_marker_schema (void)
{
  GVariantBuilder schema;

  jank_export_array_init (&schema);
  for (guint i = 0; i < JANK_EXPORT_N_MARKS; i++)
    jank_export_array_add (&schema,
      "{'name': <%s>, 'tooltipLabel': <'{marker.name}'>, 'tableLabel': <'{marker.data.text}'>,"
      " 'chartLabel': <'{marker.data.text}'>, 'display': <['marker-chart', 'marker-table', 'timeline-overview']>,"
      " 'fields': <[{'key': 'text', 'label': 'What', 'format': 'string'}]>}", jank_export_mark_nicks[i]);
  return g_variant_builder_end (&schema);
}

static GBytes *
jank_export_firefox_make (const JankExport *self, GError **error)
{
  GVariantBuilder threads;
  GVariant *meta = g_variant_new_parsed (
    "{'interval': <10>, 'startTime': <%d>, 'profilingStartTime': <0.0>, 'profilingEndTime': <%d>, 'processType': <0>,"
    " 'product': <'jankwatch'>, 'importedFrom': <%s>, 'stackwalk': <1>, 'symbolicated': <true>, 'version': <%i>,"
    " 'preprocessedProfileVersion': <%i>, 'markerSchema': <%*>, 'categories': <["
    "{'name': <'Other'>, 'color': <'grey'>, 'subcategories': <['Other']>},"
    "{'name': <'Program'>, 'color': <'orange'>, 'subcategories': <['Other']>},"
    "{'name': <'Platform'>, 'color': <'blue'>, 'subcategories': <['Other']>}]>}",
    to_ms (self->began_real_ns), to_ms (self->length_ns), "jankwatch " JANK_VERSION, GECKO_VERSION, PROCESSED_VERSION,
    make_marker_schema ());

  jank_export_array_init (&threads);
  for (guint i = 0; i < self->processes->len; i++)
    g_variant_builder_add (&threads, "v", make_thread (self, i));
  return jank_export_to_json (g_variant_new_parsed ("{'meta': <%*>, 'libs': <@av []>, 'threads': <%*>}", meta,
                                                    g_variant_builder_end (&threads)));
}

const JankExportFormat jank_export_firefox = {
  "firefox", N_("For the Firefox Profiler"), 0, jank_export_firefox_make,
};
