/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Broadway: a browser stamps the events, by a clock of its own. The program gets them, and nobody knows how old they
 * are: nothing is told. */

#include "scene.h"
#include "test.h"

#include <gio/gunixsocketaddress.h>
#include <string.h>

#include "base/jank-clock-private.h"

/* Of broadwayd's messages. */
enum { ENTER, LEAVE, MOVE, PRESS, RELEASE, TOUCH, SCROLL, KEY, KEY_UP };

#define N_WORDS 12

/* The first window's. */
#define SURFACE 1

static GSocketConnection *browser;
static guint n_clicks, n_keys;

static void
write_all (const void *data, gsize n_bytes)
{
  GOutputStream *stream = g_io_stream_get_output_stream (G_IO_STREAM (browser));

  g_assert_true (g_output_stream_write_all (stream, data, n_bytes, NULL, NULL, NULL));
}

static void
open_browser (void)
{
  static const char hello[] = "GET /socket HTTP/1.1\r\nHost: browser\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                              "Origin: http://browser\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                              "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: broadway\r\n\r\n";
  g_autofree char *path = g_build_filename (g_getenv ("XDG_RUNTIME_DIR"), "browser", NULL);
  g_autoptr (GSocketAddress) address = g_unix_socket_address_new (path);
  g_autoptr (GSocketClient) client = g_socket_client_new ();

  browser = g_socket_client_connect (client, G_SOCKET_CONNECTABLE (address), NULL, NULL);
  g_assert_nonnull (browser);
  write_all (hello, strlen (hello));
}

/* What the daemon wants drawn, nobody looks at. */
static void
skip_answers (void)
{
  static char buffer[1 << 16];
  GSocket *socket = g_socket_connection_get_socket (browser);

  while (g_socket_receive_with_blocking (socket, buffer, sizeof buffer, FALSE, NULL, NULL) > 0)
    ;
}

/* A frame of a web socket that is masked with 0. stamp_ms: as the browser has it */
static void
send (int type, guint32 stamp_ms, guint n, const guint32 *values)
{
  guint32 words[3 + N_WORDS] = { g_htonl (type), 0, g_htonl (stamp_ms) };
  guint8 head[6] = { 0x82, (guint8) (0x80 | 4 * (3 + n)) };

  g_assert_cmpuint (n, <=, N_WORDS);
  for (guint i = 0; i < n; i++)
    words[3 + i] = g_htonl (values[i]);
  write_all (head, sizeof head);
  write_all (words, 4 * (3 + n));
  skip_answers ();
}

static void
send_pointer (int type, guint32 stamp_ms, guint32 last)
{
  const guint32 values[] = { SURFACE, SURFACE, 100, 100, 100, 100, type == RELEASE ? GDK_BUTTON1_MASK : 0, last };

  send (type, stamp_ms, type == MOVE ? 7 : 8, values);
}

static void
send_all (guint32 stamp_ms)
{
  const guint32 key[] = { GDK_KEY_x, 0 };

  send_pointer (MOVE, stamp_ms, 0);
  send_pointer (PRESS, stamp_ms + 1, 1);
  send_pointer (RELEASE, stamp_ms + 2, 1);
  send_pointer (SCROLL, stamp_ms + 3, 1);
  send (KEY, stamp_ms + 4, 2, key);
  send (KEY_UP, stamp_ms + 5, 2, key);
  for (guint i = 0; i <= 2; i += 2)
    {
      const guint32 touch[] = { i, SURFACE, 7, 0, 100, 100, 100, 100, 0 };

      send (TOUCH, stamp_ms + 6 + i, 9, touch);
    }
}

static void
click_cb (GtkButton *button, gpointer data)
{
  n_clicks++;
}

static gboolean
key_cb (GtkEventControllerKey *keys, guint key, guint code, GdkModifierType state, gpointer data)
{
  n_keys++;
  return TRUE;
}

/* From a page that is a second old. */
TEST (page)
{
  Scene *scene = scene_new_started (GTK_TYPE_WINDOW);
  GtkWidget *button = gtk_button_new_with_label ("Open");
  GtkEventController *keys = gtk_event_controller_key_new ();
  JankInputBoard *board = plugin->get_input ();

  g_signal_connect (button, "clicked", G_CALLBACK (click_cb), NULL);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (key_cb), NULL);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  gtk_widget_add_controller (GTK_WIDGET (scene->window), keys);
  scene_set_child (scene, button);
  open_browser ();
  run_ms (500);
  for (guint i = 0; i < 40; i++)
    {
      send_all ((guint32) (1000 + 50 * i));
      be_busy_ms (i % 4 == 0 ? 150 : 0);
      run_ms (40);
    }
  g_test_message ("%u clicks, %u keys, %u moves", n_clicks, n_keys, (guint) atomic_load (&board->n_motion));
  g_assert_cmpuint (n_clicks + n_keys, >=, 20);
  g_assert_cmpuint (atomic_load (&board->n_motion), >, 0);
  g_assert_cmpuint (atomic_load (&board->n), ==, 0);
  scene_free (scene);
  g_clear_object (&browser);
}

SCENE_TESTS ("/gtk/browser")
