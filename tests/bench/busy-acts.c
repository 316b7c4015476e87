/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "busy-acts.h"

#include <math.h>

#include "base/jank-clock-private.h"
#include "random-work.h"

#define N_ROWS    20000
#define N_WORKERS 2
#define N_TURNS   8   /* of a loop inside a callback */
#define MAX_MODAL 2

static const char introspection[] =
  "<node><interface name='org.example.Busy'><method name='Work'><arg type='u' direction='in'/></method></interface></node>";

static gint64
draw_length_ns (GRand *random, gint64 longest_ns)
{
  return (gint64) (BUSY_MIN_BURST_NS * pow ((double) longest_ns / BUSY_MIN_BURST_NS, g_rand_double (random)));
}

/* Computes, or waits in one of several ways; never past the room that this turn has left. */
static void
take_time (guint which, gint64 length_ns)
{
  guint n_works;
  const Work *works = work_get_all (&n_works);

  length_ns = MIN (length_ns, busy_get_room_ns ());
  if (length_ns >= BUSY_MIN_BURST_NS)
    works[which % n_works].run (length_ns);
}

static void
burst (BusyStage *stage, GRand *random)
{
  gint64 length_ns = draw_length_ns (random, BUSY_MAX_BURST_NS);

  take_time (g_rand_int (random), length_ns);
}

static void
type (BusyStage *stage, GRand *random)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (stage->text));
  guint key = (guint) g_rand_int_range (random, 0, 60);
  GtkTextIter start, end;

  gtk_text_buffer_insert_at_cursor (buffer, key == 0 ? "\n" : key < 10 ? " " : "a", 1);
  if (gtk_text_buffer_get_char_count (buffer) > 4000)
    {
      gtk_text_buffer_get_bounds (buffer, &start, &end);
      gtk_text_buffer_delete (buffer, &start, &end);
    }
  gtk_text_view_scroll_mark_onscreen (GTK_TEXT_VIEW (stage->text), gtk_text_buffer_get_insert (buffer));
}

static gboolean
scroll_cb (GtkWidget *list, GdkFrameClock *clock, gpointer data)
{
  BusyStage *stage = data;
  GtkAdjustment *adjustment = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (list));

  gtk_adjustment_set_value (adjustment, gtk_adjustment_get_value (adjustment) + stage->scroll_step);
  if (jank_clock_now_ns () < stage->scroll_end_ns)
    return G_SOURCE_CONTINUE;
  stage->scroll_end_ns = 0;
  return G_SOURCE_REMOVE;
}

static void
scroll (BusyStage *stage, GRand *random)
{
  double step = g_rand_double_range (random, -120, 120);
  gint64 length_ns = g_rand_int_range (random, 200, 1500) * JANK_NS_PER_MS;

  if (stage->scroll_end_ns == 0)
    gtk_widget_add_tick_callback (stage->list, scroll_cb, stage, NULL);
  stage->scroll_step = step;
  stage->scroll_end_ns = jank_clock_now_ns () + length_ns;
}

static void
jump (BusyStage *stage, GRand *random)
{
  GtkAdjustment *adjustment = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (stage->list));

  gtk_adjustment_set_value (adjustment, g_rand_double (random) * gtk_adjustment_get_upper (adjustment));
}

static gboolean
resize_cb (GtkWidget *paned, GdkFrameClock *clock, gpointer data)
{
  BusyStage *stage = data;
  double left_s = (double) (stage->resize_end_ns - jank_clock_now_ns ()) / JANK_NS_PER_S;

  gtk_paned_set_position (GTK_PANED (paned), (int) (200 + 80 * sin (6 * left_s)));
  if (left_s > 0)
    return G_SOURCE_CONTINUE;
  stage->resize_end_ns = 0;
  return G_SOURCE_REMOVE;
}

static void
resize (BusyStage *stage, GRand *random)
{
  gint64 length_ns = g_rand_int_range (random, 200, 1000) * JANK_NS_PER_MS;

  if (stage->resize_end_ns == 0)
    gtk_widget_add_tick_callback (stage->paned, resize_cb, stage, NULL);
  stage->resize_end_ns = jank_clock_now_ns () + length_ns;
}

static void
open_popover (BusyStage *stage, GRand *random)
{
  if (gtk_widget_get_visible (stage->popover))
    gtk_menu_button_popdown (GTK_MENU_BUTTON (stage->button));
  else
    gtk_menu_button_popup (GTK_MENU_BUTTON (stage->button));
}

static void
open_window (BusyStage *stage, GRand *random)
{
  GtkWidget *box;

  if (stage->other != NULL)
    {
      gtk_window_destroy (GTK_WINDOW (g_steal_pointer (&stage->other)));
      return;
    }
  box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  for (guint i = 0; i < 8; i++)
    gtk_box_append (GTK_BOX (box), i % 2 == 0 ? gtk_label_new ("A setting") : gtk_entry_new ());
  stage->other = gtk_window_new ();
  gtk_window_set_transient_for (GTK_WINDOW (stage->other), GTK_WINDOW (stage->window));
  gtk_window_set_child (GTK_WINDOW (stage->other), box);
  gtk_window_present (GTK_WINDOW (stage->other));
}

