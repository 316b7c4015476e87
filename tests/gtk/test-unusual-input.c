/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A pen, a finger, something that is dragged, a text that an input method makes, a click into a popover: each has its
 * own time and its own answer, or none. */

#include "hands.h"
#include "test.h"

#include <dlfcn.h>

#include "base/jank-clock-private.h"

#if GTK_MAJOR_VERSION >= 4
#include <gtk/gtkimmodule.h>
#endif

static Scene *scene;
static guint n_done; /* times the program did what was asked of it */
static GdkDeviceTool *pen;

static guint64
count_answered (JankInteractionKind kind)
{
  JankInputFigures figures;

  g_assert_true (jank_input_board_sum_up (plugin->get_input (), &figures));
  return figures.n_of[kind];
}

static void
set_up (void)
{
  scene = scene_new (GTK_TYPE_WINDOW);
  hands_reach (scene);
  run_ms (300);
  n_done = 0;
}

static void
tear_down (void)
{
  pen = NULL;
  scene_free (scene);
}

/* Whatever is known since the number since happened from began_ns on, until now. Returns: how much that is */
static guint
check_times (guint64 since, gint64 began_ns)
{
  gint64 now_ns = jank_clock_now_ns ();

  for (guint64 i = since; i < hands_count_seen (); i++)
    {
      JankInteraction kept = hands_read_seen (i);

      g_assert_cmpint (kept.stamp_ns, >=, began_ns - HANDS_STAMP_NS);
      g_assert_cmpint (kept.stamp_ns, <=, now_ns);
      g_assert_cmpint (kept.handled_ns, >=, kept.stamp_ns);
      if (kept.answered_ns != 0)
        g_assert_cmpint (kept.answered_ns, >=, kept.handled_ns);
    }
  return (guint) (hands_count_seen () - since);
}

static void
count_cb (void)
{
  n_done++;
}

static void
run_until_done (guint n)
{
  AWAIT (n_done >= n, run_ms (10));
}

#if GTK_MAJOR_VERSION >= 4

/* In place of GDK's: no display here has a pen. */
G_MODULE_EXPORT GdkDeviceTool *
gdk_event_get_device_tool (GdkEvent *event)
{
  GdkDeviceTool *(*get) (GdkEvent *) = (GdkDeviceTool *(*) (GdkEvent *)) dlsym (RTLD_NEXT, "gdk_event_get_device_tool");

  return pen != NULL ? pen : get (event);
}

static gboolean
count_buttons_cb (GtkEventController *controller, GdkEvent *event, guint *n)
{
  GdkEventType type = gdk_event_get_event_type (event);

  *n += type == GDK_BUTTON_PRESS || type == GDK_BUTTON_RELEASE;
  return GDK_EVENT_PROPAGATE;
}

TEST_WITH (Scene *, set_up, tear_down, self, pen)
{
  GtkEventController *presses = gtk_event_controller_legacy_new ();
  guint n_buttons = 0;
  guint64 n;

  scene_set_child (scene, gtk_button_new_with_label ("Open"));
  g_signal_connect (presses, "event", G_CALLBACK (count_buttons_cb), &n_buttons);
  gtk_event_controller_set_propagation_phase (presses, GTK_PHASE_CAPTURE);
  gtk_widget_add_controller (GTK_WIDGET (scene->window), presses);
  run_ms (100);
  n = hands_count_seen ();
  pen = g_object_new (GDK_TYPE_DEVICE_TOOL, NULL);
  hands_button (TRUE);
  AWAIT (n_buttons == 1, run_ms (10));
  hands_button (FALSE);
  AWAIT (n_buttons == 2, run_ms (10));
  g_assert_cmpuint (hands_count_seen (), ==, n);
  g_clear_object (&pen);
  hands_click ();
  AWAIT (hands_count_seen () >= n + 2, run_ms (10));
  g_assert_cmpuint (hands_count_seen (), ==, n + 2);
  gtk_widget_remove_controller (GTK_WIDGET (scene->window), presses);
}

/* An input method that needs a while for each key. */
typedef GtkIMContext LateMethod;
typedef GtkIMContextClass LateMethodClass;

GType late_method_get_type (void);

G_DEFINE_TYPE (LateMethod, late_method, GTK_TYPE_IM_CONTEXT)

#define METHOD_MS 400

static gint64 committed_ns;

static gboolean
late_method_commit_cb (gpointer self)
{
  committed_ns = jank_clock_now_ns ();
  g_signal_emit_by_name (self, "commit", "ö");
  return G_SOURCE_REMOVE;
}

