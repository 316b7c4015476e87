/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/jank-post-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>
#include <libsoup/soup.h>

#include "base/jank-error.h"
#include "export/jank-gzip-private.h"

/* Of a body, before it is left for another time. */
#define N_TRIES       5
/* Before the second try; doubled before each further one. */
#define FIRST_WAIT_MS 500
#define MAX_WAIT_MS   (5 * 60 * 1000)
/* Of an answer: the rest is not read. */
#define MAX_ANSWER    (64 << 10)

struct _JankPost
{
  SoupSession *session; /* (owned) */
  char        *url;     /* (owned) */
  char       **headers; /* (owned): names and values in turns */
  guint        timeout_s;
};

/* One try. */
typedef struct
{
  GMainLoop    *loop;
  GCancellable *cancellable;
  char         *answer; /* (owned): MAX_ANSWER bytes */
  gsize         n_answer; /* of them, that were read */
  GInputStream *stream; /* (owned) (nullable) */
  GError       *error;  /* (owned) (nullable) */
} Try;

JankPost *
jank_post_new (const char *url, const char *const *headers, guint timeout_s)
{
  JankPost *self = g_new0 (JankPost, 1);

  self->session = soup_session_new_with_options ("user-agent", "jankwatch/" JANK_VERSION, "timeout", timeout_s, NULL);
  self->url = g_strdup (url);
  self->headers = g_strdupv ((char **) headers);
  self->timeout_s = timeout_s;
  return self;
}

void
jank_post_free (JankPost *self)
{
  g_object_unref (self->session);
  g_free (self->url);
  g_strfreev (self->headers);
  g_free (self);
}

static void
jank_post_read_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Try *try = data;

  /* The status has said what counts. */
  g_input_stream_read_all_finish (G_INPUT_STREAM (source), result, &try->n_answer, NULL);
  g_main_loop_quit (try->loop);
}

static void
jank_post_sent_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Try *try = data;

  try->stream = soup_session_send_finish (SOUP_SESSION (source), result, &try->error);
  if (try->stream == NULL)
    g_main_loop_quit (try->loop);
  else
    g_input_stream_read_all_async (try->stream, try->answer, MAX_ANSWER, G_PRIORITY_DEFAULT, try->cancellable,
                                   jank_post_read_cb, try);
}

static gboolean
jank_post_timeout_cb (gpointer data)
{
  g_cancellable_cancel (data);
  return G_SOURCE_CONTINUE;
}

/* ret_answer: (transfer full). Returns: its status; 0 with an error */
static guint
jank_post_try (JankPost *self, SoupMessage *message, GBytes **ret_answer, GError **error)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autofree char *answer = g_malloc (MAX_ANSWER);
  guint timeout = g_timeout_add_seconds (self->timeout_s, jank_post_timeout_cb, cancellable);
  Try try = { loop, cancellable, answer, 0, NULL, NULL };

  soup_session_send_async (self->session, message, G_PRIORITY_DEFAULT, cancellable, jank_post_sent_cb, &try);
  g_main_loop_run (loop);
  g_source_remove (timeout);
  g_clear_object (&try.stream);
  if (try.error == NULL)
    {
      *ret_answer = g_bytes_new (answer, try.n_answer);
      return soup_message_get_status (message);
    }
  if (g_error_matches (try.error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE, _("it did not answer for %u s"), self->timeout_s);
  else
    g_set_error_literal (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE, try.error->message);
  g_error_free (try.error);
  return 0;
}

/* In seconds, or as a date. Returns: milliseconds */
static gint64
jank_post_get_asked_wait (SoupMessage *message)
{
  const char *text = soup_message_headers_get_one (soup_message_get_response_headers (message), "Retry-After");
  g_autoptr (GDateTime) date = NULL, now = NULL;
  gint64 seconds;

  if (text == NULL)
    return 0;
  if (g_ascii_string_to_signed (text, 10, 0, G_MAXINT32, &seconds, NULL))
    return MIN (seconds * 1000, MAX_WAIT_MS);
  date = soup_date_time_new_from_http_string (text);
  now = g_date_time_new_now_utc ();
  return date != NULL ? CLAMP (g_date_time_difference (date, now) / 1000, 0, MAX_WAIT_MS) : 0;
}

