/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One page that holds everything it needs. Its policy lets only this style and this script run, by their hashes, and
 * nothing be loaded; what a report says is JSON in which no tag can begin or end. */

#include "export/jank-export-format-private.h"

#include <string.h>

#include <gio/gio.h>
#include <glib/gi18n-lib.h>

#include "base/jank-order-private.h"
#include "export/jank-export-facts-private.h"
#include "export/jank-export-html-resources.h"
#include "export/jank-export-variant-private.h"
#include "text/jank-flame-tree-private.h"

/* What a browser shows at once, and a person looks at. */
#define MAX_PROBLEMS 200
/* Of bars in the timeline: of all programs, and of one. */
#define MAX_BARS     1500
#define MIN_PLACES   30
#define MAX_PLACES   300

/* What the page says itself. */
static const struct { const char *key, *text; } words[] = {
  { "all", N_("All samples") }, { "all_problems", N_("All problems") }, { "all_small", N_("merged") },
  { "problems", N_("Problems") }, { "timeline", N_("Timeline") }, { "flame", N_("Flame graph") },
  { "functions", N_("Heaviest functions") }, { "function", N_("Function") }, { "self", N_("self") },
  { "total", N_("total") },
  { "threads", N_("Threads in the middle of it") }, { "thread", N_("Thread") }, { "doing", N_("Doing") },
  { "innermost", N_("Innermost call") }, { "waits", N_("Waits") }, { "late", N_("Late frames") },
  { "length", N_("Length") },
  { "search", N_("Search functions") }, { "reset", N_("Show all") }, { "of_program", N_("of the program") },
  { "of_platform", N_("of the platform") }, { "unknown", N_("not known") }, { "no_samples", N_("No stack was read.") },
  { "no_reports", N_("There is no report.") }, { "longest", N_("longest") },
};

/* What becomes the page: the problems, and what they name. */
typedef struct
{
  const JankExport *export;
  GArray     *problems;  /* (owned) (element-type JankExportProblem): the most time first */
  guint       n_all;     /* of them, with those that are left out */
  GHashTable *numbers;   /* (owned): a report's key → its problem's number, from 1 */
  GPtrArray  *rows;      /* (owned) (element-type Row) */
  guint      *functions; /* (owned): of the export's, the page's number, from 1; 0: not in it */
  GPtrArray  *used;      /* (owned) (element-type JankExportFunction): the page's */
} Page;

typedef struct
{
  gint64 from_ns, to_ns; /* to_ns 0: there is none */
  guint  problem;
} Bar;

/* A program in the timeline. More bars than there are pixels tell nothing: of those that begin in one place, the
 * longest. */
typedef struct
{
  const char *program;
  Bar        *bars;    /* (owned) (array n_places) */
  gboolean   *is_late; /* (owned) (array n_places) */
} Row;

static void
row_free (gpointer data)
{
  Row *self = data;

  g_free (self->bars);
  g_free (self->is_late);
  g_free (self);
}

static void
page_clear (Page *self)
{
  g_array_unref (self->problems);
  g_hash_table_unref (self->numbers);
  g_ptr_array_unref (self->rows);
  g_ptr_array_unref (self->used);
  g_free (self->functions);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Page, page_clear)

static const char *
get_key (const JankExportReport *made)
{
  return made->report->fingerprint != NULL ? made->report->fingerprint : made->report->id;
}

JANK_ORDER_FALLING (compare_total_cb, JankExportProblem, ->total_ns)

/* Returns: rows->len: it has none */
static guint
page_find_row (const Page *self, const char *program)
{
  guint i = 0;

  while (i < self->rows->len && strcmp (((Row *) g_ptr_array_index (self->rows, i))->program, program) != 0)
    i++;
  return i;
}

static guint
page_count_places (const Page *self)
{
  return CLAMP (MAX_BARS / MAX (self->rows->len, 1), MIN_PLACES, MAX_PLACES);
}

/* at_ns: since the export's beginning. */
static guint
page_find_place (const Page *self, gint64 at_ns)
{
  guint n_places = page_count_places (self);
  double share = (double) at_ns / (double) MAX (self->export->length_ns, 1);

  return MIN ((guint) (CLAMP (share, 0, 1) * n_places), n_places - 1);
}

