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
#include "base/jank-text-clean-private.h"
#include "send/jank-headers-private.h"
#include "send/jank-machine-private.h"
#include "send/jank-post-private.h"
#include "send/jank-sender-private.h"
#include "send/jank-target-private.h"
#include "settings/jank-settings-private.h"

/* Most servers take 4 MB or more. */
#define MAX_BYTES     (1 << 20)
#define N_TRIES       5
#define EVERY_S       60
/* Of what a server says, in bytes. */
#define MAX_WORDS     300

typedef struct
{
  gboolean watch, dry_run, json, private, reset;
  gint     timeout_s;
  char    *url, *profiles, *folder; /* (owned) (nullable) */
} SendWords;

static void
send_words_clear (SendWords *self)
{
  g_free (self->url);
  g_free (self->profiles);
  g_free (self->folder);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SendWords, send_words_clear)

/* A server on its turn. */
typedef struct
{
  JankTarget     *target;
  JankSent       *sent; /* (owned) (nullable) */
#ifdef JANK_HAS_SOUP
  JankPost       *post; /* (owned) (nullable) */
#endif
  JankSendOptions options;
} Sending;

static void
sending_free (gpointer data)
{
  Sending *self = data;

  g_clear_pointer (&self->sent, jank_sent_close);
#ifdef JANK_HAS_SOUP
  g_clear_pointer (&self->post, jank_post_free);
#endif
  g_free (self);
}

/* Returns: (transfer full): url for people, without passwords */
static char *
send_dup_url (const char *url)
{
  g_autoptr (GUri) uri = g_uri_parse (url, G_URI_FLAGS_HAS_PASSWORD, NULL);

  return uri != NULL ? g_uri_to_string_partial (uri, G_URI_HIDE_USERINFO) : g_strdup ("");
}

/* Bodies as a server gets them, before they are compressed; where each goes and ends is told on stderr. data: a
 * JankTarget, whose headers are secrets. */
static JankDelivery
send_print (const char *path, const char *type, GBytes *body, gpointer data, GBytes **ret_answer, GError **error)
{
  const JankTarget *target = data;
  g_autofree char *base = send_dup_url (target->base);
  gsize n_bytes;
  const char *bytes = g_bytes_get_data (body, &n_bytes);

  cli_warn ("POST %s%s, %s, %lu", base, path, type, (gulong) n_bytes);
  for (char **header = target->headers; *header != NULL; header += 2)
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
  if (result->refused != NULL)
    cli_warn (_("The server refuses the totals of %s: the next ones include them"), result->refused->str);
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
  g_autofree char *url = send_dup_url (target->base);

  if (target->path == NULL)
    cli_warn (_("‘%s’ takes metrics alone: it gets totals, and no reports"), url);
  else if (g_strcmp0 (target->signal, "LOGS") == 0)
    cli_warn (_("‘%s’ takes log records alone: it gets reports, and no totals"), url);
}

/* Returns: whether all went well; errors are told */
static gboolean
send_to_all (GPtrArray *sendings, JankStore *store, JankFilter *filter)
{
  gboolean is_done = TRUE;

  for (guint i = 0; i < sendings->len; i++)
    {
      Sending *self = g_ptr_array_index (sendings, i);
      g_autoptr (GError) error = NULL;
      g_auto (JankSendResult) result = { 0 };
      gboolean is_sent = jank_sender_run (store, filter, self->sent, &self->options, &result, &error);

      if (self->options.deliver != send_print)
        send_tell (&result);
      if (!is_sent)
        cli_fail (error);
      is_done &= is_sent;
    }
  return is_done;
}

static gboolean
send_is_delta (const JankSettings *settings)
{
  const char *preference = g_getenv ("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE");

  if (settings->send_temporality != JANK_TEMPORALITY_AUTO || preference == NULL || *preference == '\0')
    return settings->send_temporality == JANK_TEMPORALITY_DELTA;
  /* All are counters and histograms, of which that keeps no totals either. */
  if (g_ascii_strcasecmp (preference, "delta") == 0 || g_ascii_strcasecmp (preference, "lowmemory") == 0)
    return TRUE;
  if (g_ascii_strcasecmp (preference, "cumulative") != 0)
    cli_warn (_("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE is ‘%s’, which is unknown: totals are cumulative"),
              preference);
  return FALSE;
}

