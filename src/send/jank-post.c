/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/jank-sender-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>
#include <libsoup/soup.h>

#include "base/jank-error.h"

/* Of a body, before it is left for another time. */
#define N_TRIES       5
/* Before the second try; doubled before each further one. */
#define FIRST_WAIT_MS 500
#define MAX_WAIT_MS   (60 * 60 * 1000)
/* For which a server may be quiet within a try, at most a quarter of the time. */
#define MAX_QUIET_S   30
/* Of an answer: the rest is not read. */
#define MAX_ANSWER    (64 << 10)

struct _JankPost
{
  const JankTarget *target;
  SoupSession      *session;     /* (owned) */
  GCancellable     *cancellable; /* (owned) */
  gint64            deadline_us; /* of all tries and waits together */
};

static void
jank_post_clear (gpointer data)
{
  JankPost *self = data;

  g_object_unref (self->session);
  g_object_unref (self->cancellable);
}

void
jank_post_free (JankPost *self)
{
  g_atomic_rc_box_release_full (self, jank_post_clear);
}

/* A server may answer byte by byte, so a thread looks at the clock. */
static gpointer
jank_post_end_thread (gpointer data)
{
  g_autoptr (JankPost) self = data;
  gint64 left_us = self->deadline_us - g_get_monotonic_time ();

  g_usleep ((gulong) MAX (left_us, 0));
  g_cancellable_cancel (self->cancellable);
  return NULL;
}

JankPost *
jank_post_new (const JankTarget *target, guint timeout_s)
{
  JankPost *self = g_atomic_rc_box_new0 (JankPost);

  self->session = soup_session_new_with_options ("user-agent", "jankwatch/" JANK_VERSION, "timeout",
                                                 CLAMP (timeout_s / 4, 1, MAX_QUIET_S), NULL);
  self->target = target;
  self->cancellable = g_cancellable_new ();
  self->deadline_us = g_get_monotonic_time () + (gint64) timeout_s * G_USEC_PER_SEC;
  g_thread_unref (g_thread_new ("deadline", jank_post_end_thread, g_atomic_rc_box_acquire (self)));
  return self;
}

/* ret_answer: (transfer full). Returns: its status; 0 with an error */
static guint
jank_post_try (JankPost *self, SoupMessage *message, GBytes **ret_answer, GError **error)
{
  g_autofree char *answer = g_malloc (MAX_ANSWER);
  g_autoptr (GInputStream) stream = soup_session_send (self->session, message, self->cancellable, error);
  gsize n_answer = 0;

  if (stream == NULL)
    return 0;
  /* The status has said what counts. */
  g_input_stream_read_all (stream, answer, MAX_ANSWER, &n_answer, self->cancellable, NULL);
  *ret_answer = g_bytes_new (answer, n_answer);
  return soup_message_get_status (message);
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

/* Machines that failed together do not come back together. Returns: FALSE at once: the wait would be too long */
static gboolean
jank_post_wait (const JankPost *self, guint n_failed, gint64 asked_ms)
{
  gint64 wait_ms = MIN ((gint64) FIRST_WAIT_MS << MIN (n_failed, 16), MAX_WAIT_MS);

  wait_ms = MAX (wait_ms, asked_ms);
  wait_ms += g_random_int_range (0, (gint32) wait_ms / 2 + 1);
  if (g_get_monotonic_time () + wait_ms * 1000 >= self->deadline_us)
    return FALSE;
  g_usleep ((gulong) wait_ms * 1000);
  return TRUE;
}

/* body: compressed. Returns: (transfer full) */
static SoupMessage *
jank_post_make_message (JankPost *self, const char *path, const char *type, GBytes *body)
{
  const char *base = self->target->base;
  gsize n_base = strlen (base) - (*path != '\0' && g_str_has_suffix (base, "/"));
  g_autofree char *url = g_strdup_printf ("%.*s%s", (int) n_base, base, path);
  SoupMessage *message = soup_message_new (SOUP_METHOD_POST, url);
  SoupMessageHeaders *headers = soup_message_get_request_headers (message);

  soup_message_add_flags (message, SOUP_MESSAGE_NO_REDIRECT);
  for (char **header = self->target->headers; *header != NULL; header += 2)
    soup_message_headers_replace (headers, header[0], header[1]);
  soup_message_headers_replace (headers, "Content-Encoding", "gzip");
  soup_message_set_request_body_from_bytes (message, type, body);
  return message;
}

/* Returns: (transfer full) */
static GBytes *
jank_post_compress (GBytes *body)
{
  g_autoptr (GOutputStream) out = g_memory_output_stream_new_resizable ();
  g_autoptr (GConverter) zipper = G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, 3));
  g_autoptr (GOutputStream) stream = g_converter_output_stream_new (out, zipper);

  /* Into memory: neither can fail. */
  g_output_stream_write_all (stream, g_bytes_get_data (body, NULL), g_bytes_get_size (body), NULL, NULL, NULL);
  g_output_stream_close (stream, NULL, NULL);
  return g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (out));
}

/* trouble: (nullable): it has not answered */
static JankDelivery
jank_post_fail (JankPost *self, SoupMessage *message, const GError *trouble, GError **error)
{
  g_autofree char *url = g_uri_to_string_partial (soup_message_get_uri (message), G_URI_HIDE_USERINFO);
  guint status = soup_message_get_status (message);

  if (trouble != NULL)
    g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE, _("Cannot send to ‘%s’: %s"), url,
                 g_error_matches (trouble, G_IO_ERROR, G_IO_ERROR_CANCELLED) ? _("it did not answer in time")
                                                                             : trouble->message);
  else
    g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE, _("Cannot send to ‘%s’: it answers “%u %s”"), url, status,
                 soup_status_get_phrase (status));
  return JANK_DELIVERY_FAILED;
}

JankDelivery
jank_post_send (const char *path, const char *type, GBytes *body, gpointer data, GBytes **ret_answer, GError **error)
{
  JankPost *self = data;
  g_autoptr (GBytes) packed = jank_post_compress (body);

  for (guint i = 0;; i++)
    {
      g_autoptr (SoupMessage) message = jank_post_make_message (self, path, type, packed);
      g_autoptr (GError) trouble = NULL;
      g_autoptr (GBytes) answer = NULL;
      guint status = jank_post_try (self, message, &answer, &trouble);

      if (SOUP_STATUS_IS_SUCCESSFUL (status))
        {
          *ret_answer = g_steal_pointer (&answer);
          return JANK_DELIVERY_TAKEN;
        }
      if (status == SOUP_STATUS_BAD_REQUEST || status == SOUP_STATUS_REQUEST_ENTITY_TOO_LARGE || status == 422)
        return JANK_DELIVERY_REFUSED;
      if (i + 1 >= N_TRIES ||
          (status != 0 && status != SOUP_STATUS_REQUEST_TIMEOUT && status != 429 && status < 500) ||
          !jank_post_wait (self, i, jank_post_get_asked_wait (message)))
        return jank_post_fail (self, message, trouble, error);
    }
}
