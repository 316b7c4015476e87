/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A processed profile for https://profiler.firefox.com, in a version that it will always upgrade. Each program that ran
 * is a thread with tables of its own; times are in milliseconds. */

#include "export/jank-export-private.h"

#include <glib/gi18n-lib.h>

#include "base/jank-hash-private.h"
#include "base/jank-order-private.h"
#include "json/jank-json-text-private.h"

#define PROCESSED_VERSION 55
#define GECKO_VERSION     31

enum { CATEGORY_OTHER, CATEGORY_PROGRAM, CATEGORY_PLATFORM };

/* Columns of tables, and what has a row in them already. */
enum
{
  STRING, RESOURCE_NAME, FUNCTION_NAME, FUNCTION_RESOURCE, FUNCTION_FILE, FRAME_FUNCTION, FRAME_LINE, FRAME_CATEGORY,
  STACK_FRAME, STACK_PREFIX, N_COLUMNS
};
enum { RESOURCES, FUNCTIONS, FRAMES, STACKS, N_INDICES };

typedef struct
{
  const JankExport *export;
  GHashTable       *strings;            /* (owned) */
  GHashTable       *indices[N_INDICES]; /* (owned) */
  GString          *columns[N_COLUMNS]; /* (owned) */
} Thread;

static double
to_ms (gint64 ns)
{
  return (double) ns / JANK_NS_PER_MS;
}

/* Below 0: null */
static void
append (Thread *self, guint column, gint64 value)
{
  if (value >= 0)
    jank_json_put (self->columns[column], "%li", value);
  else
    jank_json_put (self->columns[column], "null");
}

/* Whether the key was there; ret_row: its place, or the next one. */
static gboolean
find (Thread *self, guint index, gint64 a, gint64 b, gint64 *ret_row)
{
  GHashTable *table = self->indices[index];
  gint64 key = a * G_GINT64_CONSTANT (0x100000000) + b;
  gpointer found;

  if (g_hash_table_lookup_extended (table, &key, NULL, &found))
    {
      *ret_row = GPOINTER_TO_INT (found);
      return TRUE;
    }
  *ret_row = g_hash_table_size (table);
  g_hash_table_insert (table, g_memdup2 (&key, sizeof key), GINT_TO_POINTER ((gint) *ret_row));
  return FALSE;
}

static gint64
get_string (Thread *self, const char *text)
{
  gpointer found;

  if (g_hash_table_lookup_extended (self->strings, text, NULL, &found))
    return GPOINTER_TO_INT (found);
  jank_json_put (self->columns[STRING], "%s", text);
  g_hash_table_insert (self->strings, g_strdup (text), GINT_TO_POINTER ((gint) g_hash_table_size (self->strings)));
  return g_hash_table_size (self->strings) - 1;
}

static gint64
get_resource (Thread *self, const char *module)
{
  g_autofree char *base = module[0] != '\0' ? g_path_get_basename (module) : NULL;
  gint64 name, row;

  if (base == NULL)
    return -1;
  name = get_string (self, base);
  if (!find (self, RESOURCES, 0, name, &row))
    append (self, RESOURCE_NAME, name);
  return row;
}

static gint64
get_function (Thread *self, guint function)
{
  const JankExportFunction *place = g_ptr_array_index (self->export->functions, function);
  gint64 row;

  if (find (self, FUNCTIONS, 0, function, &row))
    return row;
  append (self, FUNCTION_NAME, get_string (self, place->name));
  jank_json_put (self->columns[FUNCTION_RESOURCE], "%li", get_resource (self, place->module));
  append (self, FUNCTION_FILE, place->file[0] != '\0' ? get_string (self, place->file) : -1);
  return row;
}