static void
switch_page (BusyStage *stage, GRand *random)
{
  g_autofree char *name = g_strdup_printf ("%d", g_rand_int_range (random, 0, (gint32) stage->n_pages));

  gtk_stack_set_visible_child_name (GTK_STACK (stage->stack), name);
}

static void
read_cb (GObject *file, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *content = NULL;

  if (!g_file_load_contents_finish (G_FILE (file), result, &content, NULL, NULL, &error))
    g_error ("%s", error->message);
  take_time (GPOINTER_TO_UINT (data), 10 * JANK_NS_PER_MS);
}

static void
read_file (BusyStage *stage, GRand *random)
{
  g_autoptr (GFile) file = g_file_new_for_path ("/proc/self/exe");

  g_file_load_contents_async (file, NULL, read_cb, GUINT_TO_POINTER (g_rand_int (random)));
}

static void
call (BusyStage *stage, GRand *random)
{
  GVariant *which = g_variant_new ("(u)", g_rand_int (random));

  g_dbus_connection_call (stage->client, NULL, "/busy", "org.example.Busy", "Work", which, NULL, G_DBUS_CALL_FLAGS_NONE, -1,
                          NULL, NULL, NULL);
}

static void
method_cb (GDBusConnection *connection, const char *sender, const char *path, const char *interface, const char *method,
           GVariant *parameters, GDBusMethodInvocation *invocation, gpointer data)
{
  guint which;

  g_variant_get (parameters, "(u)", &which);
  take_time (which, (1 + which % 20) * JANK_NS_PER_MS);
  g_dbus_method_invocation_return_value (invocation, NULL);
}

static void
wait_cb (GObject *process, GAsyncResult *result, gpointer data)
{
  g_subprocess_wait_finish (G_SUBPROCESS (process), result, NULL);
}

static void
start_process (BusyStage *stage, GRand *random)
{
  g_autoptr (GSubprocess) process = g_subprocess_new (G_SUBPROCESS_FLAGS_NONE, NULL, "true", NULL);

  g_subprocess_wait_async (process, NULL, wait_cb, NULL);
}

/* As programs do that want to stay alive in the middle of their work. */
static void
iterate (BusyStage *stage, GRand *random)
{
  for (guint i = 0; i < N_TURNS; i++)
    {
      take_time (g_rand_int (random), 15 * JANK_NS_PER_MS);
      g_main_context_iteration (NULL, FALSE);
    }
}

static void
quit_cb (gpointer loop)
{
  g_main_loop_quit (loop);
}

/* A dialog whose caller waits for it: its callback lasts, the loop turns. */
static void
run_modal (BusyStage *stage, GRand *random)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  guint length_ms = (guint) g_rand_int_range (random, 150, 1200);
  GtkWidget *dialog;

  if (stage->n_modal == MAX_MODAL)
    return;
  stage->n_modal++;
  dialog = gtk_window_new ();
  gtk_window_set_modal (GTK_WINDOW (dialog), TRUE);
  gtk_window_set_transient_for (GTK_WINDOW (dialog), GTK_WINDOW (stage->window));
  gtk_window_set_child (GTK_WINDOW (dialog), gtk_label_new ("Save the changes?"));
  gtk_window_present (GTK_WINDOW (dialog));
  g_timeout_add_once (length_ms, quit_cb, loop);
  g_main_loop_run (loop);
  gtk_window_destroy (GTK_WINDOW (dialog));
  stage->n_modal--;
}

static const BusyAct acts[] = {
  { "burst, high", 300, 1200, G_PRIORITY_HIGH, burst },
  { "burst", 100, 500, G_PRIORITY_DEFAULT, burst },
  { "burst, high idle", 200, 800, G_PRIORITY_HIGH_IDLE, burst },
  { "burst, idle", 150, 600, G_PRIORITY_DEFAULT_IDLE, burst },
  { "burst, low", 300, 1500, G_PRIORITY_LOW, burst },
  { "type", 30, 160, G_PRIORITY_DEFAULT, type },
  { "scroll", 800, 4000, G_PRIORITY_DEFAULT, scroll },
  { "jump", 500, 3000, G_PRIORITY_DEFAULT, jump },
  { "resize", 1000, 5000, G_PRIORITY_DEFAULT, resize },
  { "popover", 300, 1500, G_PRIORITY_DEFAULT, open_popover },
  { "window", 700, 3000, G_PRIORITY_DEFAULT, open_window },
  { "page", 400, 2000, G_PRIORITY_DEFAULT, switch_page },
  { "file", 100, 1000, G_PRIORITY_DEFAULT, read_file },
  { "call", 50, 600, G_PRIORITY_DEFAULT, call },
  { "process", 1000, 5000, G_PRIORITY_DEFAULT_IDLE, start_process },
  { "iterate", 500, 3000, G_PRIORITY_DEFAULT, iterate },
  { "modal", 1500, 6000, G_PRIORITY_DEFAULT, run_modal },
};

