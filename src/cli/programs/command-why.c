/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch why`: whom a program waits for, watched or not. Reads /proc and asks the kernel for its sockets; a program
 * is never touched. */

#include "cli/cli.h"

#include <glib/gi18n.h>

#include "programs.h"
#include "chain/jank-processes-private.h"
#include "report/jank-report-json-private.h"
#include "text/jank-text-chain-private.h"

/* report (nullable): the file of a stall under way */
static void
add_chain (JsonArray *array, const JankReportChain *chain, const char *report)
{
  JsonNode *node = jank_report_chain_to_node (chain);
  g_autofree char *sentence = jank_text_chain_sentence (chain);

  jank_json_add_text (json_node_get_object (node), "sentence", sentence);
  jank_json_add_text (json_node_get_object (node), "report", report);
  json_array_add_element (array, node);
}

static void
print_chain (const JankReportChain *chain, gboolean is_first)
{
  JankTextStyle style = cli_text_style (stdout, 0);
  g_autofree char *sentence = jank_text_chain_sentence (chain), *lines = jank_text_chain_lines (chain, &style);

  g_print ("%s%s\n", is_first ? "" : "\n", sentence);
  if (chain->links->len > 1)
    g_print ("%s", lines);
}

/* Returns: (transfer full) (nullable): the file of a report of what pid hangs in */
static char *
why_find_report (JankLiveReader *reader, pid_t pid)
{
  g_autoptr (GPtrArray) programs = jank_live_reader_get_all (reader);

  JANK_EACH (const JankLiveProgram, program, programs)
    {
      g_autofree char *path = NULL;

      if (program->pid != pid || program->stall == NULL || !jank_store_is_id (program->stall->id))
        continue;
      path = g_strdup_printf ("%s/%s.json", program->live->store, program->stall->id);
      if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
        return g_steal_pointer (&path);
    }
  return NULL;
}

/* reports: (element-type filename) (nullable elements): one a chain. Returns: (transfer full) (element-type
 * JankReportChain) */
static GPtrArray *
why_follow (const char *name, const char *store, GPtrArray *reports)
{
  const JankLiveReaderFuncs funcs = { .ignored = cli_warn_ignored };
  g_autoptr (JankStore) opened = cli_open_store (store, NULL);
  g_autoptr (JankLiveReader) reader = jank_live_reader_new (jank_store_get_folder (opened), NULL, &funcs, NULL);
  g_autoptr (WatchedWaits) waits = watched_waits_new (reader);
  GPtrArray *chains = g_ptr_array_new_with_free_func (jank_report_chain_free);
  g_autoptr (GArray) pids = jank_processes_find (name);

  jank_live_reader_look (reader);
  for (guint i = 0; i < pids->len; i++)
    {
      pid_t pid = g_array_index (pids, pid_t, i);
      JankReportChain *chain = watched_waits_read (waits, pid);

      if (chain == NULL)
        continue;
      g_ptr_array_add (chains, chain);
      g_ptr_array_add (reports, why_find_report (reader, pid));
    }
  return chains;
}

int
command_why (int argc, char **argv)
{
  gboolean json = FALSE;
  g_autofree char *store = NULL;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_("Print JSON"), NULL },
    { "store", 0, 0, G_OPTION_ARG_FILENAME, &store, N_("Read the reports in DIR"), N_("DIR") },
    { NULL },
  };
  g_autoptr (GPtrArray) chains = NULL, reports = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (JsonArray) array = json_array_new ();
  g_autoptr (JsonNode) node = NULL;

  if (!cli_begin (&argc, &argv, "PID|NAME", CLI_ANY_WORDS, entries, NULL,
                  _("Shows in one sentence what a program is waiting for, and follows it through other processes "
                    "to the cause or the deadlock. The program does not have to be watched or to hang.")))
    return CLI_USAGE;
  if (argc != 2)
    return cli_fail_usage ("why", _("Name one process, by its number or name"));
  chains = why_follow (argv[1], store, reports);
  if (chains->len == 0)
    cli_warn (_("None of your processes has the name or number ‘%s’"), argv[1]);
  for (guint i = 0; i < chains->len; i++)
    if (json)
      add_chain (array, g_ptr_array_index (chains, i), g_ptr_array_index (reports, i));
    else
      print_chain (g_ptr_array_index (chains, i), i == 0);
  node = json_node_init_array (json_node_alloc (), array);
  if (json)
    cli_print_json (node);
  return chains->len != 0 ? CLI_FINE : CLI_FAILED;
}