static gboolean
late_method_filter_keypress (GtkIMContext *self, GdkEvent *event)
{
  if (gdk_event_get_event_type (event) == GDK_KEY_PRESS)
    g_timeout_add_full (G_PRIORITY_DEFAULT, METHOD_MS, late_method_commit_cb, g_object_ref (self), g_object_unref);
  return TRUE;
}

static void
late_method_class_init (LateMethodClass *klass)
{
  klass->filter_keypress = late_method_filter_keypress;
}

static void
late_method_init (LateMethod *self)
{
}

/* The text comes long after its key, in a turn that handles it, the caret blinks meanwhile, and what animates is drawn
 * all the time. */
static void
check_method (gboolean animates)
{
  GtkWidget *entry = gtk_entry_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *area = gtk_spinner_new ();
  guint64 n, n_answered;

  g_io_extension_point_implement (GTK_IM_MODULE_EXTENSION_POINT_NAME, late_method_get_type (), "late", 10);
  g_object_set (entry, "im-module", "late", NULL);
  g_signal_connect (entry, "changed", count_cb, NULL);
  gtk_box_append (GTK_BOX (box), entry);
  gtk_box_append (GTK_BOX (box), area);
  scene_set_child (scene, box);
  gtk_spinner_set_spinning (GTK_SPINNER (area), animates);
  gtk_widget_grab_focus (entry);
  run_ms (300);
  n = hands_count_seen ();
  n_answered = count_answered (JANK_INTERACTION_KEY);
  for (guint i = 0; i < 4; i++)
    {
      gint64 began_ns = jank_clock_now_ns ();

      n = hands_count_seen ();
      hands_type ();
      run_until_done (i + 1);
      run_ms (100);
      g_assert_cmpuint (check_times (n, began_ns), ==, 1);
      g_assert_cmpint (hands_read_seen (n).handled_ns, >=, committed_ns);
    }
  g_test_message ("%u of 4 keys have an answer", (guint) (count_answered (JANK_INTERACTION_KEY) - n_answered));
  g_assert_cmpuint (count_answered (JANK_INTERACTION_KEY), ==, n_answered);
}

TEST_WITH (Scene *, set_up, tear_down, self, input_method)
{
  check_method (FALSE);
}

#else

static void
send (GdkEventType type, GdkDeviceTool *tool)
{
  g_autoptr (GdkEvent) event = gdk_event_new (type);
  GdkSeat *seat = gdk_display_get_default_seat (gdk_display_get_default ());
  guint32 now_ms = (guint32) (jank_clock_now_ns () / JANK_NS_PER_MS);

  event->any.window = g_object_ref (gtk_widget_get_window (GTK_WIDGET (scene->window)));
  if (type == GDK_TOUCH_BEGIN || type == GDK_TOUCH_END)
    event->touch.time = now_ms;
  else
    event->button.time = now_ms;
  gdk_event_set_device (event, gdk_seat_get_pointer (seat));
  gdk_event_set_device_tool (event, tool);
  gtk_widget_event (GTK_WIDGET (scene->window), event);
}

TEST_WITH (Scene *, set_up, tear_down, self, pen)
{
  guint64 n = hands_count_seen ();

  pen = g_object_new (GDK_TYPE_DEVICE_TOOL, NULL);
  send (GDK_BUTTON_PRESS, pen);
  g_assert_cmpuint (hands_count_seen (), ==, n);
  g_clear_object (&pen);
  g_usleep (5000);
  send (GDK_BUTTON_PRESS, NULL);
  g_assert_cmpuint (hands_count_seen (), ==, n + 1);
}

TEST_WITH (Scene *, set_up, tear_down, self, finger)
{
  guint64 n = hands_count_seen ();

  send (GDK_TOUCH_BEGIN, NULL);
  g_assert_cmpuint (hands_count_seen (), ==, n + 1);
  g_assert_cmpuint (hands_read_seen (n).kind, ==, JANK_INTERACTION_TOUCH);
  g_assert_cmpuint (check_times (n, jank_clock_now_ns ()), ==, 1);
}

#endif

#if GTK_MAJOR_VERSION < 4

/* As IBus for GTK 3: it takes keys before any widget gets them, and gives back what it does not want. */
typedef GtkIMContext SnoopingMethod;
typedef GtkIMContextClass SnoopingMethodClass;

GType snooping_method_get_type (void);

G_DEFINE_TYPE (SnoopingMethod, snooping_method, GTK_TYPE_IM_CONTEXT)

#define GIVEN_BACK (1 << 25)

static GdkEvent *eaten;

static void
snooping_method_class_init (SnoopingMethodClass *klass)
{
}

static void
snooping_method_init (SnoopingMethod *self)
{
}

static int
eat_cb (GtkWidget *widget, GdkEventKey *event, gpointer data)
{
  if (event->state & GIVEN_BACK)
    return FALSE;
  if (event->type == GDK_KEY_PRESS && eaten == NULL)
    eaten = gdk_event_copy ((GdkEvent *) event);
  return TRUE;
}

