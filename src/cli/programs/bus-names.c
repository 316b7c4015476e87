/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "programs.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <gio/gio.h>
#include <glib/gi18n.h>

#include "base/jank-clock-private.h"
#include "proc/jank-task-private.h"

#define TIMEOUT_MS 1000
/* Of an answer, for a command that runs for long: services come and go. */
#define VALID_NS JANK_NS_PER_S
/* Between two readings of a clock, in two processes. */
#define SAME_BOOT_NS (2 * JANK_NS_PER_S)

#define DBUS "org.freedesktop.DBus"

typedef enum { SESSION, SYSTEM, N_BUSES } BusType;

typedef struct
{
  char            *address;    /* (owned) (nullable): there is none */
  char            *socket;     /* (owned) (nullable): its address, as whoever sees only the socket gives it */
  GDBusConnection *connection; /* (owned) (nullable) */
  gboolean         is_tried;
} Bus;

/* Who has a name. */
typedef struct
{
  char   *owner;   /* (owned) (nullable): nobody */
  pid_t   pid;     /* 0: unknown */
  char   *name;    /* (owned) (nullable): its name */
  gint64  began_real_us;
  gint64  asked_ns;
} Server;

struct _BusNames
{
  Bus         buses[N_BUSES];
  GHashTable *servers; /* (owned) (owned) "0 org.example.Name" → (owned) Server */
};

static void
server_free (gpointer data)
{
  Server *self = data;

  g_free (self->owner);
  g_free (self->name);
  g_free (self);
}

/* GLib starts a bus for a session that has none, and makes a folder where XDG_RUNTIME_DIR is not set; this does
 * neither. Returns: (transfer full) (nullable) */
static char *
find_address (BusType type)
{
  const char *address = g_getenv ("DBUS_SESSION_BUS_ADDRESS"), *folder = g_getenv ("XDG_RUNTIME_DIR");
  g_autofree char *socket = NULL;

  if (type == SYSTEM)
    return g_dbus_address_get_for_bus_sync (G_BUS_TYPE_SYSTEM, NULL, NULL);
  if (address != NULL)
    return g_strdup (address);
  if (folder == NULL || !g_path_is_absolute (folder))
    return NULL;
  socket = g_build_filename (folder, "bus", NULL);
  if (!g_file_test (socket, G_FILE_TEST_EXISTS))
    return NULL;
  return g_dbus_address_get_for_bus_sync (G_BUS_TYPE_SESSION, NULL, NULL);
}

/* Where a path leads to is what the socket is called. Returns: (transfer full) (nullable) */
static char *
find_socket (const char *address)
{
  static const char *const kinds[] = { "unix:path=", "unix:abstract=" };

  for (guint i = 0; address != NULL && i < G_N_ELEMENTS (kinds); i++)
    {
      const char *value = address + strlen (kinds[i]);
      g_autofree char *name = NULL, *escaped = NULL;
      char real[PATH_MAX];

      if (!g_str_has_prefix (address, kinds[i]))
        continue;
      name = g_uri_unescape_segment (value, value + strcspn (value, ",;"), NULL);
      if (name == NULL)
        return NULL;
      escaped = g_dbus_address_escape_value (realpath (name, real) != NULL ? real : name);
      return g_strconcat (kinds[i], escaped, NULL);
    }
  return NULL;
}

typedef struct
{
  GDBusConnection *connection; /* (owned) (nullable) */
  GError          *error;      /* (owned) (nullable) */
  gboolean         is_over;
} Attempt;

static void
connected_cb (GObject *object, GAsyncResult *result, gpointer data)
{
  Attempt *attempt = data;

  attempt->connection = g_dbus_connection_new_for_address_finish (result, &attempt->error);
  attempt->is_over = TRUE;
}

static gboolean
cancel_cb (gpointer data)
{
  g_cancellable_cancel (data);
  return G_SOURCE_REMOVE;
}

/* A bus that was stopped takes connections and never answers: only cancelling ends that.
 * Returns: (transfer full) (nullable) */
static GDBusConnection *
connect_to (const char *address, guint timeout_ms, GError **error)
{
  g_autoptr (GMainContext) context = g_main_context_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GSource) timeout = g_timeout_source_new (timeout_ms);
  Attempt attempt = { 0 };

  g_main_context_push_thread_default (context);
  g_source_set_callback (timeout, cancel_cb, cancellable, NULL);
  g_source_attach (timeout, context);
  g_dbus_connection_new_for_address (address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                              G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
                                     NULL, cancellable, connected_cb, &attempt);
  while (!attempt.is_over)
    g_main_context_iteration (context, TRUE);
  g_source_destroy (timeout);
  g_main_context_pop_thread_default (context);
  if (g_error_matches (attempt.error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_clear_error (&attempt.error);
      attempt.error = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_TIMED_OUT, _("the session bus does not answer"));
    }
  if (attempt.error != NULL)
    g_propagate_error (error, attempt.error);
  return attempt.connection;
}

GDBusConnection *
bus_names_connect (guint timeout_ms, GError **error)
{
  g_autofree char *address = find_address (SESSION);

  if (address != NULL)
    return connect_to (address, timeout_ms, error);
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, _("there is no session bus"));
  return NULL;
}

