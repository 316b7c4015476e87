/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch send`: what the store has and a server has not. Without a URL nothing opens a socket. Each run may be
 * killed at any moment; the next one goes on. */

#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include <glib/gi18n.h>

#include "base/jank-error.h"
#include "base/jank-text-clean-private.h"
#include "send/jank-sender-private.h"
#include "settings/jank-settings-private.h"

/* Of what a server says, in bytes. */
#define MAX_WORDS 300

typedef struct
{
  gboolean dry_run, private;
  gint     timeout_s;
} SendWords;

/* Bodies as a server gets them, before they are compressed; where each goes and ends is told on stderr. data: a
 * JankTarget, whose headers are secrets. */
static JankDelivery
send_print (const char *path, const char *type, GBytes *body, gpointer data, GBytes **ret_answer, GError **error)
{
  const JankTarget *target = data;
  g_autofree char *base = jank_target_show_url (target->base);
  gsize n_bytes;
  const char *bytes = g_bytes_get_data (body, &n_bytes);

  cli_warn ("POST %s%s, %s, %lu", base, path, type, (gulong) n_bytes);
  for (char **header = target->headers; *header != NULL; header += 2)
    cli_warn ("%s: …", *header);
  if (!cli_write (NULL, bytes, n_bytes) || (g_str_has_suffix (type, "json") && puts ("") == EOF) ||
      fflush (stdout) != 0)
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED, _("Cannot write the report: %s"), g_strerror (errno));
      return JANK_DELIVERY_FAILED;
    }
  return JANK_DELIVERY_TAKEN;
}

/* Asks a person once a server, unless a setting has answered. */
static gboolean
send_may (const char *whole_url, JankSent *sent, const JankSettings *settings, GError **error)
{
  g_autofree char *url = jank_target_show_url (whole_url);
  char answer[8] = "";

  if (!settings->send_ask || sent->is_allowed)
    return TRUE;
  if (isatty (STDIN_FILENO) != 1 || isatty (STDERR_FILENO) != 1)
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE,
                   _("Sending to ‘%s’ has not been confirmed: run this once in a terminal, or set send-ask=no"), url);
      return FALSE;
    }
  g_printerr (_("Reports of stalls on this machine will be sent to ‘%s’. “jankwatch send --dry-run” prints them.\n"
                "Send them? [y/N] "), url);
  if (fgets (answer, sizeof answer, stdin) != NULL && (answer[0] == 'y' || answer[0] == 'Y'))
    {
      sent->is_allowed = TRUE;
      return jank_sent_keep (sent, error);
    }
  g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED, _("Nothing was sent"));
  return FALSE;
}

static void
send_tell (const JankSendResult *result)
{
  if (result->n_sent > 0)
    cli_warn (ngettext ("Sent %u report", "Sent %u reports", result->n_sent), result->n_sent);
  if (result->n_held > 0)
    cli_warn (ngettext ("%u report was held back by the limit of the day (send-per-day): the next one counts it",
                        "%u reports were held back by the limit of the day (send-per-day): the next ones count them",
                        result->n_held), result->n_held);
  if (result->n_refused > 0)
    cli_warn (ngettext ("The server refuses %u report", "The server refuses %u reports", result->n_refused),
              result->n_refused);
  if (result->refused != NULL)
    cli_warn (_("The server refuses the totals of %s; the next totals include them"), result->refused->str);
  if (result->n_points_refused > 0)
    cli_warn (ngettext ("The server refuses %lu figure of the totals", "The server refuses %lu figures of the totals",
                        result->n_points_refused), (gulong) result->n_points_refused);
  if (result->words != NULL)
    {
      g_autofree char *cut = jank_text_cut (result->words, MAX_WORDS), *words = jank_text_clean (cut);

      cli_warn (_("The server says: “%s”"), words);
    }
}

/* Also what a server would not get. */
static void
send_tell_target (const JankTarget *target)
{
  g_autofree char *url = jank_target_show_url (target->base);

  if (target->path == NULL)
    cli_warn (_("‘%s’ accepts metrics only: it receives totals but no reports"), url);
  else if (target->protocol->totals_path != NULL && target->totals_path == NULL)
    cli_warn (_("‘%s’ accepts log records only: it receives reports but no totals"), url);
}

static int
send_all (const SendWords *words, JankTarget *target, JankStore *store, JankFilter *filter,
          const JankSettings *settings)
{
  g_autoptr (GError) error = NULL;
  const char *folder = jank_store_get_folder (store);
  g_autofree char *identity = jank_sent_get_identity (folder, !words->dry_run, &error);
  g_autoptr (JankSent) sent = identity != NULL ? jank_sent_open (folder, target->url, !words->dry_run, &error) : NULL;
  g_auto (JankSendResult) result = { 0 };
  JankSendOptions options = {
    .target = target,
    .identity = identity,
    .redact = !words->private,
    .per_day = settings->send_per_day,
    .deliver = send_print,
    .data = target,
  };
  gboolean is_sent;

  if (sent == NULL || (!words->dry_run && !send_may (target->url, sent, settings, &error)))
    return cli_fail (error);
  if (words->dry_run)
    send_tell_target (target);
#ifdef JANK_HAS_SOUP
  g_autoptr (JankPost) post = jank_post_new (target, (guint) words->timeout_s);

  if (!words->dry_run)
    {
      options.data = post;
      options.deliver = jank_post_send;
    }
#endif
  cli_speak_english ();
  is_sent = jank_sender_run (store, filter, sent, &options, &result, &error);
  if (!words->dry_run)
    send_tell (&result);
  return is_sent ? CLI_FINE : cli_fail (error);
}

static int
send_check (const SendWords *words, const char *url)
{
  if (words->timeout_s < 1)
    return cli_fail_usage ("send", _("--timeout takes a number of seconds"));
  if (words->dry_run)
    return CLI_FINE;
  if (url == NULL)
    return cli_fail_usage ("send", _("No server is set: name one with --to, or with the setting send-to"));
#ifndef JANK_HAS_SOUP
  return cli_fail_usage ("send", _("This jankwatch was built without libsoup: only --dry-run works"));
#endif
  return CLI_FINE;
}

/* Returns: (nullable): it is not set, or empty, which is the same there */
static const char *
send_find_url (const JankSettings *settings)
{
  const char *endpoint = g_getenv ("OTEL_EXPORTER_OTLP_ENDPOINT");

  if (settings->send_to[0] != '\0')
    return settings->send_to;
  return endpoint != NULL && *endpoint != '\0' ? endpoint : NULL;
}

int
command_send (int argc, char **argv)
{
  SendWords words = { .timeout_s = 300 };
  g_autofree char *url = NULL, *folder = NULL;
  const GOptionEntry entries[] = {
    { "to", 0, 0, G_OPTION_ARG_STRING, &url,
      N_("Send to URL (an OTLP/HTTP server or a Sentry DSN) instead of the setting send-to"),
      N_("URL") },
    { "dry-run", 0, 0, G_OPTION_ARG_NONE, &words.dry_run,
      N_("Print what would be sent, uncompressed, and send nothing"), NULL },
    { "no-redact", 0, 0, G_OPTION_ARG_NONE, &words.private, N_("Also send paths, peers and titles"), NULL },
    { "timeout", 0, 0, G_OPTION_ARG_INT, &words.timeout_s, N_("Stop sending after SECONDS (default 300)"),
      N_("SECONDS") },
    { "store", 0, 0, G_OPTION_ARG_FILENAME, &folder, N_("Read the reports in DIR"), N_("DIR") },
    { NULL },
  };
  g_autoptr (JankFilter) filter = jank_filter_new ();
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (JankSettings) settings = jank_settings_load ("jankwatch", warnings);
  g_autoptr (JankStore) store = NULL;
  g_autoptr (JankTarget) target = NULL;
  g_autoptr (GError) error = NULL;
  int status;

  if (!cli_begin (&argc, &argv, NULL, 0, entries, filter,
                  _("Sends the reports that match the filters and that the server has not received yet, oldest "
                    "first. Paths, peers and titles are not sent. Nothing is sent until a URL is set.")))
    return CLI_USAGE;
  if (url == NULL)
    url = g_strdup (send_find_url (settings));
  status = send_check (&words, url);
  if (status != CLI_FINE)
    return status;
  store = cli_open_store (folder, "jankwatch");
  target = jank_target_new (jank_text_or_empty (url), &error);
  if (target == NULL && g_error_matches (error, JANK_ERROR, JANK_ERROR_INVALID))
    return cli_fail_usage ("send", "%s", error->message);
  return send_all (&words, target, store, filter, settings);
}
