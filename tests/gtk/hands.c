/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "hands.h"

#include <dlfcn.h>
#include <gio/gio.h>
#include <linux/input-event-codes.h>
#include <string.h>
#include <sys/socket.h>

#define SERVICE "org.gnome.Mutter.RemoteDesktop"
#define PICTURES "org.gnome.Mutter.ScreenCast"

/* Left of and above any monitor. */
#define FAR 5000

/* Of Wayland's messages: 16 bits of size, 16 of opcode. */
#define IS_KEY_OR_BUTTON(word) ((word) == (24 << 16 | 3))
#define IS_AXIS(word)          ((word) == (20 << 16 | 4))
#define IS_TOUCH(word)         ((word) == (32 << 16 | 0) || (word) == (20 << 16 | 1))

static GSubprocess *xdotool; /* NULL: not X11 */
static GDataInputStream *answers;
static GDBusConnection *bus;
static char *session, *screen;
static int last_x, last_y;
static gboolean has_touched; /* since the pointer moved */

/* The question behind it is answered once the server has done it. */
static void
tell_xdotool (const char *words)
{
  g_autofree char *lines = g_strconcat (words, "\ngetmouselocation\n", NULL), *answer = NULL;
  GOutputStream *input;

  if (xdotool == NULL)
    {
      xdotool = g_subprocess_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE, NULL, "stdbuf", "-oL",
                                  "xdotool", "-", NULL);
      g_assert_nonnull (xdotool);
      answers = g_data_input_stream_new (g_subprocess_get_stdout_pipe (xdotool));
    }
  input = g_subprocess_get_stdin_pipe (xdotool);
  g_assert_true (g_output_stream_write_all (input, lines, strlen (lines), NULL, NULL, NULL));
  answer = g_data_input_stream_read_line (answers, NULL, NULL, NULL);
  g_assert_nonnull (answer);
}

/* Returns: (nullable): it refuses */
static GVariant *
ask_mutter (const char *service, const char *path, const char *interface, const char *method, GVariant *values)
{
  g_autoptr (GError) error = NULL;
  GVariant *result = g_dbus_connection_call_sync (bus, service, path, interface, method, values, NULL,
                                                  G_DBUS_CALL_FLAGS_NONE, 10000, NULL, &error);

  if (error != NULL)
    g_test_message ("%s", error->message);
  return result;
}

static GVariant *
call_mutter (const char *path, const char *interface, const char *method, GVariant *values)
{
  GVariant *result = ask_mutter (SERVICE, path, interface, method, values);

  g_assert_nonnull (result);
  return result;
}

static void
tell_mutter (const char *method, GVariant *values)
{
  g_variant_unref (call_mutter (session, SERVICE ".Session", method, values));
}

/* Returns: how many keys, buttons, fingers and steps of scrolling wait to be read from the display */
static guint
count_waiting (void)
{
  static guint32 words[1 << 14];
  void *(*get_display) (GdkDisplay *) = dlsym (RTLD_DEFAULT, "gdk_wayland_display_get_wl_display");
  int (*get_fd) (void *) = dlsym (RTLD_DEFAULT, "wl_display_get_fd");
  int fd = get_fd (get_display (gdk_display_get_default ()));
  gssize n_bytes = recv (fd, words, sizeof words, MSG_PEEK | MSG_DONTWAIT);
  guint n = 0;

  for (gssize i = 0; i + 1 < n_bytes / 4 && words[i + 1] >> 16 >= 8; i += words[i + 1] >> 18)
    n += IS_KEY_OR_BUTTON (words[i + 1]) || IS_AXIS (words[i + 1]) || IS_TOUCH (words[i + 1]);
  return n;
}

/* mutter answers a call before the thread that stamps what was done has done so. */
static void
do_by_mutter (const char *method, GVariant *values)
{
  guint n = count_waiting ();

  tell_mutter (method, values);
  for (guint i = 0; i < 10000 && count_waiting () <= n; i++)
    g_usleep (100);
}

/* Touches are given their place in it. A stream that a session gets after its start, as mutter 43 lets one do and 48
 * does not, is never started itself, and so needs no PipeWire. */
static void
find_screen (void)
{
  g_autoptr (GVariant) id = NULL, name = NULL, pictures = NULL, stream = NULL;
  GVariantDict options;
  const char *path;

  id = call_mutter (session, "org.freedesktop.DBus.Properties", "Get",
                    g_variant_new ("(ss)", SERVICE ".Session", "SessionId"));
  g_variant_get (id, "(v)", &name);
  g_variant_dict_init (&options, NULL);
  g_variant_dict_insert_value (&options, "remote-desktop-session-id", name);
  pictures = ask_mutter (PICTURES, "/org/gnome/Mutter/ScreenCast", PICTURES, "CreateSession",
                         g_variant_new ("(@a{sv})", g_variant_dict_end (&options)));
  if (pictures == NULL)
    return;
  g_variant_dict_init (&options, NULL);
  g_variant_get (pictures, "(&o)", &path);
  stream = ask_mutter (PICTURES, path, PICTURES ".Session", "RecordMonitor",
                       g_variant_new ("(s@a{sv})", "", g_variant_dict_end (&options)));
  g_assert_nonnull (stream);
  g_variant_get (stream, "(o)", &screen);
}

