/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch why`: whom a program waits for, watched or not. Reads /proc and asks the kernel for its sockets; a program
 * is never touched. */

#include "config.h"

#include "cli.h"

#include <glib/gi18n.h>

#include "base/jank-text-clean-private.h"
#include "chain/jank-chain-private.h"
#include "chain/jank-processes-private.h"
#include "text/jank-text-chain-private.h"
#include "watched-waits.h"

static void
add_link (JsonArray *array, const JankLink *link)
{
  JsonObject *object = jank_json_append_object (array);
  g_autofree char *target = jank_text_clean (link->hop.target);
  JsonArray *peers;

  json_object_set_int_member (object, "pid", link->look.pid);
  json_object_set_int_member (object, "tid", link->look.tid);
  jank_json_add_text (object, "name", link->name);
  jank_json_add_text (object, "user", link->user[0] != '\0' ? link->user : NULL);
  jank_json_add_text (object, "unit", link->unit[0] != '\0' ? link->unit : NULL);
  jank_json_add_text (object, "kind", jank_hop_kind_to_nick (link->hop.kind));
  json_object_set_boolean_member (object, "polls", link->hop.is_poll);
  peers = jank_json_add_array (object, "peers");
  for (guint i = 0; i < link->hop.n_peers; i++)
    json_array_add_int_element (peers, link->hop.peers[i].pid);
  jank_json_add_text (object, "syscall", link->syscall);
  jank_json_add_text (object, "target", target[0] != '\0' ? target : NULL);
  jank_json_add_text (object, "filesystem", link->hop.filesystem[0] != '\0' ? link->hop.filesystem : NULL);
  jank_json_add_text (object, "mount", link->hop.mount[0] != '\0' ? link->hop.mount : NULL);
  if (link->hop.timeout_ns >= 0)
    json_object_set_int_member (object, "timeout_ns", link->hop.timeout_ns);
  jank_json_add_text (object, "function", link->function);
}

static void
add_chain (JsonArray *array, const JankChain *chain)
{
  JsonObject *object = jank_json_append_object (array);
  g_autofree char *sentence = jank_text_chain_sentence (chain);
  JsonArray *links;

  jank_json_add_text (object, "schema", "jankwatch-chain-1");
  jank_json_add_text (object, "sentence", sentence);
  jank_json_add_text (object, "cause", jank_chain_get_cause (chain));
  json_object_set_boolean_member (object, "settled", chain->is_settled);
  if (jank_chain_is_deadlock (chain))
    json_object_set_int_member (object, "closes_at", chain->closes_at);
  links = jank_json_add_array (object, "chain");
  for (guint i = 0; i < chain->links->len; i++)
    add_link (links, g_ptr_array_index (chain->links, i));
}

static void
print_chain (const JankChain *chain, gboolean is_first)
{
  JankTextStyle style = cli_text_style (stdout, 0);
  g_autofree char *sentence = jank_text_chain_sentence (chain), *lines = jank_text_chain_lines (chain, &style);

  g_print ("%s%s\n", is_first ? "" : "\n", sentence);
  if (chain->links->len > 1)
    g_print ("%s", lines);
}

/* Returns: (transfer full) (element-type JankChain) */
static GPtrArray *
why_follow (const char *name, const char *store)
{
  g_autoptr (WatchedWaits) waits = watched_waits_new (store);
  const JankChainTeller teller = { watched_waits_tell, waits };
  GPtrArray *chains = g_ptr_array_new_with_free_func ((GDestroyNotify) jank_chain_free);
  g_autoptr (GArray) pids = NULL;
  guint64 number;

  if (g_ascii_string_to_unsigned (name, 10, 1, G_MAXINT32, &number, NULL))
    {
      pid_t pid = (pid_t) number;

      pids = g_array_new (FALSE, FALSE, sizeof pid);
      g_array_append_val (pids, pid);
    }
  else
    pids = jank_processes_find (name);
  for (guint i = 0; i < pids->len; i++)
    {
      JankChain *chain = jank_chain_new (g_array_index (pids, pid_t, i), &teller);

      if (chain != NULL)
        g_ptr_array_add (chains, chain);
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
  g_autoptr (GOptionContext) context = cli_option_context_new (
    "why", "PID|NAME",
    _("Says in one sentence what a program waits for, and follows that through other processes to its cause. The "
      "program need not be watched, nor hang."), entries);
  g_autoptr (GPtrArray) chains = NULL;
  g_autoptr (JsonArray) array = json_array_new ();
  g_autoptr (JsonNode) node = NULL;

  if (!cli_parse (context, &argc, &argv))
    return CLI_USAGE;
  if (argc != 2)
    return cli_fail_usage ("why", _("It takes a process's number or name"));
  chains = why_follow (argv[1], store);
  if (chains->len == 0)
    cli_warn (_("No process of yours is ‘%s’"), argv[1]);
  for (guint i = 0; i < chains->len; i++)
    if (json)
      add_chain (array, g_ptr_array_index (chains, i));
    else
      print_chain (g_ptr_array_index (chains, i), i == 0);
  node = json_node_init_array (json_node_alloc (), array);
  if (json)
    cli_print_json (node);
  return chains->len != 0 ? CLI_FINE : CLI_FAILED;
}
