/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Keys, clicks, steps of scrolling and, on Wayland, touches, behind stalls of any length: how old each is when
 * the program gets it, by this test's clock, and until when it is answered, by this test's frames. With -m perf 300 of
 * each. */

#include "hands.h"
#include "scene.h"
#include "test.h"

#include <string.h>

#include "base/jank-clock-private.h"

#define N_PLANTED      10
#define MAX_STALL_MS   200

static Scene *scene;
static GtkWidget *button;
static GArray *paints_ns; /* of gint64: when each frame ended */
static guint n_painted;
static int work_ms;
static gboolean draws;

/* What a person does, how many interactions that is, and which the last of them. */
typedef struct
{
  const char         *name;
  void              (*act) (void);
  guint               n;
  JankInteractionKind kind;
} Deed;

static const Deed deeds[] = {
  { "key", hands_type, 1, JANK_INTERACTION_KEY },
  { "click", hands_click, 2, JANK_INTERACTION_RELEASE },
  { "scroll", hands_scroll, 1, JANK_INTERACTION_SCROLL },
  { "tap", hands_tap, 2, JANK_INTERACTION_TOUCH },
};

/* Returns: how many of them this display can do */
static guint
count_deeds (void)
{
  return G_N_ELEMENTS (deeds) - (hands_have_touch () ? 0 : 1);
}

static JankInteraction
read_newest (void)
{
  g_assert_cmpuint (hands_count_seen (), >, 0);
  return hands_read_seen (hands_count_seen () - 1);
}

static void
run_until_seen (guint64 n)
{
  AWAIT (hands_count_seen () >= n, run_ms (10));
  g_assert_cmpuint (hands_count_seen (), ==, n);
}

static void
after_paint_cb (GdkFrameClock *clock, gpointer data)
{
  gint64 now_ns = jank_clock_now_ns ();

  if (scene->n_frames > n_painted)
    g_array_append_val (paints_ns, now_ns);
  n_painted = scene->n_frames;
}

static void
set_up (void)
{
  scene = scene_new (GTK_TYPE_WINDOW);
  button = gtk_button_new_with_label ("Open");
#if GTK_MAJOR_VERSION < 4 /* a button wants neither */
  gtk_widget_add_events (button, GDK_SCROLL_MASK | GDK_POINTER_MOTION_MASK);
#endif
  scene_set_child (scene, button);
  paints_ns = g_array_new (FALSE, FALSE, sizeof (gint64));
  n_painted = scene->n_frames;
  work_ms = 0;
  draws = FALSE;
  g_signal_connect_after (scene->clock, "after-paint", G_CALLBACK (after_paint_cb), NULL);
  run_ms (100);
  hands_reach (scene);
  run_ms (100);
}

static void
tear_down (void)
{
  g_signal_handlers_disconnect_by_func (scene->clock, after_paint_cb, NULL);
  scene_free (scene);
  g_array_unref (paints_ns);
}

/* While the loop does not turn. */
static void
check_age (const Deed *deed, int stall_ms)
{
  guint64 expected = hands_count_seen () + deed->n;
  gint64 began_ns = jank_clock_now_ns (), sent_ns, ended_ns;
  JankInteraction newest;

  deed->act ();
  sent_ns = jank_clock_now_ns ();
  be_busy_ms (stall_ms);
  ended_ns = jank_clock_now_ns ();
  run_until_seen (expected);
  newest = read_newest ();
  g_test_message ("%s behind %d ms: %.1f ms old", deed->name, stall_ms,
                  (double) (newest.handled_ns - newest.stamp_ns) / JANK_NS_PER_MS);
  g_assert_cmpuint (newest.kind, ==, deed->kind);
  g_assert_cmpint (newest.stamp_ns, >=, began_ns - HANDS_STAMP_NS);
  g_assert_cmpint (newest.stamp_ns, <=, sent_ns + HANDS_STAMP_NS);
  g_assert_cmpint (newest.handled_ns, >=, ended_ns);
}

TEST_WITH (Scene *, set_up, tear_down, self, ages)
{
  for (int stall_ms = 0; stall_ms <= MAX_STALL_MS; stall_ms += 100)
    for (guint i = 0; i < count_deeds (); i++)
      check_age (&deeds[i], stall_ms);
}

static void
check_named (const Deed *deed, const char *widget, const char *label)
{
  JankInteraction newest;

  check_age (deed, 0);
  newest = read_newest ();
  g_assert_cmpstr (newest.widget, ==, widget);
  g_assert_cmpstr (newest.label, ==, label);
}

TEST_WITH (Scene *, set_up, tear_down, self, names)
{
  JankInteraction newest;

  check_named (&deeds[1], "GtkButton", "Open");
  if (hands_have_touch ())
    check_named (&deeds[3], "GtkButton", "Open");
  gtk_button_set_label (GTK_BUTTON (button), "Öffnen Öffnen Öffnen Öffnen Öffnen Öffnen Öffnen Öffnen Öffnen Öffnen");
  check_age (&deeds[1], 0);
  newest = read_newest ();
  g_assert_true (g_utf8_validate (newest.label, -1, NULL));
  g_assert_cmpuint (strlen (newest.label), >=, sizeof newest.label - 4);
  check_age (&deeds[0], 0);
  g_assert_cmpstr (read_newest ().label, ==, "");
}