/* Returns: (transfer full) (nullable): of type */
static GVariant *
ask_bus (Bus *bus, const char *method, const char *name, const char *type)
{
  g_autoptr (GError) error = NULL;
  GVariant *answer;

  if (bus->connection == NULL)
    return NULL;
  answer = g_dbus_connection_call_sync (bus->connection, DBUS, "/org/freedesktop/DBus", DBUS, method,
                                        g_variant_new ("(s)", name), G_VARIANT_TYPE (type),
                                        G_DBUS_CALL_FLAGS_NO_AUTO_START, TIMEOUT_MS, NULL, &error);
  if (answer == NULL && !g_dbus_error_is_remote_error (error))
    g_clear_object (&bus->connection);
  return answer;
}

/* Fills name and began_real_us. FALSE: the process is gone */
static gboolean
read_process (pid_t pid, Server *server)
{
  gint64 booted_real_us = g_get_real_time () - jank_clock_read_ns (CLOCK_BOOTTIME) / 1000;
  JankTask task;

  if (!jank_task_read_first (pid, &task))
    return FALSE;
  server->name = g_strdup (task.name);
  server->began_real_us = booted_real_us + task.began_boot_ns / 1000;
  return TRUE;
}

static void
find_process (Bus *bus, Server *server)
{
  g_autoptr (GVariant) answer = ask_bus (bus, "GetConnectionCredentials", server->owner, "(a{sv})");
  g_autoptr (GVariant) credentials = answer != NULL ? g_variant_get_child_value (answer, 0) : NULL;
  guint32 pid;

  if (credentials == NULL || !g_variant_lookup (credentials, "ProcessID", "u", &pid) || pid > G_MAXINT32 ||
      !read_process ((pid_t) pid, server))
    return;
  server->pid = (pid_t) pid;
}

static const Server *
find_server (BusNames *self, BusType type, const char *name)
{
  Bus *bus = &self->buses[type];
  g_autofree char *key = g_strdup_printf ("%d %s", (int) type, name);
  g_autoptr (GVariant) answer = NULL;
  Server *server = g_hash_table_lookup (self->servers, key);

  if (server != NULL && jank_clock_now_ns () - server->asked_ns < VALID_NS)
    return server;
  if (!bus->is_tried)
    bus->connection = connect_to (bus->address, TIMEOUT_MS, NULL);
  bus->is_tried = TRUE;
  server = g_new0 (Server, 1);
  server->asked_ns = jank_clock_now_ns ();
  g_hash_table_insert (self->servers, g_steal_pointer (&key), server);
  answer = ask_bus (bus, "GetNameOwner", name, "(s)");
  if (answer == NULL)
    return server;
  g_variant_get (answer, "(s)", &server->owner);
  find_process (bus, server);
  return server;
}

static void
fill_wait (BusNames *self, JankReport *report, JankReportWait *wait)
{
  if (wait == NULL || wait->dbus.bus == NULL || wait->dbus.name == NULL || !g_dbus_is_name (wait->dbus.name))
    return;
  for (guint i = 0; i < N_BUSES; i++)
    {
      const Server *server;

      if (wait->peer_pid != 0 || (g_strcmp0 (wait->dbus.bus, self->buses[i].address) != 0 &&
                                  g_strcmp0 (wait->dbus.bus, self->buses[i].socket) != 0))
        continue;
      server = find_server (self, (BusType) i, wait->dbus.name);
      if (server->pid == 0 || server->began_real_us > report->stall.began_real_us ||
          (wait->dbus.owner != NULL && g_strcmp0 (wait->dbus.owner, server->owner) != 0))
        continue;
      wait->peer_pid = server->pid;
      wait->peer = g_strdup (server->name);
    }
}

static gboolean
is_of_this_boot (JankReport *report)
{
  /* In microseconds: a report may say any year, which in nanoseconds would be more than a number holds. */
  gint64 then_us = report->stall.began_real_us - report->stall.began_monotonic_ns / JANK_NS_PER_US;
  gint64 now_us = g_get_real_time () - jank_clock_now_ns () / JANK_NS_PER_US;

  return ABS (now_us - then_us) < SAME_BOOT_NS / JANK_NS_PER_US;
}

void
bus_names_fill (BusNames *self, JankReport *report)
{
  if (!is_of_this_boot (report))
    return;
  for (guint i = 0; i < report->samples->len; i++)
    fill_wait (self, report, ((JankReportSample *) g_ptr_array_index (report->samples, i))->wait);
  for (guint i = 0; report->verdict != NULL && i < report->verdict->waits->len; i++)
    fill_wait (self, report, ((JankReportVerdictWait *) g_ptr_array_index (report->verdict->waits, i))->wait);
  for (guint i = 0; i < report->threads->len; i++)
    fill_wait (self, report, ((JankReportThread *) g_ptr_array_index (report->threads, i))->wait);
}

BusNames *
bus_names_new (void)
{
  BusNames *self = g_new0 (BusNames, 1);

  for (guint i = 0; i < N_BUSES; i++)
    {
      self->buses[i].address = find_address ((BusType) i);
      self->buses[i].socket = find_socket (self->buses[i].address);
    }
  self->servers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, server_free);
  return self;
}

void
bus_names_free (BusNames *self)
{
  for (guint i = 0; i < N_BUSES; i++)
    {
      g_clear_object (&self->buses[i].connection);
      g_free (self->buses[i].address);
      g_free (self->buses[i].socket);
    }
  g_hash_table_unref (self->servers);
  g_free (self);
}
