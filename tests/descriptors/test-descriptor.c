/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is behind a descriptor, while others close it and open something else; file systems; text from outside. */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>
#include <glib/gstdio.h>

#include "base/jank-clock-private.h"
#include "descriptors/jank-descriptor-private.h"
#include "descriptors/jank-mounts-private.h"
#include "proc/jank-proc-private.h"
#include "descriptors/jank-socket-private.h"
#include "look.h"
#include "test.h"

#define STRESS_NS JANK_NS_PER_S

TEST (kinds)
{
  char path[] = "/tmp/jank-descriptor-XXXXXX";
  g_autofree char *gone = NULL;
  int file = mkstemp (path), null = open ("/dev/null", O_RDWR | O_CLOEXEC), event = eventfd (0, EFD_CLOEXEC);
  int memory = (int) syscall (SYS_memfd_create, "picture", 0), pipes[2];
  JankDescriptor descriptor;

  jank_descriptor_look (file, &descriptor);
  g_assert_cmpint (descriptor.kind, ==, JANK_DESCRIPTOR_FILE);
  g_assert_cmpstr (descriptor.name, ==, path);
  g_assert_cmpstr (descriptor.filesystem, !=, "");
  g_unlink (path);
  gone = g_strconcat (path, " (deleted)", NULL);
  jank_descriptor_look (file, &descriptor);
  g_assert_cmpstr (descriptor.name, ==, gone);

  jank_descriptor_look (null, &descriptor);
  g_assert_cmpint (descriptor.kind, ==, JANK_DESCRIPTOR_DEVICE);
  g_assert_cmpstr (descriptor.name, ==, "/dev/null");
  jank_descriptor_look (event, &descriptor);
  g_assert_cmpint (descriptor.kind, ==, JANK_DESCRIPTOR_OTHER);
  g_assert_cmpstr (descriptor.name, ==, "eventfd");
  jank_descriptor_look (memory, &descriptor);
  g_assert_cmpint (descriptor.kind, ==, JANK_DESCRIPTOR_FILE);
  g_assert_cmpstr (descriptor.name, ==, "/memfd:picture (deleted)");
  g_assert_cmpint (pipe2 (pipes, O_CLOEXEC), ==, 0);
  jank_descriptor_look (pipes[0], &descriptor);
  g_assert_cmpint (descriptor.kind, ==, JANK_DESCRIPTOR_PIPE);
  jank_descriptor_look (-1, &descriptor);
  g_assert_cmpint (descriptor.kind, ==, JANK_DESCRIPTOR_UNKNOWN);
  jank_descriptor_look (1000000, &descriptor);
  g_assert_cmpint (descriptor.kind, ==, JANK_DESCRIPTOR_UNKNOWN);
  close (file);
  close (null);
  close (event);
  close (memory);
  close (pipes[0]);
  close (pipes[1]);
}

static gpointer
reuse_thread (gpointer data)
{
  int *shared = data; /* the descriptor's number, and whether to stop */
  int null = open ("/dev/null", O_RDWR | O_CLOEXEC), event = eventfd (0, EFD_CLOEXEC), pair[2];

  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), ==, 0);
  for (guint i = 0; !g_atomic_int_get (&shared[1]); i++)
    {
      const int sources[] = { null, event, pair[0] };

      dup2 (sources[i % 3], shared[0]);
    }
  close (null);
  close (event);
  close (pair[0]);
  close (pair[1]);
  return NULL;
}

/* The number leads elsewhere each time: name and kind belong together, always. */
TEST (reuse)
{
  int shared[2] = { eventfd (0, EFD_CLOEXEC), 0 };
  GThread *thread = g_thread_new ("reuse", reuse_thread, shared);
  gint64 until_ns = jank_clock_now_ns () + STRESS_NS;
  guint n_kinds[6] = { 0 };

  while (jank_clock_now_ns () < until_ns)
    {
      JankDescriptor descriptor;

      jank_descriptor_look (shared[0], &descriptor);
      n_kinds[descriptor.kind]++;
      switch (descriptor.kind)
        {
        case JANK_DESCRIPTOR_UNKNOWN:
          g_assert_cmpstr (descriptor.name, ==, "");
          break;
        case JANK_DESCRIPTOR_DEVICE:
          g_assert_cmpstr (descriptor.name, ==, "/dev/null");
          g_assert_cmpstr (descriptor.filesystem, ==, "");
          break;
        case JANK_DESCRIPTOR_OTHER:
          g_assert_cmpstr (descriptor.name, ==, "eventfd");
          break;
        case JANK_DESCRIPTOR_SOCKET:
          g_assert_cmpstr (descriptor.name, ==, "");
          g_assert_cmpstr (descriptor.filesystem, ==, "unix");
          break;
        default:
          g_assert_not_reached ();
        }
    }
  g_test_message ("unknown %u, device %u, socket %u, other %u", n_kinds[JANK_DESCRIPTOR_UNKNOWN],
                  n_kinds[JANK_DESCRIPTOR_DEVICE], n_kinds[JANK_DESCRIPTOR_SOCKET], n_kinds[JANK_DESCRIPTOR_OTHER]);
  g_assert_cmpuint (n_kinds[JANK_DESCRIPTOR_DEVICE], >, 0);
  g_atomic_int_set (&shared[1], 1);
  g_thread_join (thread);
  close (shared[0]);
}