const BusyAct *
busy_get_acts (guint *ret_n_acts)
{
  *ret_n_acts = G_N_ELEMENTS (acts);
  return acts;
}

static void
worked_cb (gpointer data)
{
  take_time (GPOINTER_TO_UINT (data), 5 * JANK_NS_PER_MS);
}

/* A thread that computes now and then, and hands over what it found. */
static gpointer
work (gpointer data)
{
  GRand *random = data;
  guint n_works;
  const Work *works = work_get_all (&n_works);

  for (;;)
    {
      gint64 length_ns = draw_length_ns (random, BUSY_MAX_BURST_NS);

      works[0].run (length_ns);
      g_idle_add_once (worked_cb, GUINT_TO_POINTER (g_rand_int (random)));
      g_usleep ((gulong) g_rand_int_range (random, 100, 800) * 1000);
    }
  return NULL;
}

static void
setup_row_cb (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  gtk_list_item_set_child (item, gtk_label_new (""));
}

static void
bind_row_cb (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  GtkStringObject *text = gtk_list_item_get_item (item);

  gtk_label_set_text (GTK_LABEL (gtk_list_item_get_child (item)), gtk_string_object_get_string (text));
}

static GtkWidget *
build_list (void)
{
  GtkStringList *rows = gtk_string_list_new (NULL);
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();

  for (guint i = 0; i < N_ROWS; i++)
    gtk_string_list_take (rows, g_strdup_printf ("Row %u of the list", i));
  g_signal_connect (factory, "setup", G_CALLBACK (setup_row_cb), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (bind_row_cb), NULL);
  return gtk_list_view_new (GTK_SELECTION_MODEL (gtk_single_selection_new (G_LIST_MODEL (rows))), factory);
}

static GtkWidget *
in_scroller (GtkWidget *child)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();

  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), child);
  return scroller;
}

static void
build_stack (BusyStage *self)
{
  self->stack = gtk_stack_new ();
  gtk_stack_set_transition_type (GTK_STACK (self->stack), GTK_STACK_TRANSITION_TYPE_SLIDE_LEFT_RIGHT);
  self->list = build_list ();
  gtk_stack_add_named (GTK_STACK (self->stack), in_scroller (self->list), "0");
  self->text = gtk_text_view_new ();
  gtk_stack_add_named (GTK_STACK (self->stack), in_scroller (self->text), "1");
  gtk_stack_add_named (GTK_STACK (self->stack), gtk_calendar_new (), "2");
  self->n_pages = 3;
}

static GtkWidget *
build_side (BusyStage *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);

  self->popover = gtk_popover_new ();
  gtk_popover_set_child (GTK_POPOVER (self->popover), gtk_label_new ("This and that"));
  self->button = gtk_menu_button_new ();
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (self->button), self->popover);
  gtk_box_append (GTK_BOX (box), self->button);
  gtk_box_append (GTK_BOX (box), gtk_label_new ("What was chosen"));
  return box;
}

static void
connect_to_self (BusyStage *self)
{
  g_autoptr (GDBusNodeInfo) node = g_dbus_node_info_new_for_xml (introspection, NULL);
  static const GDBusInterfaceVTable table = { .method_call = method_cb };
  g_autoptr (GError) error = NULL;

  if (!work_connect_pair (&self->server, &self->client, &error) ||
      g_dbus_connection_register_object (self->server, "/busy", node->interfaces[0], &table, self, NULL, &error) == 0)
    g_error ("%s", error->message);
}

void
busy_stage_build (BusyStage *self, GtkApplication *application, guint32 seed)
{
  connect_to_self (self);
  build_stack (self);
  self->window = gtk_application_window_new (application);
  self->paned = gtk_paned_new (GTK_ORIENTATION_HORIZONTAL);
  gtk_paned_set_start_child (GTK_PANED (self->paned), self->stack);
  gtk_paned_set_end_child (GTK_PANED (self->paned), build_side (self));
  gtk_window_set_child (GTK_WINDOW (self->window), self->paned);
  gtk_window_set_default_size (GTK_WINDOW (self->window), 480, 320);
  gtk_window_present (GTK_WINDOW (self->window));
  for (guint i = 0; i < N_WORKERS; i++)
    g_thread_unref (g_thread_new ("worker", work, g_rand_new_with_seed (seed + i)));
}

void
busy_stage_free (BusyStage *self)
{
  g_clear_object (&self->server);
  g_clear_object (&self->client);
}