static void
page_add_bar (Page *self, const JankExportReport *made)
{
  guint problem = GPOINTER_TO_UINT (g_hash_table_lookup (self->numbers, get_key (made)));
  guint at = page_find_row (self, made->program), place = page_find_place (self, made->began_ns);
  Bar *bar = at < self->rows->len ? &((Row *) g_ptr_array_index (self->rows, at))->bars[place] : NULL;

  if (problem > 0 && bar != NULL && (bar->to_ns == 0 || bar->to_ns - bar->from_ns < made->length_ns))
    *bar = (Bar) { made->began_ns, made->began_ns + MAX (made->length_ns, 1), problem - 1 };
}

static void
page_add_late (Page *self, const JankExportProcess *process)
{
  guint at = page_find_row (self, process->program);

  for (guint i = 0; at < self->rows->len && i < process->marks->len; i++)
    {
      const JankExportMark *mark = g_ptr_array_index (process->marks, i);

      if (mark->kind == JANK_EXPORT_LATE_FRAME)
        ((Row *) g_ptr_array_index (self->rows, at))->is_late[page_find_place (self, mark->from_ns)] = TRUE;
    }
}

static void
page_add_rows (Page *self)
{
  for (guint i = 0; i < self->problems->len; i++)
    {
      const JankExportReport *made = g_array_index (self->problems, JankExportProblem, i).longest;
      Row *row = page_find_row (self, made->program) == self->rows->len ? g_new0 (Row, 1) : NULL;

      g_hash_table_insert (self->numbers, (gpointer) get_key (made), GUINT_TO_POINTER (i + 1));
      if (row == NULL)
        continue;
      row->program = made->program;
      g_ptr_array_add (self->rows, row);
    }
  for (guint i = 0; i < self->rows->len; i++)
    {
      Row *row = g_ptr_array_index (self->rows, i);

      row->bars = g_new0 (Bar, page_count_places (self));
      row->is_late = g_new0 (gboolean, page_count_places (self));
    }
}

static void
page_init (Page *self, const JankExport *export)
{
  *self = (Page) { export, jank_export_list_problems (export), 0, g_hash_table_new (g_str_hash, g_str_equal),
                   g_ptr_array_new_with_free_func (row_free), g_new0 (guint, export->functions->len + 1),
                   g_ptr_array_new () };
  self->n_all = self->problems->len;
  g_array_sort (self->problems, compare_total_cb);
  g_array_set_size (self->problems, MIN (self->n_all, MAX_PROBLEMS));
  page_add_rows (self);
  for (guint i = 0; i < export->reports->len; i++)
    page_add_bar (self, g_ptr_array_index (export->reports, i));
  for (guint i = 0; i < export->processes->len; i++)
    page_add_late (self, g_ptr_array_index (export->processes, i));
}

static guint
page_number_function (Page *self, guint function)
{
  if (self->functions[function] == 0)
    {
      g_ptr_array_add (self->used, g_ptr_array_index (self->export->functions, function));
      self->functions[function] = self->used->len;
    }
  return self->functions[function] - 1;
}

/* From what the outermost loop dispatched on: how a program gets there is the same for all. */
static GVariant *
make_stack (Page *page, const GArray *stack)
{
  g_autofree JankFlameCall *calls = g_new0 (JankFlameCall, stack->len + 1);
  GVariantBuilder builder;

  for (guint i = 0; i < stack->len; i++)
    {
      const JankExportCall *call = &g_array_index (stack, JankExportCall, i);
      const JankExportFunction *function = jank_export_get_function (page->export, call);
      const char *slash = strrchr (function->module, '/');

      calls[i] = (JankFlameCall) { function->name, slash != NULL ? slash + 1 : function->module, function->platform };
    }
  g_variant_builder_init (&builder, G_VARIANT_TYPE ("au"));
  for (guint i = jank_flame_find_dispatch (calls, stack->len); i < stack->len; i++)
    g_variant_builder_add (&builder, "u",
                           page_number_function (page, g_array_index (stack, JankExportCall, i).function));
  return g_variant_builder_end (&builder);
}

static GVariant *
make_words (const Page *page)
{
  GVariantBuilder builder;
  guint n = page->n_all, n_left = page->n_all - page->problems->len;
  g_autofree char *summary = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u problem", "%u problems", n), n);
  g_autofree char *redacted = page->export->redacted ? g_strdup_printf (_("%s, private data left out"), summary) : NULL;
  g_autofree char *left = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u more problem, of less time, is left out",
                                                        "%u more problems, of less time, are left out", n_left),
                                                        n_left);

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{ss}"));
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    g_variant_builder_add (&builder, "{ss}", words[i].key, _(words[i].text));
  g_variant_builder_add (&builder, "{ss}", "summary", redacted != NULL ? redacted : summary);
  g_variant_builder_add (&builder, "{ss}", "left", n_left > 0 ? left : "");
  return g_variant_builder_end (&builder);
}

