/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "wait/jank-wait-private.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>

#include <gio/gio.h>

#include "base/jank-memory-private.h"
#include "wait/jank-arguments-private.h"
#include "descriptors/jank-children-private.h"
#include "dbus/jank-dbus-call-private.h"
#include "elf/jank-known-functions-private.h"
#include "descriptors/jank-mounts-private.h"
#include "proc/jank-proc-private.h"
#include "descriptors/jank-socket-private.h"
#include "proc/jank-syscalls-private.h"
#include "wait/jank-wait-detail-private.h"

static guint64 jank_wait_pause; /* set before the first thread waits there */

static const char *const nicks[JANK_N_WAITS] = {
  [JANK_WAIT_UNKNOWN] = "unknown", [JANK_WAIT_FILE] = "file",   [JANK_WAIT_PIPE] = "pipe",
  [JANK_WAIT_SOCKET] = "socket",   [JANK_WAIT_POLL] = "poll",   [JANK_WAIT_SLEEP] = "sleep",
  [JANK_WAIT_LOCK] = "lock",       [JANK_WAIT_CHILD] = "child", [JANK_WAIT_DEVICE] = "device",
  [JANK_WAIT_DBUS] = "dbus",       [JANK_WAIT_PAGE] = "page",   [JANK_WAIT_CALL] = "call",
  [JANK_WAIT_WAKE] = "wake",
};

void
jank_wait_note_pause (guint64 futex)
{
  jank_wait_pause = futex;
}

static void
jank_wait_read_n_bytes (JankWaitDraft *draft)
{
  guint64 n_bytes;

  if (draft->shape->bytes < 0)
    return;
  n_bytes = draft->call->args[draft->shape->bytes];
  if (n_bytes > G_MAXINT64)
    return;
  draft->wait->n_bytes = (gint64) n_bytes;
  g_string_append_printf (draft->detail, " of %" G_GUINT64_FORMAT " bytes", n_bytes);
}

static void
jank_wait_describe_descriptor (JankWaitDraft *draft)
{
  int fd = (int) draft->call->args[draft->shape->fd];
  gboolean reads = draft->shape->shape == JANK_SHAPE_READ, writes = draft->shape->shape == JANK_SHAPE_WRITE;
  JankDescriptor descriptor;

  jank_descriptor_look_in_wait (fd, draft->tid, reads ? POLLIN : writes ? POLLOUT : 0, &descriptor);
  jank_wait_set_descriptor (draft->wait, &descriptor);
  jank_wait_read_n_bytes (draft);
  g_string_append (draft->detail, reads ? " from " : writes ? " to " : " on ");
  jank_descriptor_append (&descriptor, fd, draft->detail);
}

/* Either end may be what the thread waits for; a pipe or socket is likelier than a file. */
static void
jank_wait_describe_copy (JankWaitDraft *draft)
{
  int from_fd = (int) draft->call->args[draft->shape->fd], to_fd = (int) draft->call->args[draft->shape->other];
  JankDescriptor from, to;

  jank_descriptor_look (from_fd, &from);
  jank_descriptor_look (to_fd, &to);
  jank_wait_set_descriptor (draft->wait, from.kind == JANK_DESCRIPTOR_FILE && to.kind != JANK_DESCRIPTOR_FILE ?
                                         &to : &from);
  jank_wait_read_n_bytes (draft);
  g_string_append (draft->detail, " from ");
  jank_descriptor_append (&from, from_fd, draft->detail);
  g_string_append (draft->detail, " to ");
  jank_descriptor_append (&to, to_fd, draft->detail);
}

static void
jank_wait_describe_path (JankWaitDraft *draft)
{
  JankWait *wait = draft->wait;
  char path[2 * PATH_MAX];
  JankMount mount;

  wait->kind = JANK_WAIT_FILE;
  if (!jank_arguments_read_path (0, draft->call, draft->shape, path, sizeof path))
    return;
  jank_proc_text (wait->target, sizeof wait->target, path);
  /* A symbolic link in the path may lead off a local file system, but a remote file system in it is waited for all
   * the same. */
  if (jank_mounts_find_path (path, &mount) && jank_mounts_is_remote (mount.type))
    {
      g_strlcpy (wait->filesystem, mount.type, sizeof wait->filesystem);
      g_strlcpy (wait->mount, mount.point, sizeof wait->mount);
    }
  g_string_append_printf (draft->detail, " of %s", wait->target);
  if (wait->filesystem[0] != '\0')
    g_string_append_printf (draft->detail, " (%s)", wait->filesystem);
}

