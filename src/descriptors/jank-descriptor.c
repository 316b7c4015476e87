/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "descriptors/jank-descriptor-private.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest/jank-own-files-private.h"
#include "descriptors/jank-children-private.h"
#include "proc/jank-proc-private.h"
#include "descriptors/jank-socket-private.h"

#define ANONYMOUS "anon_inode:"

/* Folders in /dev that hold files. */
static const char *const not_devices[] = { "/dev/shm/", "/dev/hugepages/", "/dev/mqueue/" };

gboolean
jank_descriptor_is_device (const char *path)
{
  if (!g_str_has_prefix (path, "/dev/"))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (not_devices); i++)
    if (g_str_has_prefix (path, not_devices[i]))
      return FALSE;
  return TRUE;
}

/* Only for files: to answer this for a device, its driver may have to be asked. */
gboolean
jank_descriptor_find_mount (pid_t pid, int fd, JankMount *ret_mount)
{
  gint64 id = jank_proc_to_number (jank_proc_read_field (pid, "mnt_id:", "fdinfo/%d", fd));

  return id >= 0 && jank_mounts_find (id, ret_mount);
}

static void
jank_descriptor_look_at_socket (int fd, JankDescriptor *self)
{
  int copy = jank_own_files_borrow (fd);
  JankSocket socket;
  gboolean is_socket = copy >= 0 && jank_socket_look (copy, &socket);

  if (copy >= 0)
    close (copy);
  if (!is_socket)
    return;
  self->kind = JANK_DESCRIPTOR_SOCKET;
  self->peer_pid = socket.pid;
  g_strlcpy (self->name, socket.peer, sizeof self->name);
  g_strlcpy (self->address, socket.address, sizeof self->address);
  g_strlcpy (self->filesystem, socket.family, sizeof self->filesystem);
}

/* "anon_inode:[eventfd]", "anon_inode:inotify" */
static void
jank_descriptor_set_anonymous_name (JankDescriptor *self, const char *name)
{
  self->kind = JANK_DESCRIPTOR_OTHER;
  jank_proc_text (self->name, sizeof self->name, name + (name[0] == '['));
  if (name[0] == '[' && g_str_has_suffix (self->name, "]"))
    self->name[strlen (self->name) - 1] = '\0';
}

void
jank_descriptor_look (int fd, JankDescriptor *ret_descriptor)
{
  JankDescriptor self = { .kind = JANK_DESCRIPTOR_UNKNOWN };
  JankMount mount;
  char path[48], link[PATH_MAX + 32], again[PATH_MAX + 32];

  jank_proc_path (path, sizeof path, 0, "fd/%d", fd);
  if (fd < 0 || !jank_proc_read_link (path, link, sizeof link))
    ;
  else if (g_str_has_prefix (link, "socket:"))
    jank_descriptor_look_at_socket (fd, &self);
  else if (g_str_has_prefix (link, "pipe:"))
    {
      self.kind = JANK_DESCRIPTOR_PIPE;
      self.peer_pid = jank_children_find_pipe (fd);
      if (self.peer_pid != 0)
        jank_proc_get_name (self.peer_pid, self.name, sizeof self.name);
    }
  else if (g_str_has_prefix (link, ANONYMOUS))
    jank_descriptor_set_anonymous_name (&self, link + strlen (ANONYMOUS));
  else if (link[0] == '/')
    {
      self.kind = jank_descriptor_is_device (link) ? JANK_DESCRIPTOR_DEVICE : JANK_DESCRIPTOR_FILE;
      jank_proc_text (self.name, sizeof self.name, link);
      if (self.kind == JANK_DESCRIPTOR_FILE && jank_descriptor_find_mount (0, fd, &mount))
        {
          g_strlcpy (self.filesystem, mount.type, sizeof self.filesystem);
          g_strlcpy (self.mount, mount.point, sizeof self.mount);
        }
    }

  /* The number may have been reused in between. */
  if (self.kind != JANK_DESCRIPTOR_UNKNOWN &&
      (!jank_proc_read_link (path, again, sizeof again) || strcmp (link, again) != 0))
    self = (JankDescriptor) { .kind = JANK_DESCRIPTOR_UNKNOWN };
  *ret_descriptor = self;
}

