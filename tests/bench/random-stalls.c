/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A GTK program that stalls at random, by a seed, and knows the truth: random-stalls SEED N SHORTEST_MS LONGEST_MS.
 * Each stall has a length (log-uniform), a way in (timeout, idle, GObject signal, button, D-Bus, frame clock, a
 * dialog's loop inside a callback), a depth of calls, and one to six functions that share its time in slices, computing
 * or blocked. Between stalls it is idle or animates. Prints a JSON object per stall, per turn of the loop that lasted
 * as long as a stall, by whatever, and per report when jankwatch is in the process: then every report is asked for,
 * since files hold repeated stalls once.
 *
 * A turn lasts from where polling returned to where it begins again, as the context's poll function sees it, of which
 * jankwatch makes no use. The poll function is the program's to set, no library's; this program may. */

#include <gtk/gtk.h>

#include "base/jank-clock-private.h"
#include "random-work.h"
#include "watching.h"

#define MAX_PARTS  6
#define MAX_SLICES (MAX_PARTS * 3)
#define TURN_NS    (98 * JANK_NS_PER_MS)
#define DIALOG_MS  200 /* longer than the pause before the next stall may be: that may come inside, too */

static const char *const ways[] = { "timeout", "idle", "signal", "button", "d-bus", "frame", "dialog" };

typedef struct
{
  guint       way;
  guint       depth;
  gint64      length_ns;
  guint       n_slices;
  const Work *slices[MAX_SLICES];
  gint64      slice_ns[MAX_SLICES];
} Plan;

typedef struct
{
  GtkApplication  *application;
  GtkWidget       *button, *label;
  GObject         *object;     /* (owned): its "notify" is a way in */
  GDBusConnection *server;     /* (owned): end of the loop's thread */
  GDBusConnection *client;     /* (owned): of a thread of its own */
  GRand           *random;     /* (owned) */
  gint64           shortest_ns, longest_ns;
  guint            n_stalls, at, tick;
  Plan             plan;
  gint64           began_ns;
  gint64          *spent_ns;   /* (owned) (nullable): of a stall inside a frame, which ends when that is drawn */
} Program;

static const char introspection[] =
  "<node><interface name='org.example.Stalls'><method name='Stall'/></interface></node>";

static void schedule (Program *self);

static gint
poll_cb (GPollFD *fds, guint n_fds, gint timeout)
{
  static gint64 began_ns;
  gint64 ended_ns = jank_clock_now_ns ();
  gint result;

  if (began_ns != 0 && ended_ns - began_ns >= TURN_NS)
    g_print ("{\"turn\": true, \"began_ns\": %" G_GINT64_FORMAT ", \"ended_ns\": %" G_GINT64_FORMAT "}\n",
             began_ns, ended_ns);
  result = g_poll (fds, n_fds, timeout);
  began_ns = jank_clock_now_ns ();
  return result;
}

static void
draw_plan (Program *self)
{
  Plan *plan = &self->plan;
  guint n_parts = (guint) g_rand_int_range (self->random, 1, MAX_PARTS + 1);
  double weights[MAX_PARTS], total = 0;
  guint n_works;
  const Work *works = work_get_all (&n_works);
  const Work *parts[MAX_PARTS];

  plan->way = (guint) g_rand_int_range (self->random, 0, G_N_ELEMENTS (ways));
  plan->depth = (guint) g_rand_int_range (self->random, 5, 61);
  plan->length_ns = (gint64) (self->shortest_ns * pow ((double) self->longest_ns / self->shortest_ns,
                                                       g_rand_double (self->random)));
  for (guint i = 0; i < n_parts; i++)
    {
      parts[i] = &works[g_rand_int_range (self->random, 0, (gint32) n_works)];
      weights[i] = pow (g_rand_double (self->random), 3) + 0.01;
      total += weights[i];
    }

  plan->n_slices = 0;
  for (guint i = 0; i < n_parts; i++)
    for (guint n = (guint) g_rand_int_range (self->random, 1, 4), j = 0; j < n; j++)
      {
        guint at = (guint) g_rand_int_range (self->random, 0, (gint32) plan->n_slices + 1);

        memmove (&plan->slices[at + 1], &plan->slices[at], (plan->n_slices - at) * sizeof plan->slices[0]);
        memmove (&plan->slice_ns[at + 1], &plan->slice_ns[at], (plan->n_slices - at) * sizeof plan->slice_ns[0]);
        plan->slices[at] = parts[i];
        plan->slice_ns[at] = (gint64) (plan->length_ns * weights[i] / total / n);
        plan->n_slices++;
      }
}

static void
print_truth (Program *self, const gint64 *spent_ns, gint64 ended_ns)
{
  g_autoptr (GString) line = g_string_new (NULL);
  guint n_works;
  const Work *works = work_get_all (&n_works);
  const char *separator = "";

  g_string_printf (line, "{\"stall\": %u, \"way\": \"%s\", \"depth\": %u, \"began_ns\": %" G_GINT64_FORMAT
                   ", \"ended_ns\": %" G_GINT64_FORMAT ", \"functions\": [",
                   self->at, ways[self->plan.way], self->plan.depth, self->began_ns, ended_ns);
  for (guint i = 0; i < n_works; i++)
    if (spent_ns[i] > 0)
      {
        g_string_append_printf (line, "%s{\"name\": \"%s\", \"reason\": \"%s\", \"ns\": %" G_GINT64_FORMAT "}",
                                separator, works[i].name, works[i].reason, spent_ns[i]);
        separator = ", ";
      }
  g_print ("%s]}\n", line->str);
}

static void
run_slices (gpointer data)
{
  Program *self = data;
  guint n_works;
  const Work *works = work_get_all (&n_works);
  gint64 *spent_ns = self->spent_ns = g_new0 (gint64, n_works);

  for (guint i = 0; i < self->plan.n_slices; i++)
    {
      gint64 began_ns = jank_clock_now_ns ();

      self->plan.slices[i]->run (self->plan.slice_ns[i]);
      spent_ns[self->plan.slices[i] - works] += jank_clock_now_ns () - began_ns;
    }
}

/* What every way in ends in. */
static void
begin_stall (Program *self)
{
  self->began_ns = jank_clock_now_ns ();
  work_nest (self->plan.depth, run_slices, self);
}

static void
end_stall (Program *self)
{
  print_truth (self, self->spent_ns, jank_clock_now_ns ());
  g_clear_pointer (&self->spent_ns, g_free);
  self->at++;
  schedule (self);
}

static void
stall (Program *self)
{
  begin_stall (self);
  end_stall (self);
}

static gboolean
stall_cb (gpointer data)
{
  stall (data);
  return G_SOURCE_REMOVE;
}

/* A dialog whose caller waits for it: its callback lasts, the loop turns. */
static void
open_dialog (Program *self)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  GtkWidget *dialog = gtk_window_new ();

  gtk_window_set_modal (GTK_WINDOW (dialog), TRUE);
  gtk_window_set_transient_for (GTK_WINDOW (dialog), gtk_application_get_active_window (self->application));
  gtk_window_present (GTK_WINDOW (dialog));
  g_timeout_add (DIALOG_MS / 2, stall_cb, self);
  g_timeout_add_once (DIALOG_MS, (GSourceOnceFunc) g_main_loop_quit, loop);
  g_main_loop_run (loop);
  gtk_window_destroy (GTK_WINDOW (dialog));
}