static void
read_func (Worker *worker, gpointer data)
{
  char byte;

  g_assert_cmpint (read (*(int *) data, &byte, 1), ==, 1);
}

/* A thread reads on, from what its number led to when it began. */
TEST (replaced)
{
  int pipes[2], others[2], number;
  const int all[] = {
    open ("/dev/null", O_RDONLY | O_CLOEXEC), eventfd (0, EFD_CLOEXEC),
    socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), open ("/proc/self/exe", O_RDONLY | O_CLOEXEC),
  };

  g_assert_cmpint (pipe2 (others, O_CLOEXEC), ==, 0);
  g_assert_cmpint (write (others[1], "x", 1), ==, 1);
  for (guint i = 0; i <= G_N_ELEMENTS (all); i++)
    {
      g_autoptr (JankWait) before = NULL, after = NULL;
      Worker *worker;
      Look look;

      g_assert_cmpint (pipe2 (pipes, O_CLOEXEC), ==, 0);
      number = pipes[0];
      worker = worker_new (read_func, &number);
      before = look_at (worker, SYS_read, &look);
      g_assert_nonnull (before);
      g_assert_cmpint (before->kind, ==, JANK_WAIT_PIPE);
      /* At last another pipe, from which it could read at once. */
      dup2 (i < G_N_ELEMENTS (all) ? all[i] : others[0], number);
      after = look_again (worker, &look);
      g_assert_true (after == NULL || after->kind == JANK_WAIT_CALL || after->kind == JANK_WAIT_UNKNOWN);
      g_assert_true (after == NULL || after->target[0] == '\0');
      g_assert_cmpint (write (pipes[1], "x", 1), ==, 1);
      worker_free (worker);
      close (pipes[0]);
      close (pipes[1]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    close (all[i]);
  close (others[0]);
  close (others[1]);
}

static void
check_filesystem (const char *path, const char *type)
{
  JankMount found;

  g_assert_true (jank_mounts_find_path (path, &found));
  g_assert_cmpstr (found.type, ==, type);
  g_assert_true (g_str_has_prefix (path, found.point));
}

TEST (mounts)
{
  JankMount root, mounted;
  g_autofree char *folder = g_dir_make_tmp ("jank mount-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "a", "b", NULL);
  g_autofree char *beside = g_strconcat (folder, "-beside", NULL);
  g_autofree char *file = g_build_filename (folder, "file", NULL);
  JankDescriptor descriptor;
  int fd;

  check_filesystem ("/proc/self/stat", "proc");
  g_assert_true (jank_mounts_find_path ("/", &root));
  g_assert_true (jank_mounts_find_path ("/procession", &mounted));
  g_assert_cmpstr (mounted.type, ==, root.type);
  g_assert_false (jank_mounts_find_path ("relative", &mounted));
  g_assert_false (jank_mounts_find (-1, &mounted));
  g_assert_false (jank_mounts_find (G_MAXINT64, &mounted));

  if (mount ("jank", folder, "ramfs", 0, NULL) != 0)
    {
      g_test_skip_printf ("mounting a ramfs: %s; the rest of the mounts is right", g_strerror (errno));
      g_rmdir (folder);
      return;
    }
  check_filesystem (path, "ramfs");
  check_filesystem (folder, "ramfs");
  g_assert_true (jank_mounts_find_path (beside, &mounted));
  g_assert_cmpstr (mounted.type, !=, "ramfs");

  /* By its descriptor a file's is known also when another one covers it. */
  fd = open (file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  g_assert_cmpint (mount ("jank2", folder, "tmpfs", 0, NULL), ==, 0);
  check_filesystem (path, "tmpfs");
  jank_descriptor_look (fd, &descriptor);
  g_assert_cmpstr (descriptor.filesystem, ==, "ramfs");
  g_assert_cmpstr (descriptor.mount, ==, folder);
  close (fd);
  g_assert_cmpint (umount (folder), ==, 0);
  g_assert_cmpint (umount (folder), ==, 0);
  g_rmdir (folder);
}

TEST (remote)
{
  static const char *const remote[] = { "nfs", "nfs4", "fuse.sshfs", "fuseblk", "cifs", "9p", "autofs" };
  static const char *const local[] = { "", "ext4", "btrfs", "tmpfs", "xfs", "proc", "overlay" };

  for (guint i = 0; i < G_N_ELEMENTS (remote); i++)
    g_assert_true (jank_mounts_is_remote (remote[i]));
  for (guint i = 0; i < G_N_ELEMENTS (local); i++)
    g_assert_false (jank_mounts_is_remote (local[i]));
}

TEST (addresses)
{
  struct sockaddr_storage address = { 0 };
  struct sockaddr_in *in = (struct sockaddr_in *) &address;
  struct sockaddr_in6 *in6 = (struct sockaddr_in6 *) &address;
  struct sockaddr_un *un = (struct sockaddr_un *) &address;
  char text[128];

  g_assert_false (jank_socket_address_text (&address, 0, text, sizeof text));
  g_assert_false (jank_socket_address_text (&address, sizeof address, text, sizeof text));
  *in = (struct sockaddr_in) { AF_INET, htons (443), { inet_addr ("192.0.2.7") }, { 0 } };
  g_assert_true (jank_socket_address_text (&address, sizeof *in, text, sizeof text));
  g_assert_cmpstr (text, ==, "192.0.2.7:443");
  g_assert_false (jank_socket_address_text (&address, sizeof *in - 1, text, sizeof text));

  memset (&address, 0, sizeof address);
  in6->sin6_family = AF_INET6;
  in6->sin6_port = htons (80);
  g_assert_cmpint (inet_pton (AF_INET6, "2001:db8::1", &in6->sin6_addr), ==, 1);
  g_assert_true (jank_socket_address_text (&address, sizeof *in6, text, sizeof text));
  g_assert_cmpstr (text, ==, "[2001:db8::1]:80");

  memset (&address, 0, sizeof address);
  un->sun_family = AF_UNIX;
  memcpy (un->sun_path, "\0bus\0x", 6);
  g_assert_true (jank_socket_address_text (&address, sizeof un->sun_family + 6, text, sizeof text));
  g_assert_cmpstr (text, ==, "@bus@x");
  memset (un->sun_path, 'p', sizeof un->sun_path);
  g_assert_true (jank_socket_address_text (&address, sizeof *un, text, sizeof text));
  g_assert_cmpuint (strlen (text), ==, sizeof un->sun_path);
  g_assert_false (jank_socket_address_text (&address, sizeof un->sun_family, text, sizeof text));
}

TEST (text)
{
  char text[16];

  jank_proc_text (text, sizeof text, "plain");
  g_assert_cmpstr (text, ==, "plain");
  jank_proc_text (text, sizeof text, "a\nb\tc\x7f");
  g_assert_cmpstr (text, ==, "a?b?c?");
  jank_proc_text (text, sizeof text, "/a/long/way/to/the/file");
  g_assert_cmpstr (text, ==, "…/to/the/file");
  jank_proc_text (text, sizeof text, "\xff\xfe\xfd\xfc\xfb\xfa\xf9");
  g_assert_true (g_utf8_validate (text, -1, NULL));
  jank_proc_text (text, sizeof text, "ääääääääääääää");
  g_assert_true (g_utf8_validate (text, -1, NULL));
  g_assert_true (g_str_has_prefix (text, "…"));

  jank_proc_get_name (0, text, sizeof text);
  g_assert_cmpstr (text, ==, "");
  jank_proc_get_name (G_MAXINT, text, sizeof text);
  g_assert_cmpstr (text, ==, "");
  g_assert_cmpint (jank_proc_find_thread (0, getpid ()), ==, getpid ());
  g_assert_cmpint (jank_proc_find_thread (0, 0), ==, 0);
  g_assert_cmpint (jank_proc_find_thread (0, -5), ==, 0);
  g_assert_cmpint (jank_proc_find_thread (0, G_MAXINT), ==, 0);
}

TESTS ("/descriptors/descriptor")