/* Returns: (transfer full) (nullable): nobody allows it, or it cannot be kept what the server gets */
static Sending *
send_prepare (JankTarget *target, const char *owner, const SendWords *words, JankStore *store, const char *identity,
              const JankSettings *settings, GError **error)
{
  Sending *self = g_new0 (Sending, 1);
  gboolean is_otlp = target->protocol == &jank_protocol_otlp;
  gboolean has_graph = target->protocol == &jank_protocol_sentry && settings->send_flame_graph != JANK_SEND_GRAPH_NEVER;
  gboolean is_profile = target->protocol != &jank_protocol_sentry && !is_otlp;

  self->target = target;
  self->sent = jank_sent_open (jank_store_get_folder (store), target->url, !words->dry_run, error);
  if (target->headers == NULL)
    target->headers = jank_headers_from_environment (target->url, target->signal, is_profile ? owner : NULL,
                                                     self->sent != NULL ? error : NULL);
  self->options = (JankSendOptions) {
    .protocol = target->protocol,
    .path = target->path,
    .totals_path = target->totals_path,
    .style = { identity, words->json, is_otlp && send_is_delta (settings),
               has_graph || is_profile ? JANK_DETAIL_PROFILE : JANK_DETAIL_WHOLE },
    .any_size = is_profile || (has_graph && settings->send_flame_graph == JANK_SEND_GRAPH_ALWAYS),
    .redact = !words->private,
    .per_day = settings->send_per_day,
    .max_bytes = MAX_BYTES,
    .deliver = send_print,
    .data = target,
  };
  if (self->sent == NULL || target->headers == NULL ||
      (!words->dry_run && !send_may (target->url, self->sent, settings, error)))
    {
      sending_free (self);
      return NULL;
    }
#ifdef JANK_HAS_SOUP
  if (!words->dry_run)
    {
      self->options.data = self->post = jank_post_new (target->base, (const char *const *) target->headers,
                                                       (guint) words->timeout_s, N_TRIES);
      self->options.deliver = jank_post_send;
    }
#endif
  return self;
}

static int
send_all (const SendWords *words, const GPtrArray *targets, JankStore *store, JankFilter *filter,
          const JankSettings *settings)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *identity = jank_machine_get_identity (jank_store_get_folder (store), &error);
  g_autoptr (GPtrArray) sendings = g_ptr_array_new_with_free_func (sending_free);
  const char *owner = ((JankTarget *) g_ptr_array_index (targets, 0))->url;

  for (guint i = 0; i < targets->len && error == NULL; i++)
    {
      Sending *sending = send_prepare (g_ptr_array_index (targets, i), owner, words, store, identity, settings, &error);

      if (sending != NULL)
        g_ptr_array_add (sendings, sending);
    }
  if (error != NULL)
    return cli_fail (error);
  for (guint i = 0; words->dry_run && i < targets->len; i++)
    send_tell_target (g_ptr_array_index (targets, i));
  cli_speak_english ();
  for (;;)
    {
      gboolean is_done = send_to_all (sendings, store, filter);

      if (!words->watch)
        return is_done ? CLI_FINE : CLI_FAILED;
      sleep (EVERY_S);
    }
}

static int
send_check (const SendWords *words, const GPtrArray *targets)
{
  const JankTarget *last = targets->len > 0 ? g_ptr_array_index (targets, targets->len - 1) : NULL;
  gboolean is_text = words->json && last != NULL && g_strcmp0 (last->signal, "PROFILES") != 0;

  if (words->timeout_s < 1)
    return cli_fail_usage ("send", _("--timeout takes a number of seconds"));
  if (words->dry_run && !is_text && isatty (STDOUT_FILENO) == 1)
    return cli_fail_usage ("send", _("These bytes are not for a terminal: use --json, or write them to a file"));
  if (words->dry_run)
    return CLI_FINE;
  if (last == NULL)
    return cli_fail_usage ("send", _("There is no server: name one with --to, or with the setting send-to"));
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
    { "profiles", 0, 0, G_OPTION_ARG_STRING, &words.profiles,
      N_("Send the samples of each stall as pprof, too, to URL, a server such as Pyroscope"), N_("URL") },
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
  g_autoptr (GPtrArray) targets = NULL;
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
  if (words.profiles == NULL && settings->send_profiles[0] != '\0')
    words.profiles = g_strdup (settings->send_profiles);
  targets = jank_targets_find (words.url, words.profiles, &error);
  if (targets != NULL && targets->len == 0 && words.dry_run)
    {
      g_ptr_array_unref (targets);
      targets = jank_targets_find ("", NULL, &error);
    }
  if (targets == NULL)
    return cli_fail_usage ("send", "%s", error->message);
  status = send_check (&words, targets);
  return status == CLI_FINE ? send_all (&words, targets, store, filter, settings) : status;
}