static void
begin_session (void)
{
  g_autoptr (GVariant) result = NULL;

  bus = g_dbus_connection_new_for_address_sync (g_getenv ("JANKWATCH_TEST_MUTTER"),
                                                G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                                  G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, NULL, NULL, NULL);
  g_assert_nonnull (bus);
  result = call_mutter ("/org/gnome/Mutter/RemoteDesktop", SERVICE, "CreateSession", NULL);
  g_variant_get (result, "(o)", &session);
  tell_mutter ("Start", NULL);
  tell_mutter ("NotifyPointerMotionRelative", g_variant_new ("(dd)", -(double) FAR, -(double) FAR));
  find_screen ();
}

void
hands_reach (Scene *scene)
{
  if (!scene_is_x11 ())
    {
      if (session == NULL)
        begin_session ();
      gtk_window_fullscreen (scene->window);
    }
  else
    tell_xdotool ("search --name Scene windowfocus");
  /* Of the first finger no program hears: with it mutter's touch screen appears. */
  if (screen != NULL)
    {
      tell_mutter ("NotifyTouchDown", g_variant_new ("(sudd)", screen, 0, 1.0, 1.0));
      tell_mutter ("NotifyTouchUp", g_variant_new ("(u)", 0));
    }
  for (int i = 0; i < 10; i++)
    {
      hands_move (100 + 10 * i, 100 + 10 * i);
      hands_type ();
      run_ms (50);
    }
}

void
hands_move (int x, int y)
{
  g_autofree char *words = g_strdup_printf ("mousemove %d %d", x, y);

  if (scene_is_x11 ())
    tell_xdotool (words);
  else
    tell_mutter ("NotifyPointerMotionRelative", g_variant_new ("(dd)", (double) (x - last_x), (double) (y - last_y)));
  last_x = x;
  last_y = y;
  has_touched = FALSE;
}

/* A finger takes the pointer away, until that moves again. */
static void
bring_pointer (void)
{
  if (has_touched)
    hands_move (last_x + 1, last_y);
}

void
hands_button (gboolean is_down)
{
  bring_pointer ();
  if (scene_is_x11 ())
    tell_xdotool (is_down ? "mousedown 1" : "mouseup 1");
  else
    do_by_mutter ("NotifyPointerButton", g_variant_new ("(ib)", BTN_LEFT, is_down));
}

void
hands_click (void)
{
  hands_button (TRUE);
  hands_button (FALSE);
}

void
hands_scroll (void)
{
  bring_pointer ();
  if (scene_is_x11 ())
    tell_xdotool ("mousedown 5\nmouseup 5");
  else
    do_by_mutter ("NotifyPointerAxisDiscrete", g_variant_new ("(ui)", 0, 1));
}

gboolean
hands_have_touch (void)
{
  return screen != NULL;
}

void
hands_touch (gboolean is_down)
{
  g_assert_nonnull (screen);
  has_touched = TRUE;
  if (is_down)
    do_by_mutter ("NotifyTouchDown", g_variant_new ("(sudd)", screen, 0, (double) last_x, (double) last_y));
  else
    do_by_mutter ("NotifyTouchUp", g_variant_new ("(u)", 0));
}

void
hands_tap (void)
{
  hands_touch (TRUE);
  hands_touch (FALSE);
}

void
hands_key (gboolean is_down)
{
  if (scene_is_x11 ())
    tell_xdotool (is_down ? "keydown --delay 0 x" : "keyup --delay 0 x");
  else
    do_by_mutter ("NotifyKeyboardKeycode", g_variant_new ("(ub)", KEY_X, is_down));
}

void
hands_type (void)
{
  hands_key (TRUE);
  hands_key (FALSE);
}

guint64
hands_count_seen (void)
{
  return atomic_load_explicit (&plugin->get_input ()->n, memory_order_relaxed);
}

JankInteraction
hands_read_seen (guint64 number)
{
  JankInteraction kept;

  g_assert_cmpuint (number, <, hands_count_seen ());
  jank_seqlock_load (plugin->get_input ()->kept[number % JANK_INPUT_N_KEPT], &kept, JANK_INTERACTION_N_WORDS);
  return kept;
}