static gboolean
tick_stall_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  begin_stall (data);
  return G_SOURCE_REMOVE;
}

static void
after_paint_cb (GdkFrameClock *clock, gpointer data)
{
  Program *self = data;

  if (self->spent_ns != NULL)
    end_stall (self);
}

static gboolean
tick_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, gdk_frame_clock_get_frame_counter (clock) % 1000);

  gtk_label_set_text (GTK_LABEL (widget), text);
  return G_SOURCE_CONTINUE;
}

static void
method_cb (GDBusConnection *connection, const char *sender, const char *path, const char *interface, const char *method,
           GVariant *parameters, GDBusMethodInvocation *invocation, gpointer data)
{
  stall (data);
  g_dbus_method_invocation_return_value (invocation, NULL);
}

static gboolean
begin_cb (gpointer data)
{
  Program *self = data;

  switch (self->plan.way)
    {
    case 0: stall (self); break;
    case 1: g_idle_add (stall_cb, self); break;
    case 2: g_object_notify (self->object, "label"); break;
    case 3: g_signal_emit_by_name (self->button, "clicked"); break;
    case 4:
      g_dbus_connection_call (self->client, NULL, "/stalls", "org.example.Stalls", "Stall", NULL, NULL,
                              G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL, NULL);
      break;
    case 5: gtk_widget_add_tick_callback (self->button, tick_stall_cb, self, NULL); break;
    case 6: open_dialog (self); break;
    default: g_assert_not_reached ();
    }
  return G_SOURCE_REMOVE;
}

