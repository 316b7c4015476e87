/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A GTK 4 program without symbols that stalls in callbacks of many kinds, one after the other. Prints a JSON object:
 * where each of its functions begins in the file, and how a report must describe it; null: not at all. */

#include <gtk/gtk.h>
#include <stdio.h>
#include <sys/socket.h>

#define STALL_US 500000
#define PAUSE_MS 60

typedef GtkApplicationWindow Window;
typedef GtkApplicationWindowClass WindowClass;

static GType window_get_type (void);
G_DEFINE_TYPE (Window, window, GTK_TYPE_APPLICATION_WINDOW)

extern char __executable_start[];

static GtkWidget *window, *button, *box, *entry;
static GDBusConnection *server, *client;
static GFileMonitor *monitor;
static guint step;

/* The last thing that a function does is not a call, which would take its place on the stack. */
#define STALL() do { g_usleep (STALL_US); __asm__ volatile ("" ::: "memory"); } while (0)

static void clicked_cb (GtkButton *self, gpointer data) { STALL (); }
static void mapped_cb (GtkWidget *self, gpointer data) { STALL (); }
static void save_cb (GSimpleAction *action, GVariant *parameter, gpointer data) { STALL (); }
static void window_print (GtkWidget *self, const char *name, GVariant *parameter) { STALL (); }

static gboolean
tick_cb (GtkWidget *self, GdkFrameClock *clock, gpointer data)
{
  STALL ();
  return G_SOURCE_REMOVE;
}

static gboolean
timeout_cb (gpointer data)
{
  STALL ();
  return G_SOURCE_REMOVE;
}

static void loaded_cb (GObject *source, GAsyncResult *result, gpointer data) { STALL (); }

/* Called by GObject's handler of a signal, but no handler itself. */
static gboolean
transform_cb (GBinding *binding, const GValue *from, GValue *to, gpointer data)
{
  STALL ();
  g_value_set_boolean (to, g_value_get_boolean (from));
  return TRUE;
}

static gboolean
hook_cb (GSignalInvocationHint *hint, guint n_params, const GValue *params, gpointer data)
{
  STALL ();
  return FALSE;
}

/* For two signals: what they have in common is nothing. */
static void both_cb (GtkWidget *self) { STALL (); }
static void called_within (void) { STALL (); }

static void
outer_cb (GtkWidget *self)
{
  called_within ();
  __asm__ volatile ("" ::: "memory");
}

static void notify_cb (GObject *object, GParamSpec *pspec, gpointer data) { STALL (); }

static void
activate_entry_cb (GtkEntry *self)
{
  g_signal_emit_by_name (button, "unmap");
  __asm__ volatile ("" ::: "memory");
}

static void unmap_cb (GtkWidget *self) { STALL (); }

static void
method_cb (GDBusConnection *connection, const char *sender, const char *path, const char *interface, const char *method,
           GVariant *parameters, GDBusMethodInvocation *invocation, gpointer data)
{
  STALL ();
  g_dbus_method_invocation_return_value (invocation, NULL);
}

static void
bus_signal_cb (GDBusConnection *connection, const char *sender, const char *path, const char *interface,
               const char *signal, GVariant *parameters, gpointer data)
{
  STALL ();
}

static void
changed_cb (GFileMonitor *self, GFile *file, GFile *other, GFileMonitorEvent event, gpointer data)
{
  if (event == G_FILE_MONITOR_EVENT_CREATED)
    STALL ();
}

static gboolean
wrapped_cb (GtkWidget *self, GtkStateFlags flags, gpointer data)
{
  STALL ();
  return TRUE;
}

/* As GTK 3's of “draw”. */
static void
marshal_wrapped (GClosure *closure, GValue *result, guint n_values, const GValue *values, gpointer hint, gpointer data)
{
  g_cclosure_marshal_BOOLEAN__FLAGS (closure, result, n_values, values, hint, data);
  __asm__ volatile ("" ::: "memory");
}