/* A field goes by what it says while it is empty, or by its name, never by what it holds. */
TEST_WITH (Scene *, set_up, tear_down, self, field)
{
  GtkWidget *entry = gtk_search_entry_new ();

  scene_set_child (scene, entry);
  gtk_widget_grab_focus (entry);
  run_ms (100);
  check_named (&deeds[0], "GtkSearchEntry", "");
  g_object_set (entry, "placeholder-text", "Search", "text", "secret", NULL);
  check_named (&deeds[0], "GtkSearchEntry", "Search");
  g_object_set (entry, "placeholder-text", NULL, NULL);
  gtk_widget_set_name (entry, "search");
  check_named (&deeds[0], "GtkSearchEntry", "search");
}

TEST_WITH (Scene *, set_up, tear_down, self, scrolled)
{
  GtkWidget *text = gtk_text_view_new (), *scrolled;
  g_autofree char *lines = g_strnfill (200, '\n');

  gtk_text_buffer_set_text (gtk_text_view_get_buffer (GTK_TEXT_VIEW (text)), lines, -1);
#if GTK_MAJOR_VERSION >= 4
  scrolled = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), text);
#else
  scrolled = gtk_scrolled_window_new (NULL, NULL);
  gtk_container_add (GTK_CONTAINER (scrolled), text);
  gtk_widget_show (text);
#endif
  scene_set_child (scene, scrolled);
  run_ms (500);
  hands_move (150, 150);
  hands_move (160, 160);
  run_ms (100);
  check_named (&deeds[2], GTK_MAJOR_VERSION >= 4 ? "GtkScrolledWindow" : "GtkTextView", "");
  gtk_widget_set_name (scrolled, "pages");
  gtk_widget_set_name (text, "pages");
  check_named (&deeds[2], GTK_MAJOR_VERSION >= 4 ? "GtkScrolledWindow" : "GtkTextView", "pages");
}

/* Returns: when the first frame after that had been painted, by this test; 0: none was */
static gint64
find_paint (gint64 since_ns)
{
  for (guint i = 0; i < paints_ns->len; i++)
    if (g_array_index (paints_ns, gint64, i) > since_ns)
      return g_array_index (paints_ns, gint64, i);
  return 0;
}

static void
work (void)
{
  be_busy_ms (work_ms);
  if (draws)
    gtk_widget_queue_draw (button);
}

#if GTK_MAJOR_VERSION >= 4

static gboolean
key_cb (GtkEventControllerKey *keys, guint key, guint code, GdkModifierType state, gpointer data)
{
  work ();
  return TRUE;
}

static gboolean
scroll_cb (GtkEventControllerScroll *steps, double dx, double dy, gpointer data)
{
  work ();
  return TRUE;
}

static void
connect_controller (GtkEventController *controller, const char *signal, GCallback callback)
{
  gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_CAPTURE);
  g_signal_connect (controller, signal, callback, NULL);
  gtk_widget_add_controller (GTK_WIDGET (scene->window), controller);
}

static void
connect_work (void)
{
  g_signal_connect (button, "clicked", G_CALLBACK (work), NULL);
  connect_controller (gtk_event_controller_key_new (), "key-pressed", G_CALLBACK (key_cb));
  connect_controller (gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_VERTICAL), "scroll",
                      G_CALLBACK (scroll_cb));
}

#else

static gboolean
event_cb (GtkWidget *window, GdkEvent *event, gpointer data)
{
  work ();
  return TRUE;
}

static void
connect_work (void)
{
  g_signal_connect (button, "clicked", G_CALLBACK (work), NULL);
  g_signal_connect (scene->window, "key-press-event", G_CALLBACK (event_cb), NULL);
  g_signal_connect (scene->window, "scroll-event", G_CALLBACK (event_cb), NULL);
}

#endif

/* Returns: the number of the frame of then */
static gint
find_frame (gint64 at_ns)
{
  guint n = 0;

  while (n < scene->begins_ns->len && g_array_index (scene->begins_ns, gint64, n) <= at_ns)
    n++;
  return (gint) n;
}

/* Returns: how many frames the answer is off; -1: nobody knows when it was answered, as where the machine kept the
 * frame for a tenth of a second */
static gint
plant (const Deed *deed, int stall_ms)
{
  guint64 expected = hands_count_seen () + deed->n;
  JankInteraction newest;

  deed->act ();
  g_usleep ((gulong) stall_ms * 1000);
  run_until_seen (expected);
  for (guint i = 0; i < 500 && read_newest ().answered_ns == 0; i++)
    run_ms (10);
  newest = read_newest ();
  g_assert_cmpuint (newest.kind, ==, deed->kind);
  if (newest.answered_ns == 0)
    return -1;
  g_assert_cmpint (newest.done_ns, >=, newest.handled_ns + work_ms * JANK_NS_PER_MS);
  return ABS (find_frame (newest.answered_ns) - find_frame (find_paint (newest.handled_ns)));
}

