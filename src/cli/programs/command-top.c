/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch top`: what all watched programs of the user do now, from their live files. No program does anything for it
 * but write its own file anew, once a second while it is busy. */

#include "cli/cli.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include <glib/gi18n.h>

#include "base/jank-clock-private.h"
#include "json/jank-field-json-private.h"
#include "programs.h"

/* So often lengths grow on the screen, if there are any, and no more often it is drawn for what programs write; and so
 * often is looked for programs that were stopped, which cannot tell. */
#define TICK_MS 100
#define CALM_MS 250
#define ASK_MS  1000

/* $PAGER may be any line of the shell. */
#define OPEN "env \"$@\" 2>&1 | eval \"${PAGER:-$(command -v less || echo more)}\""

enum { PROGRAMS, SIGNALS, KEYS, N_FDS };

typedef struct
{
  JankLiveReader  *reader;    /* (owned) */
  WatchedWaits    *waits;     /* (owned) */
  ProgramChains   *chains;    /* (owned) */
  gboolean         json;
  gboolean         is_unread; /* standard output takes no more lines */
  Screen          *screen;    /* (owned) (nullable): it prints */
  guint            order;
  GString         *filter;    /* (owned) */
  gboolean         is_typing; /* the filter */
  char            *message;   /* (owned) (nullable): in place of the keys, until the next key */
  JankLiveProgram *chosen;    /* (nullable): the first */
  GArray          *rows;      /* (owned) (element-type ProgramRow): as drawn last */
  guint            at;        /* of the chosen one in them */
  gint64           asked_ns;
} Top;

static void
top_print_json (Top *self, const char *event, const JankLiveProgram *program, const JankReport *stall,
                const JankReportChain *chain)
{
  g_autoptr (JsonNode) node = NULL;
  g_autofree char *says = stall != NULL ? program_row_say (stall, chain) : NULL, *text = NULL;
  JsonObject *line;

  if (!self->json)
    return;
  node = jank_table_to_node (&jank_live_table, program->live);
  line = json_node_get_object (node);
  jank_json_add_text (line, "event", event);
  json_object_set_int_member (line, "pid_here", program->pid);
  if (stall != NULL)
    {
      json_object_set_int_member (line, "duration_ns", stall->stall.duration_ns);
      jank_json_add_text (line, "report", stall->id);
      jank_json_add_text (line, "function", stall->culprit.function);
      jank_json_add_text (line, "says", says);
      if (chain != NULL)
        json_object_set_member (line, "chain", jank_table_to_node (&jank_report_chain_table, chain));
    }
  text = jank_json_generate (node, JANK_JSON_COMPACT);
  puts (text);
  self->is_unread |= fflush (stdout) != 0;
}

static void
top_changed (gpointer data, JankLiveProgram *program)
{
  Top *self = data;

  if (program->stall != NULL)
    watched_waits_fill (self->waits, program, program->stall);
  if (self->json)
    top_print_json (self, "changed", program, program->stall, program_chains_look (self->chains, program));
}

static void
top_ended (gpointer data, JankLiveProgram *program, JankReport *stall)
{
  Top *self = data;

  top_print_json (self, "ended", program, stall, program_chains_get_first (self->chains, program, stall));
}

static void
top_gone (gpointer data, JankLiveProgram *program)
{
  Top *self = data;

  top_print_json (self, "gone", program, NULL, NULL);
  program_chains_drop (self->chains, program);
  if (self->chosen == program)
    self->chosen = NULL;
  g_array_set_size (self->rows, 0);
}

static void
top_ignored (gpointer data, const char *path, const char *why)
{
  Top *self = data;

  if (self->screen == NULL)
    {
      cli_warn_ignored (NULL, path, why);
      return;
    }
  g_free (self->message);
  self->message = g_strdup_printf (_("Ignoring ‘%s’: %s"), path, why);
}

static void
top_find_rows (Top *self)
{
  g_array_unref (self->rows);
  self->rows = program_rows_new (self->reader, self->chains, self->filter->str, self->order);
  self->at = 0;
  for (guint i = 0; i < self->rows->len; i++)
    if (g_array_index (self->rows, ProgramRow, i).program == self->chosen)
      self->at = i;
}

/* "4 watched programs, 1 stuck, by stalls" */
static char *
top_say_all (Top *self)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *stuck = NULL, *filter = g_strdup_printf (_("with ‘%s’"), self->filter->str);
  g_autofree char *order = g_strdup_printf (_("by %s"), program_rows_orders[self->order]);
  guint n_stuck = 0;

  while (n_stuck < self->rows->len && g_array_index (self->rows, ProgramRow, n_stuck).rank == 0)
    n_stuck++;
  stuck = g_strdup_printf (_("%u stuck"), n_stuck);
  g_string_append_printf (text, g_dngettext (NULL, "%u watched program", "%u watched programs", self->rows->len),
                          self->rows->len);
  if (n_stuck > 0)
    jank_text_append_item (text, stuck);
  if (self->filter->len > 0)
    jank_text_append_item (text, filter);
  if (self->order != 0)
    jank_text_append_item (text, order);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
top_add_line (GPtrArray *lines, const JankTextStyle *style, const char *text, const char *sgr)
{
  g_autoptr (GString) line = g_string_new (text), cut = g_string_new (NULL);

  if (style->ascii)
    jank_text_make_ascii (line);
  jank_text_append_left (cut, style, line->str, style->n_columns, sgr);
  g_ptr_array_add (lines, g_string_free (g_steal_pointer (&cut), FALSE));
}

/* What is not seen of a low screen is the first line, the last, the titles; then what is around the chosen row. */
static void
top_draw (Top *self)
{
  JankTextStyle style = cli_text_style (stdout, 80);
  GPtrArray *lines = g_ptr_array_new_with_free_func (g_free);
  guint n_rows = screen_count_rows (), n_head = n_rows > 5, n_foot = n_rows > 4, n_titles = n_rows > 3;
  guint n_body = n_rows - n_head - n_foot - n_titles, at[2] = { 1, 1 }, from;
  const char *keys = self->message != NULL ? self->message : _("Enter report  d dump  s sort  / filter  q quit");
  g_autofree char *text = NULL, *all = top_say_all (self);
  g_autofree char *foot = self->is_typing ? g_strdup_printf (_("Filter: %s_"), self->filter->str) : g_strdup (keys);
  g_auto (GStrv) body = NULL;

  text = program_table_draw (self->rows, &style, self->at, at);
  body = g_strsplit (text, "\n", -1);
  from = MIN (at[0], MAX (at[1], n_body + 1) - n_body);
  if (n_head > 0)
    top_add_line (lines, &style, all, NULL);
  if (n_titles > 0)
    g_ptr_array_add (lines, g_strdup (body[0]));
  for (guint i = from; i < g_strv_length (body) && i < from + n_body; i++)
    g_ptr_array_add (lines, g_strdup (body[i]));
  while (lines->len < n_rows - n_foot)
    g_ptr_array_add (lines, g_strdup (""));
  if (n_foot > 0)
    top_add_line (lines, &style, foot, JANK_TEXT_DIM);
  screen_draw (self->screen, lines);
}

/* By this very executable, also if there is another one at its path now: the newest report of the chosen program, or
 * what it does now. */
static void
top_open_report (Top *self, gboolean dumps)
{
  const JankLiveProgram *program = self->at < self->rows->len
                                     ? g_array_index (self->rows, ProgramRow, self->at).program : NULL;
  g_autofree char *own = g_strdup_printf ("/proc/%d/exe", (gint) getpid ());
  g_autofree char *columns = g_strdup_printf ("COLUMNS=%u", cli_text_style (stdout, 80).n_columns);
  g_autofree char *app = NULL, *store = NULL;

  if (program == NULL)
    return;
  app = dumps ? g_strdup_printf ("%d", program->pid) : g_strconcat ("--app=", program->live->name, NULL);
  store = g_strconcat ("--store=", program->live->store, NULL);
  screen_lend (self->screen, (char *[]) { (char *) "sh", (char *) "-c", (char *) OPEN, (char *) "sh", columns, own,
                                          (char *) (dumps ? "dump" : "show"), app, store, NULL });
}

static void
top_type (Top *self, int key)
{
  if (key == SCREEN_ESCAPE || key == SCREEN_ENTER)
    self->is_typing = FALSE;
  if (key == SCREEN_ESCAPE)
    g_string_truncate (self->filter, 0);
  else if ((key == SCREEN_ERASE || key == '\b') && self->filter->len > 0)
    g_string_truncate (self->filter, self->filter->len - 1);
  else if (key < SCREEN_UP && g_ascii_isprint ((char) key))
    g_string_append_c (self->filter, (char) key);
}

/* Returns: FALSE: it is the one to end */
static gboolean
top_take_key (Top *self, int key)
{
  int by = key == SCREEN_UP || key == 'k' ? -1 : key == SCREEN_DOWN || key == 'j' ? 1 : 0;

  g_clear_pointer (&self->message, g_free);
  if (self->is_typing || key == SCREEN_ESCAPE)
    top_type (self, key);
  else if (key == '/')
    self->is_typing = TRUE;
  else if (key == 's')
    self->order = program_rows_orders[self->order + 1] != NULL ? self->order + 1 : 0;
  else if (key == SCREEN_ENTER || key == 'd')
    top_open_report (self, key == 'd');
  else if (by != 0 && self->rows->len > 0)
    {
      self->at = (guint) CLAMP ((int) self->at + by, 0, (int) self->rows->len - 1);
      self->chosen = g_array_index (self->rows, ProgramRow, self->at).program;
    }
  return key != 'q' || self->is_typing;
}

/* Returns: whether it did */
static gboolean
top_look (Top *self, gboolean is_told)
{
  gint64 now_ns = jank_clock_now_ns ();
  gboolean is_due = now_ns >= self->asked_ns + ASK_MS * JANK_NS_PER_MS;

  if (is_due || is_told)
    jank_live_reader_look (self->reader);
  if (is_due)
    {
      jank_live_reader_ask (self->reader);
      self->asked_ns = now_ns;
    }
  return is_due || is_told;
}

/* Returns: the exit status */
static int
top_run (Top *self)
{
  struct pollfd fds[N_FDS] = { { .fd = jank_live_reader_get_fd (self->reader), .events = POLLIN } };
  gboolean ends = FALSE, lasted, lasts = TRUE;
  int key, signal, n_ready = 0;

  self->screen = screen_new ();
  fds[SIGNALS] = (struct pollfd) { .fd = self->screen->signals, .events = POLLIN };
  fds[KEYS] = (struct pollfd) { .fd = self->screen->keys, .events = POLLIN };
  do
    {
      gboolean is_told = n_ready > 0 && fds[PROGRAMS].revents != 0, has_looked = top_look (self, is_told);

      top_find_rows (self);
      lasted = lasts;
      lasts = self->rows->len > 0 && g_array_index (self->rows, ProgramRow, 0).rank < 2;
      if (has_looked || lasted || lasts || n_ready > 0)
        top_draw (self);
      fds[PROGRAMS].revents = 0;
      n_ready = is_told ? poll (fds + 1, N_FDS - 1, TICK_MS) : 0;
      if (n_ready == 0)
        n_ready = poll (fds, N_FDS, !lasts ? CALM_MS : is_told ? 0 : TICK_MS);
      if (n_ready < 0 && errno != EINTR)
        break;
      screen_take_signals (self->screen);
      while (!ends && n_ready > 0 && fds[KEYS].revents != 0 && (key = screen_read_key (self->screen)) != SCREEN_NO_KEY)
        ends = !top_take_key (self, key);
    }
  while (!ends && self->screen->end == 0);
  signal = self->screen->end;
  g_clear_pointer (&self->screen, screen_free);
  return signal != 0 ? CLI_SIGNAL_BASE + signal : CLI_FINE;
}

static int
top_print_once (Top *self)
{
  JankTextStyle style = cli_table_style ();
  g_autofree char *text = NULL;

  jank_live_reader_look (self->reader);
  top_find_rows (self);
  text = program_table_draw (self->rows, &style, G_MAXUINT, NULL);
  if (!self->json && self->rows->len > 0)
    g_print ("%s", text);
  else if (!self->json)
    cli_warn (self->filter->len > 0 ? _("No watched program matches the filter") : _("No watched program is running"));
  return CLI_FINE;
}

int
command_top (int argc, char **argv)
{
  gboolean once = FALSE;
  g_autofree char *order = NULL, *filter = NULL, *folder = NULL;
  Top self = { 0 };
  const JankLiveReaderFuncs funcs = { top_changed, top_ended, top_gone, top_ignored };
  const GOptionEntry entries[] = {
    { "once", 0, 0, G_OPTION_ARG_NONE, &once, N_("Print the table once and exit"), NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &self.json,
      N_("Print a line of JSON for each program and for each change"), NULL },
    { "sort", 0, 0, G_OPTION_ARG_STRING, &order, N_("Sort by “trouble”, “program”, “stalls”, “hangs” or “overhead”"),
      N_("COLUMN") },
    { "filter", 0, 0, G_OPTION_ARG_STRING, &filter,
      N_("Only programs with TEXT in their name, ID or file"), N_("TEXT") },
    { "store", 0, 0, G_OPTION_ARG_FILENAME, &folder, N_("Read the reports in DIR"), N_("DIR") },
    { NULL },
  };
  g_autoptr (JankStore) store = NULL;
  int status = CLI_FINE;
  gint at;

  if (!cli_begin (&argc, &argv, NULL, 0, entries, NULL,
                  _("Shows what watched programs are doing, hanging ones first.")))
    return CLI_USAGE;
  at = order != NULL ? cli_find_word (program_rows_orders, order) : 0;
  if (at < 0)
    return cli_fail_word ("top", order, program_rows_orders, _("Cannot sort by ‘%s’"), order);
  self.order = (guint) at;

  store = cli_open_store (folder, "jankwatch");
  self.filter = g_string_new (filter);
  self.rows = g_array_new (FALSE, FALSE, sizeof (ProgramRow));
  self.reader = jank_live_reader_new (jank_store_get_folder (store), NULL, &funcs, &self);
  self.waits = watched_waits_new (self.reader);
  self.chains = program_chains_new (self.waits);
  if (once || (!self.json && !screen_can_draw ()))
    status = top_print_once (&self);
  else if (self.json)
    {
      /* A pipe whose reader went away polls as an error, without another line. */
      struct pollfd fds[] = { { .fd = jank_live_reader_get_fd (self.reader), .events = POLLIN },
                              { .fd = STDOUT_FILENO } };

      do
        top_look (&self, TRUE);
      while (!self.is_unread && (poll (fds, G_N_ELEMENTS (fds), ASK_MS) >= 0 || errno == EINTR) && fds[1].revents == 0);
    }
  else
    status = top_run (&self);
  program_chains_free (self.chains);
  watched_waits_free (self.waits);
  jank_live_reader_free (self.reader);
  g_array_unref (self.rows);
  g_string_free (self.filter, TRUE);
  g_free (self.message);
  return status;
}