static void
jank_wait_describe_connect (JankWaitDraft *draft)
{
  struct sockaddr_storage address;
  JankDescriptor descriptor;
  guint64 n_bytes = draft->call->args[2];
  int fd = (int) draft->call->args[0];

  jank_descriptor_look_in_wait (fd, draft->tid, 0, &descriptor);
  jank_wait_set_descriptor (draft->wait, &descriptor);
  draft->wait->kind = JANK_WAIT_SOCKET;
  memset (&address, 0, sizeof address);
  if (n_bytes <= sizeof address && jank_memory_read_all (draft->call->args[1], &address, n_bytes) &&
      jank_socket_address_text (&address, (socklen_t) n_bytes, draft->wait->target, sizeof draft->wait->target))
    g_strlcpy (descriptor.name, draft->wait->target, sizeof descriptor.name);
  g_string_append (draft->detail, " to ");
  jank_descriptor_append (&descriptor, fd, draft->detail);
}

static void
jank_wait_describe_ioctl (JankWaitDraft *draft)
{
  jank_wait_describe_descriptor (draft);
  if (draft->wait->kind == JANK_WAIT_FILE || draft->wait->kind == JANK_WAIT_CALL)
    draft->wait->kind = JANK_WAIT_DEVICE;
  g_string_append_printf (draft->detail, ", request 0x%x", (guint) draft->call->args[1]);
}

static void
jank_wait_describe_fcntl (JankWaitDraft *draft)
{
  int command = (int) draft->call->args[1];

  if (command == F_SETLKW)
    g_string_append (draft->detail, " F_SETLKW");
  else if (command == F_OFD_SETLKW)
    g_string_append (draft->detail, " F_OFD_SETLKW");
  jank_wait_describe_descriptor (draft);
  if (command == F_SETLKW || command == F_OFD_SETLKW)
    jank_wait_describe_file_lock (draft);
}

static void
jank_wait_describe_sleep (JankWaitDraft *draft)
{
  gint64 time_ns = jank_arguments_read_timeout (0, draft->call, draft->shape);

  draft->wait->kind = JANK_WAIT_SLEEP;
  if (time_ns < 0)
    return;
  if (!jank_arguments_is_absolute (draft->call, draft->shape))
    draft->wait->timeout_ns = time_ns;
  g_string_append (draft->detail, draft->wait->timeout_ns < 0 ? ", left: " : " of ");
  jank_wait_append_time (draft->detail, time_ns);
}

static void
jank_wait_describe (JankWaitDraft *draft)
{
  switch (draft->shape->shape)
    {
    case JANK_SHAPE_READ: case JANK_SHAPE_WRITE: case JANK_SHAPE_FD:
      jank_wait_describe_descriptor (draft);
      if (draft->call->number == SYS_flock)
        jank_wait_describe_file_lock (draft);
      break;
    case JANK_SHAPE_COPY:
      jank_wait_describe_copy (draft);
      break;
    case JANK_SHAPE_OPEN:
      jank_wait_describe_path (draft);
      break;
    case JANK_SHAPE_CONNECT:
      jank_wait_describe_connect (draft);
      break;
    case JANK_SHAPE_POLL: case JANK_SHAPE_PPOLL: case JANK_SHAPE_SELECT:
    case JANK_SHAPE_PSELECT: case JANK_SHAPE_EPOLL: case JANK_SHAPE_EPOLL2:
      jank_wait_describe_poll (draft);
      break;
    case JANK_SHAPE_FUTEX: case JANK_SHAPE_FUTEX_WAITV:
      jank_wait_describe_lock (draft);
      break;
    case JANK_SHAPE_SLEEP: case JANK_SHAPE_CLOCK_SLEEP:
      jank_wait_describe_sleep (draft);
      jank_wait_describe_database (draft);
      break;
    case JANK_SHAPE_WAIT4: case JANK_SHAPE_WAITID:
      jank_wait_set_child (draft, jank_arguments_read_child (0, draft->call, draft->shape));
      break;
    case JANK_SHAPE_IOCTL:
      jank_wait_describe_ioctl (draft);
      break;
    case JANK_SHAPE_FCNTL:
      jank_wait_describe_fcntl (draft);
      break;
    case JANK_SHAPE_MEMORY: case JANK_SHAPE_OTHER:
      jank_wait_read_n_bytes (draft);
      break;
    }
}

/* libdbus and sd-bus poll their connection alone, whose address is one of a bus. */
static void
jank_wait_find_bus (const JankWaitDraft *draft, JankDBusCall *call)
{
  gboolean is_abstract = draft->address[0] == '@';
  g_autofree char *name = NULL;

  if (call->bus[0] != '\0' || (!is_abstract && draft->address[0] != '/'))
    return;
  name = g_dbus_address_escape_value (draft->address + is_abstract);
  g_snprintf (call->bus, sizeof call->bus, "unix:%s=%s", is_abstract ? "abstract" : "path", name);
}