/* Which frame answered holds at any load. */
TEST_WITH (Scene *, set_up, tear_down, self, planted)
{
  JankInputFigures figures;

  draws = TRUE;
  connect_work ();
  for (guint k = 0; k < count_deeds (); k++)
    {
      guint n = 0, n_off = 0;

      for (guint i = 0; i < N_PLANTED; i++)
        {
          gint n_frames_off;

          work_ms = (int) (i % 10) * 12;
          n_frames_off = plant (&deeds[k], (int) (i % 4) * 60);
          g_assert_cmpint (n_frames_off, <=, 1);
          n += n_frames_off >= 0;
          n_off += n_frames_off > 0;
        }
      g_test_message ("%s: %u of %u of another frame", deeds[k].name, n_off, n);
      g_assert_cmpuint (n, >=, N_PLANTED / 2);
      g_assert_cmpuint (n_off, <=, N_PLANTED / 20);
    }
  g_assert_true (jank_input_board_sum_up (plugin->get_input (), &figures));
  g_assert_cmpuint (figures.answered.n, >=, 3 * N_PLANTED / 2);
  g_assert_cmpint (figures.answered.longest_ns, >=, 60 * JANK_NS_PER_MS);
  g_assert_cmpuint (figures.n_of[JANK_INTERACTION_RELEASE], >=, N_PLANTED / 2);
}

/* Until its handler was done; a frame much later is none of its. */
TEST_WITH (Scene *, set_up, tear_down, self, no_frame)
{
  JankInteraction newest;

  connect_work ();
  run_ms (300);
  work_ms = 80;
  plant (&deeds[0], 0);
  gtk_widget_queue_draw (button);
  scene_run_frames (scene, 1);
  newest = read_newest ();
  g_assert_cmpint (newest.answered_ns, ==, newest.done_ns);
  g_assert_cmpint (newest.answered_ns, <, find_paint (newest.handled_ns));
}

TEST_WITH (Scene *, set_up, tear_down, self, motion_is_counted)
{
  guint64 n = hands_count_seen (), n_motion = atomic_load (&plugin->get_input ()->n_motion);

  hands_move (150, 150);
  run_ms (100);
  hands_move (160, 160);
  AWAIT (atomic_load (&plugin->get_input ()->n_motion) > n_motion, run_ms (10));
  g_assert_cmpuint (hands_count_seen (), ==, n);
}

/* A key that is held comes again: on Wayland GTK repeats it, with the time of the first. */
TEST_WITH (Scene *, set_up, tear_down, self, held_key)
{
  guint64 n = hands_count_seen (), n_seen;

  connect_work ();
  hands_key (TRUE);
  AWAIT (hands_count_seen () > n + (scene_is_x11 () ? 2 : 0), run_ms (10));
  hands_key (FALSE);
  run_ms (100);
  n_seen = hands_count_seen ();
  g_test_message ("%u key presses", (guint) (n_seen - n));
  for (guint64 i = MAX (n + 1, n_seen - MIN (n_seen, JANK_INPUT_N_KEPT)); i < n_seen; i++)
    g_assert_cmpint (hands_read_seen (i).stamp_ns, >, hands_read_seen (i - 1).stamp_ns);
}

#if GTK_MAJOR_VERSION < 4

static void
send (guint32 stamp_ms, gboolean send_event)
{
  g_autoptr (GdkEvent) event = gdk_event_new (GDK_BUTTON_PRESS);

  event->button.window = g_object_ref (gtk_widget_get_window (GTK_WIDGET (scene->window)));
  event->button.time = stamp_ms;
  event->button.send_event = send_event;
  gdk_event_set_device (event, gdk_seat_get_pointer (gdk_display_get_default_seat (gdk_display_get_default ())));
  gtk_widget_event (button, event);
}

/* The program makes them: the times of all but the last are wrong. */
TEST_WITH (Scene *, set_up, tear_down, self, made_events)
{
  guint32 now_ms = (guint32) (jank_clock_now_ns () / JANK_NS_PER_MS);
  guint64 n = hands_count_seen ();

  send (GDK_CURRENT_TIME, FALSE);
  send (now_ms, TRUE);
  send (now_ms - 60000, FALSE);
  g_assert_cmpuint (hands_count_seen (), ==, n);
  send (now_ms, FALSE);
  g_assert_cmpuint (hands_count_seen (), ==, n + 1);
  send (now_ms + 60000, FALSE);
  send (now_ms + 1, FALSE); /* not until it is known to be right again */
  g_assert_cmpuint (hands_count_seen (), ==, n + 1);
}

#endif

/* Nothing is seen after stop(), and all again after start(). */
TEST_WITH (Scene *, set_up, tear_down, self, stop)
{
  guint64 n = hands_count_seen ();

  plugin->stop ();
  hands_type ();
  run_ms (200);
  g_assert_cmpuint (hands_count_seen (), ==, n);
  plugin->start (&host);
  AWAIT (hands_count_seen () > n, hands_type (), run_ms (50));
}

SCENE_TESTS ("/gtk/input")
