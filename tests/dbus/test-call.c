/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Synchronous calls to a slow service on a bus of their own, each to another method than the one before: what is
 * said of the call has to be right each time. */

#include <dlfcn.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/jank-clock-private.h"
#include "dbus/jank-dbus-call-private.h"
#include "dbus-caller.h"
#include "look.h"
#include "processor.h"
#include "sanitizer.h"
#include "test.h"

#define N_ROUNDS 20
#define SERVICE "org.jankwatch.Slow"

static const char slow_xml[] =
  "<node><interface name='org.jankwatch.Slow'><method name='Wait'/><method name='Sleep'/><method name='Linger'/>"
  "</interface><interface name='org.jankwatch.Slower.Still'><method name='Wait'/><method name='Idle'/>"
  "<method name='Noise'/></interface></node>";

static const struct { const char *path, *interface, *method; } targets[] = {
  { "/org/jankwatch/Slow", "org.jankwatch.Slow", "Wait" },
  { "/org/jankwatch/Slow", "org.jankwatch.Slower.Still", "Wait" },
  { "/org/jankwatch/Slow", "org.jankwatch.Slow", "Sleep" },
  { "/a", "org.jankwatch.Slow", "Linger" },
  { "/a", "org.jankwatch.Slower.Still", "Idle" },
};

/* The service, and who calls it. */
typedef struct
{
  GTestDBus       *bus;
  GMainContext    *context;
  GMainLoop       *loop;
  GThread         *thread;
  GDBusConnection *service, *client;
  GAsyncQueue     *invocations;
  GAsyncQueue     *questions; /* for properties, as messages */
} Fixture;

static void
method_call_cb (GDBusConnection *connection, const char *sender, const char *path, const char *interface,
                const char *method, GVariant *parameters, GDBusMethodInvocation *invocation, gpointer data)
{
  /* Those of the noise are answered at once. */
  if (strcmp (method, "Noise") == 0)
    g_dbus_method_invocation_return_value (invocation, NULL);
  else
    g_async_queue_push (data, invocation);
}

/* Keeps what is asked of the properties until the test answers. Runs on GDBus' thread. */
static GDBusMessage *
keep_question_cb (GDBusConnection *connection, GDBusMessage *message, gboolean incoming, gpointer data)
{
  if (!incoming || g_strcmp0 (g_dbus_message_get_interface (message), "org.freedesktop.DBus.Properties") != 0)
    return message;
  g_async_queue_push (data, message);
  return NULL;
}

static gpointer
service_thread (gpointer data)
{
  Fixture *fixture = data;

  g_main_context_push_thread_default (fixture->context);
  g_main_loop_run (fixture->loop);
  g_main_context_pop_thread_default (fixture->context);
  return NULL;
}