static GVariant *
make_functions (const Page *page)
{
  GVariantBuilder builder;

  jank_export_array_init (&builder);
  for (guint i = 0; i < page->used->len; i++)
    {
      const JankExportFunction *function = g_ptr_array_index (page->used, i);

      jank_export_array_add (&builder, "[<%s>, <%s>, <%s>, <%b>]", function->name, function->module, function->file,
                             function->platform);
    }
  return g_variant_builder_end (&builder);
}

static GVariant *
make_programs (const Page *page)
{
  guint n_places = page_count_places (page);
  gint64 place_ns = page->export->length_ns / n_places;
  GVariantBuilder builder;

  jank_export_array_init (&builder);
  for (guint i = 0; i < page->rows->len; i++)
    {
      const Row *row = g_ptr_array_index (page->rows, i);
      GVariantBuilder bars, late;

      g_variant_builder_init (&bars, G_VARIANT_TYPE ("a(xxu)"));
      g_variant_builder_init (&late, G_VARIANT_TYPE ("a(xx)"));
      for (guint k = 0; k < n_places; k++)
        {
          if (row->bars[k].to_ns > 0)
            g_variant_builder_add (&bars, "(xxu)", row->bars[k].from_ns, row->bars[k].to_ns, row->bars[k].problem);
          if (row->is_late[k])
            g_variant_builder_add (&late, "(xx)", k * place_ns, (k + 1) * place_ns);
        }
      jank_export_array_add (&builder, "{'name': <%s>, 'bars': <%*>, 'late': <%*>}", row->program,
                             g_variant_builder_end (&bars), g_variant_builder_end (&late));
    }
  return g_variant_builder_end (&builder);
}

/* Of one kind, while the report's stall lasted, since its beginning. */
static GVariant *
make_marks (const Page *page, const JankExportReport *made, JankExportMarkKind kind)
{
  const JankExportProcess *process = g_ptr_array_index (page->export->processes, made->process);
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(xxs)"));
  for (guint i = 0; i < process->marks->len; i++)
    {
      const JankExportMark *mark = g_ptr_array_index (process->marks, i);

      if (mark->kind == kind && mark->to_ns >= made->began_ns && mark->from_ns <= made->began_ns + made->length_ns)
        g_variant_builder_add (&builder, "(xxs)", mark->from_ns - made->began_ns, mark->to_ns - made->began_ns,
                               mark->text);
    }
  return g_variant_builder_end (&builder);
}

static GVariant *
make_facts (const JankExportReport *made)
{
  g_autoptr (GPtrArray) facts = jank_export_list_facts (made);
  GVariantBuilder builder;

  jank_export_array_init (&builder);
  for (guint i = 0; i < facts->len; i++)
    {
      const JankExportFact *fact = g_ptr_array_index (facts, i);

      jank_export_array_add (&builder, "[%s, %s]", fact->label, fact->text);
    }
  return g_variant_builder_end (&builder);
}

/* As the page's own list of states has them. */
static gint
state_number (JankThreadState state)
{
  switch (state)
    {
    case JANK_STATE_COMPUTING:  return 0;
    case JANK_STATE_PREEMPTED:  return 1;
    case JANK_STATE_PAGE_FAULT: return 2;
    case JANK_STATE_BLOCKED:    return 3;
    default:                    return 4;
    }
}

static GVariant *
make_problem (Page *page, const JankExportProblem *problem)
{
  const JankExportReport *made = problem->longest;
  const JankReport *report = made->report;
  GVariantBuilder stacks, samples, threads;

  jank_export_array_init (&stacks);
  for (guint i = 0; i < made->stacks->len; i++)
    g_variant_builder_add (&stacks, "v", make_stack (page, g_ptr_array_index (made->stacks, i)));
  jank_export_array_init (&samples);
  for (guint i = 0; i < made->samples->len; i++)
    {
      const JankExportSample *sample = &g_array_index (made->samples, JankExportSample, i);
      const JankReportSample *read = g_ptr_array_index (report->samples, i);

      jank_export_array_add (&samples, "[<%x>, <%x>, <%u>, <%i>, <%s>]", sample->from_ns, sample->to_ns, sample->stack,
                             state_number (read->state), sample->state);
    }
  jank_export_array_init (&threads);
  for (guint i = 0; i < made->threads->len; i++)
    {
      const JankExportThread *thread = g_ptr_array_index (made->threads, i);

      jank_export_array_add (&threads, "[<%s>, <%s>, <%i>]", thread->name, thread->doing, thread->stack);
    }
  return g_variant_new_parsed (
    "{'id': <%s>, 'title': <%s>, 'name': <%s>, 'program': <%u>, 'kind': <%s>, 'severity': <%s>, 'culprit': <%s>,"
    " 'began': <%x>, 'length': <%x>, 'duration': <%x>, 'total': <%x>, 'count': <%t>, 'facts': <%*>, 'stacks': <%*>,"
    " 'samples': <%*>, 'threads': <%*>, 'waits': <%*>, 'late': <%*>}",
    report->id, made->title, made->program, page_find_row (page, made->program),
    jank_report_kind_to_nick (report->kind),
    jank_severity_to_nick (report->stall.severity), made->culprit, made->began_ns, made->length_ns,
    report->stall.duration_ns,
    problem->total_ns, problem->count, make_facts (made), g_variant_builder_end (&stacks),
    g_variant_builder_end (&samples),
    g_variant_builder_end (&threads), make_marks (page, made, JANK_EXPORT_WAIT),
    make_marks (page, made, JANK_EXPORT_LATE_FRAME));
}