/* GDBus waits for a reply in a poll of a main context of its own, with the sending function around it; a thread that
 * waits for us there is about to. */
static void
jank_wait_describe_dbus (JankWaitDraft *draft)
{
  JankDBusCall call;
  const char *what = call.method;

  if ((!draft->polls && !(draft->shape->shape == JANK_SHAPE_FUTEX && draft->call->args[0] == jank_wait_pause)) ||
      !jank_dbus_call_look (draft->call->sp, draft->calls, draft->n_calls, &call))
    return;
  jank_wait_find_bus (draft, &call);
  draft->wait->kind = JANK_WAIT_DBUS;
  draft->wait->peer_pid = 0;
  draft->wait->filesystem[0] = '\0';
  draft->wait->dbus = g_memdup2 (&call, sizeof call);
  g_string_assign (draft->detail, "D-Bus call");
  if (call.method[0] == '\0' && call.interface[0] != '\0')
    {
      what = call.interface;
      g_string_assign (draft->detail, "D-Bus proxy");
    }
  g_strlcpy (draft->wait->target, what, sizeof draft->wait->target);
  if (what[0] != '\0')
    g_string_append_printf (draft->detail, " %s", what);
  if (call.property[0] != '\0')
    g_string_append_printf (draft->detail, " of %s", call.property);
  if (call.name[0] != '\0')
    g_string_append_printf (draft->detail, " to %s", call.name);
  if (call.path[0] != '\0')
    g_string_append_printf (draft->detail, " %s", call.path);
}

/* GSubprocess learns of the end from another thread of GLib's. */
static void
jank_wait_describe_subprocess (JankWaitDraft *draft)
{
  gboolean is_loop = draft->wait->kind == JANK_WAIT_POLL || draft->wait->kind == JANK_WAIT_WAKE;

  for (guint i = 0; is_loop && i < draft->n_calls; i++)
    {
      JankKnownFunction known;

      jank_known_function_look (draft->calls[i].function, &known);
      if (known.role == JANK_ROLE_SUBPROCESS_WAIT)
        jank_wait_set_child (draft, jank_children_get_only ());
    }
}

static void
jank_wait_set_detail (JankWait *wait, const char *detail)
{
  char *valid = g_utf8_make_valid (detail, -1);

  for (char *p = valid; *p != '\0'; p++)
    if (g_ascii_iscntrl (*p))
      *p = ' ';
  if (strlen (valid) >= sizeof wait->detail)
    *g_utf8_find_prev_char (valid, valid + sizeof wait->detail) = '\0';
  g_strlcpy (wait->detail, valid, sizeof wait->detail);
  g_free (valid);
}

JankWait *
jank_wait_new (const JankSyscall *call, pid_t tid, const JankCall *calls, guint n_calls)
{
  JankWait *self = g_new0 (JankWait, 1);
  g_autofree char *name = jank_syscall_to_text ((gint) call->number);
  JankWaitDraft draft = { self, call, jank_syscall_shape_find (jank_syscall_get_name ((gint) call->number)),
                         tid, calls, n_calls, NULL, FALSE, "" };

  *self = (JankWait) { .n_refs = 1, .syscall = (gint) call->number, .n_bytes = -1, .timeout_ns = -1 };
  if (call->kind != JANK_SYSCALL_BLOCKED)
    return self;

  if (call->number == -1)
    name[0] = '\0';
  draft.detail = g_string_new (name);
  if (call->number == -1)
    jank_wait_describe_page (&draft);
  else
    {
      self->kind = JANK_WAIT_CALL;
      jank_wait_describe (&draft);
      jank_wait_describe_dbus (&draft);
      jank_wait_describe_subprocess (&draft);
    }
  jank_wait_set_detail (self, draft.detail->str);
  g_string_free (draft.detail, TRUE);
  return self;
}

JankWait *
jank_wait_ref (JankWait *self)
{
  g_atomic_int_inc (&self->n_refs);
  return self;
}

void
jank_wait_unref (JankWait *self)
{
  if (!g_atomic_int_dec_and_test (&self->n_refs))
    return;
  g_free (self->dbus);
  g_free (self);
}

const char *
jank_wait_kind_to_nick (JankWaitKind kind)
{
  return kind < JANK_N_WAITS ? nicks[kind] : nicks[JANK_WAIT_UNKNOWN];
}
