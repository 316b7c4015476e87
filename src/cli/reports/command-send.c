/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch send`: what the store has and a server has not. Without a URL nothing opens a socket. Each run may be
 * killed at any moment; the next one goes on. */

#include "cli/cli.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <glib/gi18n.h>

#include "base/jank-error.h"
#include "send/jank-headers-private.h"
#include "send/jank-machine-private.h"
#include "send/jank-post-private.h"
#include "send/jank-sender-private.h"
#include "settings/jank-settings-private.h"

/* Most servers take 4 MB or more. */
#define MAX_BYTES     (1 << 20)
#define N_TRIES       5
#define EVERY_S       60
#define DRY_URL       "dry-run:"

typedef struct
{
  gboolean watch, dry_run, json, private, reset;
  gint     timeout_s;
  char    *url, *folder; /* (owned) (nullable) */
} SendWords;

static void
send_words_clear (SendWords *self)
{
  g_free (self->url);
  g_free (self->folder);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SendWords, send_words_clear)

/* Bodies as a server gets them, before they are compressed; where each goes and ends is told on stderr. data: names and
 * values of headers in turns, which are secrets. */
static JankDelivery
send_print (const char *path, const char *type, GBytes *body, gpointer data, GError **error)
{
  gsize n_bytes;
  const char *bytes = g_bytes_get_data (body, &n_bytes);

  cli_warn ("POST %s, %s, %lu", path, type, (gulong) n_bytes);
  for (char **header = data; *header != NULL; header += 2)
    cli_warn ("%s: …", *header);
  if (!cli_write (NULL, bytes, n_bytes))
    return JANK_DELIVERY_FAILED;
  if (g_str_has_suffix (type, "json"))
    puts ("");
  return JANK_DELIVERY_TAKEN;
}

/* Asks a person once a server, unless a setting has answered. */
static gboolean
send_may (const char *url, JankSent *sent, const JankSettings *settings, GError **error)
{
  char answer[8] = "";

  if (!settings->send_ask || jank_sent_is_allowed (sent))
    return TRUE;
  if (isatty (STDIN_FILENO) != 1 || isatty (STDERR_FILENO) != 1)
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE,
                   _("Nobody has allowed to send reports to ‘%s’ yet: do it on a terminal, or set send-ask=no"), url);
      return FALSE;
    }
  g_printerr (_("Reports of stalls on this machine will be sent to ‘%s’. “jankwatch send --dry-run --json” prints "
                "them.\nSend them? [y/N] "), url);
  if (fgets (answer, sizeof answer, stdin) != NULL && (answer[0] == 'y' || answer[0] == 'Y'))
    return jank_sent_allow (sent, error);
  g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED, _("Nothing was sent"));
  return FALSE;
}

static void
send_tell (const JankSendResult *result)
{
  if (result->n_sent > 0)
    cli_warn (ngettext ("Sent %u report", "Sent %u reports", result->n_sent), result->n_sent);
  if (result->n_refused > 0)
    cli_warn (ngettext ("The server refuses %u report", "The server refuses %u reports", result->n_refused),
              result->n_refused);
}

static gboolean
send_once (JankStore *store, JankFilter *filter, JankSent *sent, const JankSendOptions *options, GError **error)
{
  JankSendResult result;
  gboolean is_done = jank_sender_run (store, filter, sent, options, &result, error);

  if (options->deliver != send_print)
    send_tell (&result);
  return is_done;
}

static int
send_all (const SendWords *words, JankStore *store, JankFilter *filter, const JankSettings *settings)
{
  g_autoptr (GError) error = NULL;
  const char *url = words->dry_run ? DRY_URL : words->url, *folder = jank_store_get_folder (store);
  g_autoptr (GUri) uri = words->url != NULL ? g_uri_parse (words->url, G_URI_FLAGS_NONE, NULL) : NULL;
  g_auto (GStrv) headers = NULL;
  g_autofree char *envelopes = uri != NULL ? jank_protocol_sentry_find_url (uri, &headers) : NULL;
  g_autofree char *identity = jank_machine_get_identity (folder, &error);
  g_autoptr (JankSent) sent = identity != NULL ? jank_sent_open (folder, url, !words->dry_run, &error) : NULL;
  JankSendOptions options = {
    .protocol = envelopes != NULL ? &jank_protocol_sentry : &jank_protocol_otlp,
    .style = { identity, words->json },
    .redact = !words->private,
    .per_day = settings->send_per_day,
    .max_bytes = MAX_BYTES,
    .deliver = send_print,
    .data = headers,
  };

  if (sent != NULL && headers == NULL)
    options.data = headers = jank_headers_from_environment (words->url, &error);
  if (sent == NULL || headers == NULL || (!words->dry_run && !send_may (url, sent, settings, &error)))
    return cli_fail (error);
  cli_speak_english ();
#ifdef JANK_HAS_SOUP
  g_autoptr (JankPost) post = NULL;

  if (!words->dry_run)
    post = jank_post_new (envelopes != NULL ? envelopes : url, (const char *const *) headers, (guint) words->timeout_s,
                          N_TRIES);
  if (post != NULL)
    {
      options.deliver = jank_post_send;
      options.data = post;
    }
#endif
  while (send_once (store, filter, sent, &options, &error) || words->watch)
    {
      if (!words->watch)
        return CLI_FINE;
      if (error != NULL)
        cli_fail (error);
      g_clear_error (&error);
      sleep (EVERY_S);
    }
  return cli_fail (error);
}

static int
send_check (const SendWords *words)
{
  g_autoptr (GUri) uri = words->url != NULL ? g_uri_parse (words->url, G_URI_FLAGS_NONE, NULL) : NULL;

  if (words->timeout_s < 1)
    return cli_fail_usage ("send", _("--timeout takes a number of seconds"));
  if (words->dry_run && !words->json && isatty (STDOUT_FILENO) == 1)
    return cli_fail_usage ("send", _("These bytes are not for a terminal: use --json, or write them to a file"));
  if (words->dry_run)
    return CLI_FINE;
  if (words->url == NULL)
    return cli_fail_usage ("send", _("There is no server: name one with --to, or with the setting send-to"));
  if (uri == NULL || !g_str_has_prefix (words->url, "http") || jank_text_or_empty (g_uri_get_host (uri))[0] == '\0')
    return cli_fail_usage ("send", _("‘%s’ is not a URL of a server"), words->url);
#ifndef JANK_HAS_SOUP
  return cli_fail_usage ("send", _("This jankwatch was built without libsoup: it cannot send, --dry-run alone works"));
#endif
  return CLI_FINE;
}

int
command_send (int argc, char **argv)
{
  g_auto (SendWords) words = { .timeout_s = 30 };
  const GOptionEntry entries[] = {
    { "to", 0, 0, G_OPTION_ARG_STRING, &words.url,
      N_("Send to URL, a server that takes OTLP over HTTP or Sentry's DSN, instead of the setting send-to"),
      N_("URL") },
    { "watch", 0, 0, G_OPTION_ARG_NONE, &words.watch, N_("Do so every minute"), NULL },
    { "dry-run", 0, 0, G_OPTION_ARG_NONE, &words.dry_run,
      N_("Print what would be sent, uncompressed, and send nothing"), NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &words.json, N_("Send JSON instead of protobuf"), NULL },
    { "no-redact", 0, 0, G_OPTION_ARG_NONE, &words.private, N_("Send paths, peers and titles, too"), NULL },
    { "timeout", 0, 0, G_OPTION_ARG_INT, &words.timeout_s, N_("Wait so long for an answer (default 30)"),
      N_("SECONDS") },
    { "reset-identity", 0, 0, G_OPTION_ARG_NONE, &words.reset,
      N_("Be another machine to servers from now on, and send nothing"), NULL },
    { "store", 0, 0, G_OPTION_ARG_FILENAME, &words.folder, N_("Read the reports in DIR"), N_("DIR") },
    { NULL },
  };
  g_autoptr (JankFilter) filter = jank_filter_new ();
  g_autoptr (GOptionContext) context = cli_filter_context_new (
    "send", NULL, _("Sends the reports that pass the filters and that a server has not got yet, oldest first. Paths, "
                    "peers and titles stay here. Nothing is sent until a URL is set."), entries, filter);
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (JankSettings) settings = jank_settings_load ("jankwatch", warnings);
  g_autoptr (JankStore) store = NULL;
  g_autoptr (GError) error = NULL;
  int status;

  if (!cli_parse (context, &argc, &argv))
    return CLI_USAGE;
  if (argc > 1)
    return cli_fail_usage ("send", _("Unexpected argument ‘%s’"), argv[1]);
  store = cli_open_store (words.folder, "jankwatch");
  if (words.reset)
    return jank_machine_reset_identity (jank_store_get_folder (store), &error) ? CLI_FINE : cli_fail (error);
  if (words.url == NULL && settings->send_to[0] != '\0')
    words.url = g_strdup (settings->send_to);
  status = send_check (&words);
  return status == CLI_FINE ? send_all (&words, store, filter, settings) : status;
}