/* JSON in which an HTML parser finds nothing: "<" and "&" stand in strings alone. */
static char *
make_data (const JankExport *self, const char *lang)
{
  g_auto (Page) page = { NULL };
  GVariantBuilder problems;
  g_autoptr (GBytes) json = NULL;
  GString *text;

  page_init (&page, self);
  jank_export_array_init (&problems);
  for (guint i = 0; i < page.problems->len; i++)
    g_variant_builder_add (&problems, "v", make_problem (&page, &g_array_index (page.problems, JankExportProblem, i)));
  json = jank_export_to_json (g_variant_new_parsed (
    "{'lang': <%s>, 'began_ms': <%d>, 'length': <%x>, 'words': <%*>, 'functions': <%*>, 'programs': <%*>, 'problems': "
    "<%*>}",
    lang, (double) self->began_real_ns / JANK_NS_PER_MS, self->length_ns, make_words (&page), make_functions (&page),
    make_programs (&page), g_variant_builder_end (&problems)));
  text = g_string_new_len (g_bytes_get_data (json, NULL), (gssize) g_bytes_get_size (json));
  g_string_replace (text, "<", "\\u003c", 0);
  g_string_replace (text, ">", "\\u003e", 0);
  g_string_replace (text, "&", "\\u0026", 0);
  return g_string_free (text, FALSE);
}

static char *
load (const char *name)
{
  g_autofree char *path = g_strconcat ("/export/", name, NULL);
  g_autoptr (GBytes) bytes = g_resource_lookup_data (jank_export_html_get_resource (), path,
                                                     G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

  g_assert (bytes != NULL);
  return g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

/* As a content security policy has it. */
static char *
hash (const char *text)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  guint8 digest[32];
  gsize n = sizeof digest;

  g_checksum_update (checksum, (const guchar *) text, -1);
  g_checksum_get_digest (checksum, digest, &n);
  return g_base64_encode (digest, n);
}

/* "de" of "de_DE.UTF-8"; what a browser must understand. */
static char *
find_language (void)
{
  const char *name = g_get_language_names ()[0];
  gsize n = strspn (name, G_CSET_a_2_z);

  return n == 2 || n == 3 ? g_strndup (name, n) : g_strdup ("en");
}

static GBytes *
jank_export_html_make (const JankExport *self, GError **error)
{
  g_autofree char *page = load ("page.html"), *style = load ("page.css"), *script = load ("page.js");
  g_autofree char *style_hash = hash (style), *script_hash = hash (script), *lang = find_language ();
  g_autofree char *data = make_data (self, lang);
  const struct { const char *name, *value; } parts[] = {
    { "LANG", lang }, { "STYLE_HASH", style_hash }, { "SCRIPT_HASH", script_hash }, { "STYLE", style },
    { "SCRIPT", script },
    { "DATA", data },
  };
  g_auto (GStrv) pieces = g_strsplit (page, "@", -1); /* every other one is a part's name */
  GString *out = g_string_new (NULL);

  for (guint i = 0; pieces[i] != NULL; i++)
    {
      const char *piece = pieces[i];

      for (guint j = 0; i % 2 == 1 && j < G_N_ELEMENTS (parts); j++)
        if (strcmp (parts[j].name, pieces[i]) == 0)
          piece = parts[j].value;
      g_string_append (out, piece);
    }
  return g_string_free_to_bytes (out);
}

const JankExportFormat jank_export_html = {
  "html", N_("A page for a web browser"), 0, jank_export_html_make,
};