/* The next stall, after a while of idleness or of animation. */
static void
schedule (Program *self)
{
  if (self->tick != 0)
    gtk_widget_remove_tick_callback (self->label, self->tick);
  self->tick = 0;
  if (self->at == self->n_stalls)
    {
      /* Reports of the last stall are still under way. */
      g_timeout_add_once (500, (GSourceOnceFunc) g_application_quit, self->application);
      return;
    }
  if (g_rand_boolean (self->random))
    self->tick = gtk_widget_add_tick_callback (self->label, tick_cb, NULL, NULL);
  draw_plan (self);
  g_timeout_add ((guint) g_rand_int_range (self->random, 60, 160), begin_cb, self);
}

/* Both ends of a private connection: no bus, and the call arrives as from any other process. */
static void
connect_to_self (Program *self)
{
  g_autoptr (GDBusNodeInfo) node = g_dbus_node_info_new_for_xml (introspection, NULL);
  static const GDBusInterfaceVTable table = { .method_call = method_cb };
  g_autoptr (GError) error = NULL;

  if (!work_connect_pair (&self->server, &self->client, &error) ||
      g_dbus_connection_register_object (self->server, "/stalls", node->interfaces[0], &table, self, NULL, &error) == 0)
    g_error ("%s", error->message);
}

static void
report_cb (GObject *monitor, gpointer report, gpointer data)
{
  char *(*to_json) (gpointer) = (char *(*) (gpointer)) data;
  g_autofree char *json = to_json (report);
  g_auto (GStrv) lines = g_strsplit (json, "\n", -1);
  g_autofree char *line = g_strjoinv ("", lines);

  g_print ("{\"at_ns\": %" G_GINT64_FORMAT ", \"report\": %s}\n", jank_clock_now_ns (), line);
}

/* Once the loop runs. What jankwatch says of the program, as it is told: none is kept back as a repetition. */
static void
print_reports (void)
{
  GObject *monitor = watching_get_monitor ();

  if (monitor != NULL)
    g_signal_connect (monitor, "stall", G_CALLBACK (report_cb), watching_find ("jank_report_to_json"));
  g_print ("{\"watched\": %s}\n", monitor != NULL ? "true" : "false");
}

static void
activate_cb (GtkApplication *application, gpointer data)
{
  Program *self = data;
  GtkWidget *window = gtk_application_window_new (application);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);

  self->button = gtk_button_new_with_label ("Stall");
  self->label = gtk_label_new ("0");
  self->object = G_OBJECT (gtk_button_new_with_label (""));
  g_object_ref_sink (self->object);
  g_signal_connect_swapped (self->button, "clicked", G_CALLBACK (stall), self);
  g_signal_connect_swapped (self->object, "notify::label", G_CALLBACK (stall), self);
  connect_to_self (self);
  gtk_box_append (GTK_BOX (box), self->button);
  gtk_box_append (GTK_BOX (box), self->label);
  gtk_window_set_child (GTK_WINDOW (window), box);
  gtk_window_present (GTK_WINDOW (window));
  g_signal_connect (gtk_widget_get_frame_clock (window), "after-paint", G_CALLBACK (after_paint_cb), self);
  print_reports ();
  g_timeout_add_once (1000, (GSourceOnceFunc) schedule, self);
}

int
main (int argc, char **argv)
{
  Program self = { 0 };

  g_assert_cmpint (argc, ==, 5);
  self.random = g_rand_new_with_seed ((guint32) g_ascii_strtoull (argv[1], NULL, 10));
  self.n_stalls = (guint) g_ascii_strtoull (argv[2], NULL, 10);
  self.shortest_ns = g_ascii_strtoll (argv[3], NULL, 10) * JANK_NS_PER_MS;
  self.longest_ns = g_ascii_strtoll (argv[4], NULL, 10) * JANK_NS_PER_MS;
  setvbuf (stdout, NULL, _IOLBF, 0);
  work_start ();
  g_main_context_set_poll_func (NULL, poll_cb);
  self.application = gtk_application_new (NULL, G_APPLICATION_NON_UNIQUE);
  g_signal_connect (self.application, "activate", G_CALLBACK (activate_cb), &self);
  g_application_run (G_APPLICATION (self.application), 0, NULL);
  g_clear_object (&self.server);
  g_clear_object (&self.client);
  g_clear_object (&self.object);
  g_clear_object (&self.application);
  g_rand_free (self.random);
  return 0;
}