static const struct
{
  const char *expected;
  gpointer    function;
} all[] = {
  { "\"handler of GtkButton::clicked on “Freeze now”\"", clicked_cb },
  { "\"handler of GtkWidget::map on #the_box\"", mapped_cb },
  { "\"handler of action win.save\"", save_cb },
  { "\"Window action window.print\"", window_print },
  { "\"tick callback of Window #the_window\"", tick_cb },
  { "\"callback of source [timeout]\"", timeout_cb },
  { "\"callback of GTask “load the ledger”\"", loaded_cb },
  { "null", transform_cb },
  { "null", hook_cb },
  { "null", both_cb },
  { "null", called_within },
  { "\"handler of GtkEntry::activate\"", outer_cb },
  { "\"handler of GObject::notify::tooltip-text on “Freeze now”\"", notify_cb },
  { "\"handler of GtkWidget::unmap on “Freeze now”\"", unmap_cb },
  { "\"D-Bus method org.example.Ledger.Load\"", method_cb },
  { "\"D-Bus signal org.example.Ledger.Loaded\"", bus_signal_cb },
  { "\"handler of GFileMonitor::changed on GInotifyFileMonitor\"", changed_cb },
  { "\"handler of Window::wrapped on #the_window\"", wrapped_cb },
};

static void
window_class_init (WindowClass *class)
{
  gtk_widget_class_install_action (GTK_WIDGET_CLASS (class), "window.print", NULL, window_print);
  g_signal_new ("wrapped", window_get_type (), G_SIGNAL_RUN_LAST, 0, NULL, NULL, marshal_wrapped, G_TYPE_BOOLEAN, 1,
                GTK_TYPE_STATE_FLAGS);
}

static void
window_init (Window *self)
{
  static const GActionEntry entries[] = { { .name = "save", .activate = save_cb } };

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), NULL);
}

/* As GtkBuilder names them. */
static GtkWidget *
set_id (GtkWidget *widget, const char *id)
{
  GtkBuildableIface *buildable = GTK_BUILDABLE_GET_IFACE (widget);

  buildable->set_id (GTK_BUILDABLE (widget), id);
  return widget;
}

static void
return_task (void)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, loaded_cb, NULL);

  g_task_set_name (task, "load the ledger");
  g_task_return_boolean (task, TRUE);
}

static void
bind_property (void)
{
  GtkWidget *other = g_object_ref_sink (gtk_button_new ());

  g_object_bind_property_full (button, "has-frame", other, "has-frame", G_BINDING_DEFAULT, transform_cb, NULL, NULL,
                               NULL);
  gtk_button_set_has_frame (GTK_BUTTON (button), FALSE);
}

static void
hook (void)
{
  g_signal_add_emission_hook (g_signal_lookup ("unrealize", GTK_TYPE_WIDGET), 0, hook_cb, NULL, NULL);
  g_signal_connect_swapped (box, "unrealize", G_CALLBACK (g_object_ref), box);
  g_signal_emit_by_name (box, "unrealize");
}

static void
connected_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  *(GDBusConnection **) data = g_dbus_connection_new_finish (result, NULL);
}

static void
connect_end (int fd, GDBusConnectionFlags flags, GDBusConnection **end)
{
  g_autoptr (GSocket) socket = g_socket_new_from_fd (fd, NULL);
  g_autoptr (GSocketConnection) stream = g_socket_connection_factory_create_connection (socket);
  g_autofree char *guid = (flags & G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_SERVER) != 0 ? g_dbus_generate_guid () : NULL;

  g_dbus_connection_new (G_IO_STREAM (stream), guid, flags, NULL, NULL, connected_cb, end);
}