/* What the kernel function in which the thread sleeps serves; UNKNOWN: it does not tell. */
static JankDescriptorKind
jank_descriptor_get_kind_of_sleep (pid_t tid)
{
  static const char *const socket_words[] = { "sk_wait", "skb_wait", "unix_", "inet_", "tcp_", "udp_",
                                              "wait_for_more_packets", "sock_alloc_send", "vsock", "netlink_" };
  char path[64], wchan[64];

  jank_proc_path (path, sizeof path, 0, "task/%d/wchan", (int) tid);
  if (!jank_proc_read (path, wchan, sizeof wchan))
    return JANK_DESCRIPTOR_UNKNOWN;
  if (strstr (wchan, "pipe") != NULL)
    return JANK_DESCRIPTOR_PIPE;
  if (strstr (wchan, "eventfd") != NULL || strstr (wchan, "inotify") != NULL || strstr (wchan, "timerfd") != NULL)
    return JANK_DESCRIPTOR_OTHER;
  if (strstr (wchan, "tty") != NULL)
    return JANK_DESCRIPTOR_DEVICE;
  for (guint i = 0; i < G_N_ELEMENTS (socket_words); i++)
    if (strstr (wchan, socket_words[i]) != NULL)
      return JANK_DESCRIPTOR_SOCKET;
  return JANK_DESCRIPTOR_UNKNOWN;
}

/* Asked only of local file systems, which know at once. */
static gboolean
jank_descriptor_is_fifo (int fd, const JankDescriptor *self)
{
  struct statx status;
  char path[48];

  jank_proc_path (path, sizeof path, 0, "fd/%d", fd);
  return self->filesystem[0] != '\0' && !jank_mounts_is_remote (self->filesystem) &&
         statx (AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_TYPE, &status) == 0 && S_ISFIFO (status.stx_mode);
}

static gboolean
jank_descriptor_is_ready (int fd, short events)
{
  struct pollfd copy = { .fd = jank_own_files_borrow (fd), .events = events };
  gboolean ready = copy.fd >= 0 && poll (&copy, 1, 0) != 0;

  if (copy.fd >= 0)
    close (copy.fd);
  return ready;
}

void
jank_descriptor_look_in_wait (int fd, pid_t tid, short events, JankDescriptor *ret_descriptor)
{
  JankDescriptor self;
  JankDescriptorKind sleep_kind;

  jank_descriptor_look (fd, &self);
  sleep_kind = jank_descriptor_get_kind_of_sleep (tid);
  if (sleep_kind == JANK_DESCRIPTOR_PIPE && self.kind == JANK_DESCRIPTOR_FILE && jank_descriptor_is_fifo (fd, &self))
    self.kind = JANK_DESCRIPTOR_PIPE;

  if (sleep_kind != JANK_DESCRIPTOR_UNKNOWN && sleep_kind != self.kind)
    self = (JankDescriptor) { .kind = JANK_DESCRIPTOR_UNKNOWN };
  else if (events != 0 && (self.kind == JANK_DESCRIPTOR_SOCKET || self.kind == JANK_DESCRIPTOR_PIPE) &&
           jank_descriptor_is_ready (fd, events))
    self = (JankDescriptor) { .kind = JANK_DESCRIPTOR_UNKNOWN };
  *ret_descriptor = self;
}

void
jank_descriptor_append (const JankDescriptor *self, int fd, GString *text)
{
  gboolean is_socket = self->kind == JANK_DESCRIPTOR_SOCKET;

  if (self->kind == JANK_DESCRIPTOR_UNKNOWN)
    g_string_append_printf (text, "descriptor %d", fd);
  else if (self->kind == JANK_DESCRIPTOR_PIPE && self->peer_pid != 0)
    g_string_append_printf (text, "pipe of %s", self->name);
  else if (self->name[0] != '\0')
    g_string_append (text, self->name);
  else
    g_string_append (text, is_socket ? "socket" : "pipe");
  if (self->peer_pid != 0)
    g_string_append_printf (text, "[%d]", (int) self->peer_pid);
  if (self->filesystem[0] != '\0')
    g_string_append_printf (text, " (%s)", self->filesystem);
}