/* Seen when it comes, and handled when it comes again. */
static void
check_snooped (void)
{
  guint64 n = hands_count_seen ();
  gint64 began_ns = jank_clock_now_ns (), given_back_ns;

  n_done = 0;
  hands_type ();
  AWAIT (hands_count_seen () > n, run_ms (10));
  g_assert_cmpuint (hands_count_seen (), ==, n + 1);
  g_assert_nonnull (eaten);
  g_assert_cmpuint (n_done, ==, 0);
  run_ms (50);
  given_back_ns = jank_clock_now_ns ();
  eaten->key.state |= GIVEN_BACK;
  gdk_event_put (eaten);
  g_clear_pointer (&eaten, gdk_event_free);
  run_until_done (1);
  g_assert_cmpuint (check_times (n, began_ns), ==, 1);
  g_assert_cmpint (hands_read_seen (n).handled_ns, >=, given_back_ns);
}

TEST_WITH (Scene *, set_up, tear_down, self, snooped)
{
  GtkWidget *entry = gtk_entry_new ();
  guint64 n_answered = count_answered (JANK_INTERACTION_KEY);
  guint snooper;

  g_type_ensure (snooping_method_get_type ());
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  snooper = gtk_key_snooper_install (eat_cb, NULL);
  g_object_set (entry, "im-module", "gtk-im-context-simple", NULL);
  g_signal_connect (entry, "changed", count_cb, NULL);
  scene_set_child (scene, entry);
  gtk_widget_grab_focus (entry);
  run_ms (300);
  for (guint i = 0; i < 4; i++)
    check_snooped ();
  AWAIT (count_answered (JANK_INTERACTION_KEY) > n_answered, run_ms (10));
  gtk_key_snooper_remove (snooper);
  G_GNUC_END_IGNORE_DEPRECATIONS
}

#endif

#if GTK_MAJOR_VERSION >= 4

/* Over the middle of a widget, in the window or in a popover. */
static void
point_at (GtkWidget *widget)
{
  GtkNative *native = gtk_widget_get_native (widget);
  GdkSurface *surface = gtk_native_get_surface (native);
  double x, y, native_x, native_y;

  AWAIT (gtk_widget_get_width (widget) > 0, run_ms (10));
  gtk_native_get_surface_transform (native, &native_x, &native_y);
  gtk_widget_translate_coordinates (widget, GTK_WIDGET (native), gtk_widget_get_width (widget) / 2.0,
                                    gtk_widget_get_height (widget) / 2.0, &x, &y);
  if (GDK_IS_POPUP (surface))
    {
      x += gdk_popup_get_position_x (GDK_POPUP (surface));
      y += gdk_popup_get_position_y (GDK_POPUP (surface));
    }
  hands_move ((int) (x + native_x), (int) (y + native_y));
  run_ms (100);
}

TEST_WITH (Scene *, set_up, tear_down, self, popover)
{
  GtkWidget *opener = gtk_button_new_with_label ("Open"), *popover = gtk_popover_new ();
  GtkWidget *button = gtk_button_new_with_label ("Save");
  JankInteraction newest;
  gint64 began_ns = jank_clock_now_ns ();
  guint64 n = hands_count_seen ();

  g_object_set (opener, "halign", GTK_ALIGN_START, "valign", GTK_ALIGN_START, NULL);
  g_signal_connect (button, "clicked", count_cb, NULL);
  gtk_popover_set_child (GTK_POPOVER (popover), button);
  gtk_widget_set_parent (popover, opener);
  g_signal_connect_swapped (opener, "clicked", G_CALLBACK (gtk_popover_popup), popover);
  scene_set_child (scene, opener);
  run_ms (200);
  point_at (opener);
  hands_click ();
  AWAIT (gtk_widget_get_mapped (popover), run_ms (10));
  run_ms (300);
  point_at (button);
  hands_click ();
  run_until_done (1);
  run_ms (300);
  g_assert_cmpuint (check_times (n, began_ns), ==, 4);
  newest = hands_read_seen (hands_count_seen () - 1);
  g_assert_cmpuint (newest.kind, ==, JANK_INTERACTION_RELEASE);
  g_assert_cmpstr (newest.label, ==, "Save");
  /* 0: where the machine kept the frame, nobody knows. */
  g_assert_true (newest.answered_ns == 0 || newest.answered_ns >= newest.done_ns);
  gtk_popover_popdown (GTK_POPOVER (popover));
  run_ms (300);
  gtk_widget_unparent (popover);
}

#endif

SCENE_TESTS ("/gtk/unusual-input")