/* Machines that failed together do not come back together. */
static void
jank_post_wait (guint n_failed, gint64 asked_ms)
{
  gint64 wait_ms = MIN ((gint64) FIRST_WAIT_MS << MIN (n_failed, 16), MAX_WAIT_MS);

  wait_ms = MAX (wait_ms, asked_ms);
  g_usleep ((gulong) (wait_ms + g_random_int_range (0, (gint32) wait_ms / 2 + 1)) * 1000);
}

/* body: compressed. Returns: (transfer full) (nullable) */
static SoupMessage *
jank_post_make_message (JankPost *self, const char *path, const char *type, GBytes *body, GError **error)
{
  gsize n_url = strlen (self->url) - (*path != '\0' && g_str_has_suffix (self->url, "/"));
  g_autofree char *url = g_strdup_printf ("%.*s%s", (int) n_url, self->url, path);
  SoupMessage *message = soup_message_new (SOUP_METHOD_POST, url);
  SoupMessageHeaders *headers;

  if (message == NULL)
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID, _("‘%s’ is not a URL"), url);
      return NULL;
    }
  soup_message_add_flags (message, SOUP_MESSAGE_NO_REDIRECT);
  headers = soup_message_get_request_headers (message);
  for (char **header = self->headers; *header != NULL; header += 2)
    soup_message_headers_replace (headers, header[0], header[1]);
  soup_message_headers_replace (headers, "Content-Encoding", "gzip");
  soup_message_set_request_body_from_bytes (message, type, body);
  return message;
}

/* trouble: (nullable): it has not answered */
static JankDelivery
jank_post_fail (JankPost *self, SoupMessage *message, const GError *trouble, GError **error)
{
  g_autofree char *url = g_uri_to_string_partial (soup_message_get_uri (message), G_URI_HIDE_USERINFO);
  guint status = soup_message_get_status (message);

  if (trouble != NULL)
    g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE, _("Cannot send to ‘%s’: %s"), url, trouble->message);
  else
    g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE, _("Cannot send to ‘%s’: it answers “%u %s”"), url, status,
                 soup_status_get_phrase (status));
  return JANK_DELIVERY_FAILED;
}

JankDelivery
jank_post_send (const char *path, const char *type, GBytes *body, gpointer data, GBytes **ret_answer, GError **error)
{
  JankPost *self = data;
  g_autoptr (GBytes) packed = jank_gzip (g_bytes_get_data (body, NULL), g_bytes_get_size (body), 3);

  for (guint i = 0;; i++)
    {
      g_autoptr (SoupMessage) message = jank_post_make_message (self, path, type, packed, error);
      g_autoptr (GError) trouble = NULL;
      g_autoptr (GBytes) answer = NULL;
      guint status = message != NULL ? jank_post_try (self, message, &answer, &trouble) : 0;

      if (message == NULL)
        return JANK_DELIVERY_FAILED;
      if (SOUP_STATUS_IS_SUCCESSFUL (status))
        {
          *ret_answer = g_steal_pointer (&answer);
          return JANK_DELIVERY_TAKEN;
        }
      if (status == SOUP_STATUS_BAD_REQUEST || status == SOUP_STATUS_REQUEST_ENTITY_TOO_LARGE || status == 422)
        return JANK_DELIVERY_REFUSED;
      if (i + 1 >= N_TRIES ||
          (status != 0 && status != SOUP_STATUS_REQUEST_TIMEOUT && status != 429 && status < 500))
        return jank_post_fail (self, message, trouble, error);
      jank_post_wait (i, jank_post_get_asked_wait (message));
    }
}