/* Both ends are ours: there may be no bus. */
static void
connect_bus (void)
{
  static const GDBusInterfaceVTable methods = { .method_call = method_cb };
  g_autoptr (GDBusNodeInfo) node = g_dbus_node_info_new_for_xml (
    "<node><interface name='org.example.Ledger'><method name='Load'/></interface></node>", NULL);
  int fds[2];

  socketpair (AF_UNIX, SOCK_STREAM, 0, fds);
  connect_end (fds[0], G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_SERVER, &server);
  connect_end (fds[1], G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT, &client);
  while (server == NULL || client == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_dbus_connection_register_object (server, "/", node->interfaces[0], &methods, NULL, NULL, NULL);
  g_dbus_connection_signal_subscribe (client, NULL, "org.example.Ledger", "Loaded", "/", NULL, G_DBUS_SIGNAL_FLAGS_NONE,
                                      bus_signal_cb, NULL, NULL);
}

static void
watch_file (void)
{
  g_autofree char *path = g_build_filename (g_get_home_dir (), "ledger.txt", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);

  monitor = g_file_monitor_file (file, G_FILE_MONITOR_NONE, NULL, NULL);
  g_signal_connect (monitor, "changed", G_CALLBACK (changed_cb), NULL);
  g_file_set_contents (path, "", 0, NULL);
}

static gboolean
next_cb (gpointer data)
{
  gboolean handled;

  switch (step++)
    {
    case 0: g_signal_emit_by_name (button, "clicked"); break;
    case 1: g_signal_emit_by_name (box, "map"); break;
    case 2: gtk_widget_activate_action (button, "win.save", NULL); break;
    case 3: gtk_widget_activate_action (button, "window.print", NULL); break;
    case 4: gtk_widget_add_tick_callback (window, tick_cb, NULL, NULL); break;
    case 5: g_timeout_add (1, timeout_cb, NULL); break;
    case 6: return_task (); break;
    case 7: bind_property (); break;
    case 8: g_signal_emit_by_name (entry, "activate"); break;
    case 9: gtk_widget_set_tooltip_text (button, "x"); break;
    case 10: g_signal_emit_by_name (box, "move-focus", GTK_DIR_TAB_FORWARD); break;
    case 11: g_signal_emit_by_name (box, "hide"); break;
    case 12: hook (); break;
    case 13: g_dbus_connection_call (client, NULL, "/", "org.example.Ledger", "Load", NULL, NULL,
                                     G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL, NULL); break;
    case 14: g_dbus_connection_emit_signal (server, NULL, "/", "org.example.Ledger", "Loaded", NULL, NULL); break;
    case 15: watch_file (); break;
    case 16: g_signal_emit_by_name (window, "wrapped", 0, &handled); break;
    case 17: break;
    default: gtk_window_destroy (GTK_WINDOW (window)); return G_SOURCE_REMOVE;
    }
  return G_SOURCE_CONTINUE;
}

static void
connect_all (void)
{
  g_signal_connect (button, "clicked", G_CALLBACK (clicked_cb), NULL);
  g_signal_connect (button, "notify::tooltip-text", G_CALLBACK (notify_cb), NULL);
  g_signal_connect (button, "unmap", G_CALLBACK (unmap_cb), NULL);
  g_signal_connect (box, "map", G_CALLBACK (mapped_cb), NULL);
  g_signal_connect (box, "move-focus", G_CALLBACK (both_cb), NULL);
  g_signal_connect (box, "hide", G_CALLBACK (both_cb), NULL);
  g_signal_connect (entry, "activate", G_CALLBACK (outer_cb), NULL);
  g_signal_connect (entry, "activate", G_CALLBACK (activate_entry_cb), NULL);
}

static void
activate_cb (GtkApplication *application, gpointer data)
{
  window = set_id (g_object_new (window_get_type (), "application", application, NULL), "the_window");
  box = set_id (gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), "the_box");
  button = gtk_button_new_with_mnemonic ("_Freeze now");
  entry = gtk_entry_new ();
  gtk_box_append (GTK_BOX (box), button);
  gtk_box_append (GTK_BOX (box), entry);
  gtk_window_set_child (GTK_WINDOW (window), box);
  gtk_window_present (GTK_WINDOW (window));
  g_signal_connect (window, "wrapped", G_CALLBACK (wrapped_cb), NULL);
  connect_all ();
  connect_bus ();
  g_timeout_add (STALL_US / 1000 + PAUSE_MS, next_cb, NULL);
}

int
main (int argc, char **argv)
{
  g_autoptr (GtkApplication) application = gtk_application_new (NULL, G_APPLICATION_NON_UNIQUE);
  int status;

  g_signal_connect (application, "activate", G_CALLBACK (activate_cb), NULL);
  status = g_application_run (G_APPLICATION (application), argc, argv);
  printf ("{");
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    printf ("%s\"%" G_GUINT64_FORMAT "\": %s", i > 0 ? ", " : "",
            (guint64) ((char *) all[i].function - __executable_start), all[i].expected);
  printf ("}\n");
  return status;
}