static GDBusConnection *
connect_to_bus (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  GDBusConnection *connection =
    g_dbus_connection_new_for_address_sync (g_test_dbus_get_bus_address (fixture->bus),
                                            G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                            G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, NULL, NULL, &error);

  g_assert_no_error (error);
  return connection;
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  static const GDBusInterfaceVTable vtable = { .method_call = method_call_cb };
  g_autoptr (GDBusNodeInfo) node = g_dbus_node_info_new_for_xml (slow_xml, NULL);
  g_autoptr (GVariant) answer = NULL;
  static const char *const paths[] = { "/org/jankwatch/Slow", "/a" };

  fixture->bus = g_test_dbus_new (G_TEST_DBUS_NONE);
  g_test_dbus_up (fixture->bus);
  fixture->invocations = g_async_queue_new ();
  fixture->questions = g_async_queue_new ();
  fixture->context = g_main_context_new ();
  fixture->loop = g_main_loop_new (fixture->context, FALSE);
  g_main_context_push_thread_default (fixture->context);
  fixture->service = connect_to_bus (fixture);
  g_dbus_connection_add_filter (fixture->service, keep_question_cb, fixture->questions, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    for (guint k = 0; node->interfaces[k] != NULL; k++)
      g_dbus_connection_register_object (fixture->service, paths[i], node->interfaces[k], &vtable,
                                         fixture->invocations, NULL, NULL);
  answer = g_dbus_connection_call_sync (fixture->service, "org.freedesktop.DBus", "/org/freedesktop/DBus",
                                        "org.freedesktop.DBus", "RequestName", g_variant_new ("(su)", SERVICE, 0),
                                        NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL);
  g_assert_nonnull (answer);
  g_main_context_pop_thread_default (fixture->context);
  fixture->client = connect_to_bus (fixture);
  fixture->thread = g_thread_new ("service", service_thread, fixture);
}

static gboolean
quit_cb (gpointer loop)
{
  g_main_loop_quit (loop);
  return G_SOURCE_REMOVE;
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  GSource *quit = g_idle_source_new ();

  /* Not before it runs. */
  g_source_set_callback (quit, quit_cb, fixture->loop, NULL);
  g_source_attach (quit, fixture->context);
  g_source_unref (quit);
  g_thread_join (fixture->thread);
  g_dbus_connection_close_sync (fixture->client, NULL, NULL);
  g_dbus_connection_close_sync (fixture->service, NULL, NULL);
  g_object_unref (fixture->client);
  g_object_unref (fixture->service);
  g_main_loop_unref (fixture->loop);
  g_main_context_unref (fixture->context);
  g_async_queue_unref (fixture->invocations);
  g_async_queue_unref (fixture->questions);
  g_test_dbus_down (fixture->bus);
  g_object_unref (fixture->bus);
}

typedef struct
{
  DBusCaller call;
  DBusTarget target;
} Errand;

static void
caller_func (Worker *worker, gpointer data)
{
  Errand *errand = data;

  errand->call (&errand->target);
}

static void
fill_target (Fixture *fixture, guint round, DBusTarget *ret_target)
{
  guint i = round % G_N_ELEMENTS (targets);
  g_autoptr (GError) error = NULL;

  *ret_target = (DBusTarget) { fixture->client, NULL,
                               round % 3 == 2 ? g_dbus_connection_get_unique_name (fixture->service) : SERVICE,
                               targets[i].path, targets[i].interface, targets[i].method };
  ret_target->proxy = g_dbus_proxy_new_sync (fixture->client, G_DBUS_PROXY_FLAGS_DO_NOT_LOAD_PROPERTIES |
                                             G_DBUS_PROXY_FLAGS_DO_NOT_CONNECT_SIGNALS, NULL,
                                             ret_target->destination, ret_target->path, ret_target->interface, NULL,
                                             &error);
  g_assert_no_error (error);
}

static void
check_call (Fixture *fixture, DBusCaller call, guint round)
{
  Errand errand = { call };
  g_autoptr (JankWait) wait = NULL;
  g_autofree char *method = NULL, *detail = NULL;
  GDBusMethodInvocation *invocation;
  Worker *worker;
  Look look;

  fill_target (fixture, round, &errand.target);
  method = g_strdup_printf ("%s.%s", errand.target.interface, errand.target.method);
  /* A proxy sends to the owner of the name; what the program knows is the name. */
  detail = g_strdup_printf ("D-Bus call %s to %s %s", method, errand.target.destination, errand.target.path);
  worker = worker_new (caller_func, &errand);
  /* From here on it only waits. */
  invocation = g_async_queue_pop (fixture->invocations);
  wait = look_at (worker, SYS_poll, &look);
  g_assert_nonnull (wait);
  g_assert_cmpstr (jank_wait_kind_to_nick (wait->kind), ==, "dbus");
  g_assert_cmpstr (wait->target, ==, method);
  g_assert_cmpstr (wait->detail, ==, detail);
  g_assert_cmpstr (wait->dbus->name, ==, errand.target.destination);
  g_assert_cmpstr (wait->dbus->path, ==, errand.target.path);
  g_assert_cmpstr (wait->dbus->interface, ==, errand.target.interface);
  g_assert_cmpstr (wait->dbus->property, ==, "");
  g_assert_cmpstr (wait->dbus->bus, ==, g_test_dbus_get_bus_address (fixture->bus));
  g_dbus_method_invocation_return_value (invocation, NULL);
  worker_free (worker);
  g_object_unref (errand.target.proxy);
}

TEST_WITH (Fixture, set_up, tear_down, fixture, call)
{
  static const struct { const char *name; DBusCaller call; } callers[] = {
    { "connection -O0", call_connection_o0 }, { "connection -O2", call_connection_o2 },
    { "proxy -O0", call_proxy_o0 }, { "proxy -O2", call_proxy_o2 },
    { "descriptors -O0", call_descriptors_o0 }, { "descriptors -O2", call_descriptors_o2 },
    { "message -O0", call_message_o0 }, { "message -O2", call_message_o2 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (callers); i++)
    {
      g_test_message ("%s", callers[i].name);
      for (guint round = 0; round < N_ROUNDS; round++)
        check_call (fixture, callers[i].call, round);
    }
}

typedef struct
{
  GDBusConnection *connection;
  const char      *method; /* of org.freedesktop.DBus.Properties; NULL: a proxy is made */
  GVariant        *arguments;
  GType            type;   /* of the proxy */
} Question;

static void
asker_func (Worker *worker, gpointer data)
{
  Question *question = data;
  g_autoptr (GVariant) answer = NULL;
  g_autoptr (GObject) proxy = NULL;

  if (question->method != NULL)
    answer = g_dbus_connection_call_sync (question->connection, SERVICE, "/a", "org.freedesktop.DBus.Properties",
                                          question->method, question->arguments, NULL, G_DBUS_CALL_FLAGS_NONE, 60000,
                                          NULL, NULL);
  else
    proxy = g_initable_new (question->type, NULL, NULL, "g-connection", question->connection, "g-name", SERVICE,
                            "g-object-path", "/a", "g-interface-name", "org.jankwatch.Slow", NULL);
}

/* Returns: (transfer full): the wait of a worker that asks it */
static JankWait *
look_at_question (Fixture *fixture, Question *question)
{
  Worker *worker = worker_new (asker_func, question);
  g_autoptr (GDBusMessage) message = g_async_queue_pop (fixture->questions);
  g_autoptr (GDBusMessage) answer = g_dbus_message_new_method_error_literal (message, "org.jankwatch.No", "");
  JankWait *wait = look_at (worker, SYS_poll, NULL);

  g_assert_nonnull (wait);
  g_assert_cmpstr (jank_wait_kind_to_nick (wait->kind), ==, "dbus");
  g_assert_cmpstr (wait->dbus->name, ==, SERVICE);
  g_assert_cmpstr (wait->dbus->path, ==, "/a");
  g_assert_cmpstr (wait->dbus->bus, ==, g_test_dbus_get_bus_address (fixture->bus));
  g_assert_true (g_dbus_connection_send_message (fixture->service, answer, G_DBUS_SEND_MESSAGE_FLAGS_NONE, NULL, NULL));
  worker_free (worker);
  return wait;
}

TEST_WITH (Fixture, set_up, tear_down, fixture, property)
{
  const struct { const char *method; GVariant *arguments; const char *property; } questions[] = {
    { "Get", g_variant_new ("(ss)", "org.jankwatch.Slow", "Level"), "org.jankwatch.Slow.Level" },
    { "Set", g_variant_new ("(ssv)", "org.jankwatch.Slow", "Level", g_variant_new_int32 (7)),
      "org.jankwatch.Slow.Level" },
    { "GetAll", g_variant_new ("(s)", "org.jankwatch.Slow"), "org.jankwatch.Slow.*" },
    { "Get", g_variant_new ("(ss)", "not an interface", "Level"), "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (questions); i++)
    {
      Question question = { fixture->client, questions[i].method, questions[i].arguments };
      g_autoptr (JankWait) wait = look_at_question (fixture, &question);
      g_autofree char *method = g_strconcat ("org.freedesktop.DBus.Properties.", questions[i].method, NULL);

      g_assert_cmpstr (wait->target, ==, method);
      g_assert_cmpstr (wait->dbus->property, ==, questions[i].property);
    }
}

/* As other bindings make theirs, and generated code. */
G_DECLARE_FINAL_TYPE (SlowProxy, slow_proxy, SLOW, PROXY, GDBusProxy)

struct _SlowProxy
{
  GDBusProxy parent_instance;
};

G_DEFINE_TYPE (SlowProxy, slow_proxy, G_TYPE_DBUS_PROXY)

static void
slow_proxy_class_init (SlowProxyClass *klass)
{
}

static void
slow_proxy_init (SlowProxy *self)
{
}

TEST_WITH (Fixture, set_up, tear_down, fixture, new_proxy)
{
  const GType types[] = { G_TYPE_DBUS_PROXY, slow_proxy_get_type () };

  for (guint round = 0; round < N_ROUNDS; round++)
    {
      Question question = { fixture->client, .type = types[round % 2] };
      g_autoptr (JankWait) wait = look_at_question (fixture, &question);

      g_assert_cmpstr (wait->target, ==, "org.jankwatch.Slow");
      g_assert_cmpstr (wait->detail, ==, "D-Bus proxy org.jankwatch.Slow to " SERVICE " /a");
      g_assert_cmpstr (wait->dbus->interface, ==, "org.jankwatch.Slow");
      g_assert_cmpstr (wait->dbus->owner, ==, g_dbus_connection_get_unique_name (fixture->service));
      g_assert_cmpstr (wait->dbus->method, ==, "");
    }
}

/* The frames of a call, and a stack that holds anything. */
TEST_WITH (Fixture, set_up, tear_down, fixture, garbage)
{
  Errand errand = { call_connection_o2 };
  g_autoptr (GRand) random = g_rand_new_with_seed (4);
  g_autofree guint64 *words = g_new0 (guint64, 512);
  Worker *worker;
  Look look;

  fill_target (fixture, 0, &errand.target);
  worker = worker_new (caller_func, &errand);
  g_dbus_method_invocation_return_value (g_async_queue_pop (fixture->invocations), NULL);
  worker_free (worker);
  worker = worker_new (caller_func, &errand);
  jank_wait_unref (look_at (worker, SYS_poll, &look));
  for (guint i = 0; i < look.n_calls; i++)
    look.calls[i].cfa = (guintptr) (words + 512);
  look.call.sp = (guintptr) words;
  for (guint i = 0; i < 300; i++)
    {
      g_autoptr (JankWait) wait = NULL;

      for (guint k = 0; k < 512; k++)
        words[k] = (guintptr) errand.target.proxy + (guint64) (g_rand_int_range (random, -100000, 100000) & ~7);
      wait = jank_wait_new (&look.call, worker_get_info (worker)->tid, look.calls, look.n_calls);
      g_assert_cmpint (wait->kind, ==, JANK_WAIT_DBUS);
      if (wait->target[0] != '\0')
        g_assert_true (g_utf8_validate (wait->target, -1, NULL));
    }

  /* Without the frames' bounds, or with none that hold, it is unknown. */
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (JankWait) wait = NULL;

      for (guint k = 0; k < look.n_calls; k++)
        look.calls[k].cfa = i == 1 ? G_MAXUINT64 : 0;
      wait = jank_wait_new (&look.call, worker_get_info (worker)->tid, look.calls, look.n_calls);
      g_assert_cmpint (wait->kind, ==, JANK_WAIT_DBUS);
      g_assert_cmpstr (wait->target, ==, "");
      g_assert_cmpstr (wait->detail, ==, "D-Bus call");
    }
  g_dbus_method_invocation_return_value (g_async_queue_pop (fixture->invocations), NULL);
  worker_free (worker);
  g_object_unref (errand.target.proxy);
}

/* What hands a command line over is behind what cannot be an object; it is not looked for behind many that can. */
TEST_WITH (Fixture, set_up, tear_down, fixture, application)
{
  static guint64 words[4000];
  const guint64 one[] = { (guintptr) fixture->client, 0, (guintptr) "org.example.One", 0, (guintptr) "/One" };
  const guint64 end = (guintptr) (words + 2000);
  const JankCall calls[] = { { .function = (guintptr) dlsym (RTLD_DEFAULT, "g_main_loop_run"), .cfa = end },
                             { .function = (guintptr) dlsym (RTLD_DEFAULT, "g_application_activate"), .cfa = end },
                             { .function = (guintptr) dlsym (RTLD_DEFAULT, "g_application_run"), .cfa = end } };

  for (guint are_objects = 0; are_objects < 2; are_objects++)
    {
      JankDBusCall call;

      for (guint i = 0; i < 1999; i++)
        words[i] = are_objects ? (guintptr) &words[2000 + i] : i * 2 + 1;
      words[1999] = (guintptr) one;
      g_assert_cmpint (jank_dbus_call_look ((guintptr) words, calls, G_N_ELEMENTS (calls), &call), ==, !are_objects);
    }
}

/* libdbus and sd-bus, as they are found: programs bring them with them. */
typedef struct
{
  gpointer    library, connection; /* connection: sd_bus or DBusConnection */
  DBusTarget  target;
  const char *property; /* (nullable): asked for */
} Other;

#define CALL(other, name, type, parameters) \
  ((type (*) parameters) get_symbol ((other)->library, name))

static gpointer
get_symbol (gpointer library, const char *name)
{
  gpointer symbol = dlsym (library, name);

  g_assert_nonnull (symbol);
  return symbol;
}

static void
libdbus_func (Worker *worker, gpointer data)
{
  Other *other = data;
  const char *interface = SERVICE;
  gpointer answer, message = CALL (other, "dbus_message_new_method_call", gpointer,
                                   (const char *, const char *, const char *, const char *))
    (other->target.destination, other->target.path, other->target.interface, other->target.method);

  if (other->property != NULL)
    CALL (other, "dbus_message_append_args", gint, (gpointer, gint, ...))
      (message, 's', &interface, 's', &other->property, 0);
  answer = CALL (other, "dbus_connection_send_with_reply_and_block", gpointer, (gpointer, gpointer, gint, gpointer))
    (other->connection, message, 60000, NULL);
  if (answer != NULL)
    CALL (other, "dbus_message_unref", void, (gpointer)) (answer);
  CALL (other, "dbus_message_unref", void, (gpointer)) (message);
}

static void
sd_bus_func (Worker *worker, gpointer data)
{
  Other *other = data;
  gpointer message = NULL, answer = NULL;

  g_assert_cmpint (CALL (other, "sd_bus_message_new_method_call", gint,
                         (gpointer, gpointer *, const char *, const char *, const char *, const char *))
                     (other->connection, &message, other->target.destination, other->target.path,
                     other->target.interface, other->target.method), >=, 0);
  if (other->property != NULL)
    CALL (other, "sd_bus_message_append", gint, (gpointer, const char *, ...))
      (message, "ss", SERVICE, other->property);
  CALL (other, "sd_bus_call", gint, (gpointer, gpointer, guint64, gpointer, gpointer *))
    (other->connection, message, 60 * G_USEC_PER_SEC, NULL, &answer);
  if (answer != NULL)
    CALL (other, "sd_bus_message_unref", gpointer, (gpointer)) (answer);
  CALL (other, "sd_bus_message_unref", gpointer, (gpointer)) (message);
}

static void
check_other (Fixture *fixture, Other *other, WorkerFunc func, long syscall, guint round)
{
  guint i = round % G_N_ELEMENTS (targets);
  g_autofree char *method = NULL;
  g_autoptr (JankWait) wait = NULL;
  Worker *worker;
  gpointer question;

  other->property = round % 4 == 3 ? "Level" : NULL;
  other->target = (DBusTarget) { .destination = SERVICE, .path = targets[i].path,
                                 .interface = targets[i].interface, .method = targets[i].method };
  if (other->property != NULL)
    {
      other->target.interface = "org.freedesktop.DBus.Properties";
      other->target.method = "Get";
    }
  method = g_strdup_printf ("%s.%s", other->target.interface, other->target.method);
  worker = worker_new (func, other);
  question = g_async_queue_pop (other->property != NULL ? fixture->questions : fixture->invocations);
  wait = look_at (worker, syscall, NULL);
  g_assert_nonnull (wait);
  g_assert_cmpstr (jank_wait_kind_to_nick (wait->kind), ==, "dbus");
  /* Below the thread sanitizer's poll() the end of the sender's part of the stack may be wrong: nothing is found. */
  if (!HAS_TSAN || wait->target[0] != '\0')
    {
      g_assert_cmpstr (wait->target, ==, method);
      g_assert_cmpstr (wait->dbus->name, ==, SERVICE);
      g_assert_cmpstr (wait->dbus->path, ==, other->target.path);
      g_assert_cmpstr (wait->dbus->property, ==, other->property != NULL ? SERVICE ".Level" : "");
      /* Without what only the library knows. */
      g_assert_true (g_str_has_prefix (g_test_dbus_get_bus_address (fixture->bus), wait->dbus->bus));
      g_assert_nonnull (strstr (wait->dbus->bus, "/dbus-"));
    }
  if (other->property == NULL)
    g_dbus_method_invocation_return_value (question, NULL);
  else
    {
      g_autoptr (GDBusMessage) asked = question;
      g_autoptr (GDBusMessage) answer = g_dbus_message_new_method_error_literal (asked, "org.jankwatch.No", "");

      g_dbus_connection_send_message (fixture->service, answer, G_DBUS_SEND_MESSAGE_FLAGS_NONE, NULL, NULL);
    }
  worker_free (worker);
}

TEST_WITH (Fixture, set_up, tear_down, fixture, libdbus)
{
  Other other = { .library = dlopen ("libdbus-1.so.3", RTLD_NOW) };

  g_assert_nonnull (other.library);
  other.connection = CALL (&other, "dbus_connection_open_private", gpointer, (const char *, gpointer))
    (g_test_dbus_get_bus_address (fixture->bus), NULL);
  g_assert_nonnull (other.connection);
  g_assert_true (CALL (&other, "dbus_bus_register", gint, (gpointer, gpointer)) (other.connection, NULL));

  for (guint round = 0; round < N_ROUNDS; round++)
    check_other (fixture, &other, libdbus_func, SYS_poll, round);
  CALL (&other, "dbus_connection_close", void, (gpointer)) (other.connection);
  /* The library stays: it keeps memory that only itself knows. */
  CALL (&other, "dbus_connection_unref", void, (gpointer)) (other.connection);
}

TEST_WITH (Fixture, set_up, tear_down, fixture, sd_bus)
{
  Other other = { .library = dlopen ("libsystemd.so.0", RTLD_NOW) };

  if (HAS_INTERCEPTORS)
    {
      g_test_skip ("a sanitizer's ppoll() needs a frame pointer, which the kernel does not show of a blocked thread");
      return;
    }
  g_assert_nonnull (other.library);
  g_assert_cmpint (CALL (&other, "sd_bus_new", gint, (gpointer *)) (&other.connection), >=, 0);
  g_assert_cmpint (CALL (&other, "sd_bus_set_address", gint, (gpointer, const char *))
                     (other.connection, g_test_dbus_get_bus_address (fixture->bus)), >=, 0);
  g_assert_cmpint (CALL (&other, "sd_bus_set_bus_client", gint, (gpointer, gint)) (other.connection, 1), >=, 0);
  g_assert_cmpint (CALL (&other, "sd_bus_start", gint, (gpointer)) (other.connection), >=, 0);

  for (guint round = 0; round < N_ROUNDS; round++)
    check_other (fixture, &other, sd_bus_func, SYS_ppoll, round);
  CALL (&other, "sd_bus_flush_close_unref", gpointer, (gpointer)) (other.connection);
}

TESTS ("/dbus/call")