static gint64
get_stack (Thread *self, const GArray *calls)
{
  gint64 prefix = -1;

  JANK_EACH_IN (const JankExportCall, call, calls)
    {
      gint64 frame, stack;

      if (!find (self, FRAMES, call->function, call->line, &frame))
        {
          append (self, FRAME_FUNCTION, get_function (self, call->function));
          append (self, FRAME_LINE, call->line > 0 ? call->line : -1);
          append (self, FRAME_CATEGORY, jank_export_get_function (self->export, call)->platform
                  ? CATEGORY_PLATFORM : CATEGORY_PROGRAM);
        }
      if (!find (self, STACKS, prefix + 1, frame, &stack))
        {
          append (self, STACK_FRAME, frame);
          append (self, STACK_PREFIX, prefix);
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
static void
add_samples (Thread *self, GString *out, guint process)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Sample));

  JANK_EACH (const JankExportReport, report, self->export->reports)
    {
      Sample none = { report->began_ns + report->length_ns, 0, -1 };

      if (report->process != process)
        continue;
      JANK_EACH_IN (const JankExportSample, sample, report->samples)
        {
          Sample one = { report->began_ns + sample->from_ns, sample->to_ns - sample->from_ns,
                         get_stack (self, g_ptr_array_index (report->stacks, sample->stack)) };

          g_array_append_val (all, one);
        }
      g_array_append_val (all, none);
    }
  g_array_sort (all, compare_samples);
  jank_json_put (out, "'samples':{'length':%li,'weightType':'tracing-ms','stack':[", (glong) all->len);
  for (guint i = 0; i < all->len; i++)
    if (g_array_index (all, Sample, i).stack >= 0)
      jank_json_put (out, "%li", g_array_index (all, Sample, i).stack);
    else
      jank_json_put (out, "null");
  jank_json_put (out, "],'time':[");
  for (guint i = 0; i < all->len; i++)
    jank_json_put (out, "%g", to_ms (g_array_index (all, Sample, i).at_ns));
  jank_json_put (out, "],'weight':[");
  for (guint i = 0; i < all->len; i++)
    jank_json_put (out, "%g", to_ms (g_array_index (all, Sample, i).length_ns));
  jank_json_put (out, "]}");
}

/* n times the same */
static void
add_same (GString *out, const char *name, const char *value, guint n)
{
  jank_json_put (out, "%s:[", name);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out, i > 0 ? ",%s" : "%s", value);
  jank_json_put (out, "]");
}

static void
add_column (Thread *self, GString *out, const char *name, guint column)
{
  add_same (out, name, self->columns[column]->str, 1);
}

static void
add_markers (Thread *self, GString *out, const JankExportProcess *process)
{
  guint n = process->marks->len;
  g_autoptr (GString) names = g_string_new (NULL), begins = g_string_new (NULL), ends = g_string_new (NULL);
  g_autoptr (GString) data = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    {
      const JankExportMark *mark = g_ptr_array_index (process->marks, i);
      const char *kind = jank_export_mark_nicks[mark->kind];

      jank_json_put (names, "%li", get_string (self, kind));
      jank_json_put (begins, "%g", to_ms (mark->from_ns));
      jank_json_put (ends, "%g", to_ms (mark->to_ns));
      jank_json_put (data, "{'type':%s,'text':%s}", kind, mark->text);
    }
  jank_json_put (out, "'markers':{'length':%li", (glong) n);
  add_same (out, "name", names->str, 1);
  add_same (out, "startTime", begins->str, 1);
  add_same (out, "endTime", ends->str, 1);
  add_same (out, "data", data->str, 1);
  add_same (out, "phase", "1", n);
  add_same (out, "category", "0", n); /* CATEGORY_OTHER */
  jank_json_put (out, "}");
}

/* Begins a table after what fills it. nulls: names of columns without anything. Returns: the number of rows */
static guint
begin_table (Thread *self, GString *out, const char *name, guint index, const char *const *nulls)
{
  guint n = g_hash_table_size (self->indices[index]);

  jank_json_put (out, "%s:{'length':%li", name, (glong) n);
  for (; *nulls != NULL; nulls++)
    add_same (out, *nulls, "null", n);
  return n;
}

#define NULLS(...) (const char *const[]) { __VA_ARGS__, NULL }

static void
add_tables (Thread *self, GString *out)
{
  guint n;

  begin_table (self, out, "stackTable", STACKS, NULLS (NULL));
  add_column (self, out, "frame", STACK_FRAME);
  add_column (self, out, "prefix", STACK_PREFIX);
  jank_json_put (out, "}");
  n = begin_table (self, out, "frameTable", FRAMES, NULLS ("nativeSymbol", "innerWindowID", "column"));
  add_same (out, "address", "-1", n);
  add_same (out, "inlineDepth", "0", n);
  add_same (out, "subcategory", "0", n);
  add_column (self, out, "category", FRAME_CATEGORY);
  add_column (self, out, "func", FRAME_FUNCTION);
  add_column (self, out, "line", FRAME_LINE);
  jank_json_put (out, "}");
  n = begin_table (self, out, "funcTable", FUNCTIONS, NULLS ("lineNumber", "columnNumber"));
  add_same (out, "isJS", "false", n);
  add_same (out, "relevantForJS", "false", n);
  add_column (self, out, "name", FUNCTION_NAME);
  add_column (self, out, "resource", FUNCTION_RESOURCE);
  add_column (self, out, "fileName", FUNCTION_FILE);
  jank_json_put (out, "}");
  n = begin_table (self, out, "resourceTable", RESOURCES, NULLS ("lib", "host"));
  add_same (out, "type", "1", n);
  add_column (self, out, "name", RESOURCE_NAME);
  jank_json_put (out, "},'nativeSymbols':{'length':0,'libIndex':[],'address':[],'name':[],'functionSize':[]}");
  add_column (self, out, "stringArray", STRING);
}

static void
add_thread (GString *out, const JankExport *export, guint index)
{
  const JankExportProcess *process = g_ptr_array_index (export->processes, index);
  g_autofree char *pid = g_strdup_printf ("%d", process->pid);
  Thread self = { .export = export };

  self.strings = g_hash_table_new_full (jank_hash_text, g_str_equal, g_free, NULL);
  for (guint i = 0; i < N_INDICES; i++)
    self.indices[i] = g_hash_table_new_full (jank_hash_int64, g_int64_equal, g_free, NULL);
  for (guint i = 0; i < N_COLUMNS; i++)
    self.columns[i] = g_string_new (NULL);
  jank_json_put (out, "{'processType':'default','processStartupTime':0,'processShutdownTime':null,'registerTime':0,"
                      "'unregisterTime':null,'pausedRanges':[],'showMarkersInTimeline':true,'name':%s,"
                      "'processName':%s,'isMainThread':true,'pid':%s,'tid':%li", process->program, process->program,
                 pid, (glong) index + 1);
  add_samples (&self, out, index);
  add_markers (&self, out, process);
  add_tables (&self, out);
  jank_json_put (out, "}");
  g_hash_table_unref (self.strings);
  for (guint i = 0; i < N_INDICES; i++)
    g_hash_table_unref (self.indices[i]);
  for (guint i = 0; i < N_COLUMNS; i++)
    g_string_free (self.columns[i], TRUE);
}

static GBytes *
jank_export_firefox_make (const JankExport *self, GError **error)
{
  GString *out = g_string_new (NULL);

  jank_json_put (out, "{'meta':{'interval':10,'startTime':%g,'profilingStartTime':0,'profilingEndTime':%g,"
                      "'processType':0,'product':'jankwatch','importedFrom':%s,'stackwalk':1,'symbolicated':true,"
                      "'version':%li,'preprocessedProfileVersion':%li,'categories':["
                      "{'name':'Other','color':'grey','subcategories':['Other']},"
                      "{'name':'Program','color':'orange','subcategories':['Other']},"
                      "{'name':'Platform','color':'blue','subcategories':['Other']}],'markerSchema':[",
                 to_ms (self->began_real_ns), to_ms (self->length_ns), "jankwatch " JANK_VERSION, (glong) GECKO_VERSION,
                 (glong) PROCESSED_VERSION);
  for (guint i = 0; i < JANK_EXPORT_N_MARKS; i++)
    jank_json_put (out, "{'name':%s,'tooltipLabel':'{marker.name}','tableLabel':'{marker.data.text}',"
                        "'chartLabel':'{marker.data.text}','display':['marker-chart','marker-table',"
                        "'timeline-overview'],'fields':[{'key':'text','label':'What','format':'string'}]}",
                   jank_export_mark_nicks[i]);
  jank_json_put (out, "]},'libs':[],'threads':[");
  for (guint i = 0; i < self->processes->len; i++)
    add_thread (out, self, i);
  jank_json_put (out, "]}");
  return g_string_free_to_bytes (out);
}

const JankExportFormat jank_export_firefox = {
  "firefox", N_("For the Firefox Profiler"), 0, jank_export_firefox_make,
};
