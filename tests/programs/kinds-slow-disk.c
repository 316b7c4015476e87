/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A file system with one file, some of whose answers take their time: what a network share or a FUSE mount is on a
 * bad day. It speaks the kernel's FUSE protocol from a process of its own. */

#include "kinds.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_INODE 2
#define FILE_SIZE (4 << 20)
#define MINOR_VERSION 31
#define BUFFER_SIZE (256 * 1024)

static struct
{
  char *folder; /* (nullable): there is no disk */
  int fd;
  const char *name;
  SlowOperation operation;
  gint64 delay_ns;
  char *content; /* (nullable) */
  gsize size;
} disk;

/* Aligned as what is in it. */
static union
{
  struct fuse_in_header header;
  char bytes[BUFFER_SIZE];
} request;

static void
answer (int error, const void *data, gsize size)
{
  static char message[BUFFER_SIZE];
  struct fuse_out_header out =
      { .len = (guint32) (sizeof out + size), .error = -error, .unique = request.header.unique };

  memcpy (message, &out, sizeof out);
  if (size > 0)
    memcpy (message + sizeof out, data, size);
  /* A request that was given up has no reader any more. */
  if (write (disk.fd, message, out.len) < 0 && errno != ENOENT)
    _exit (4);
}

static struct fuse_attr
attributes (guint64 inode)
{
  return (struct fuse_attr) {
    .ino = inode,
    .size = inode == FILE_INODE ? disk.size : 0,
    .blocks = disk.size / 512,
    .mode = inode == FILE_INODE ? S_IFREG | 0755 : S_IFDIR | 0755,
    .nlink = 1,
    .uid = getuid (),
    .gid = getgid (),
    .blksize = 4096,
  };
}

static void
answer_init (void)
{
  struct fuse_init_out out = {
    .major = FUSE_KERNEL_VERSION,
    .minor = MINOR_VERSION,
    .max_background = 4,
    .congestion_threshold = 3,
    .max_write = 64 * 1024,
    .time_gran = 1,
  };

  answer (0, &out, sizeof out);
}

static void
answer_lookup (const char *name)
{
  struct fuse_entry_out out = { .nodeid = FILE_INODE, .attr = attributes (FILE_INODE) };

  if (strcmp (name, disk.name) == 0)
    answer (0, &out, sizeof out);
  else
    answer (ENOENT, NULL, 0);
}

static void
answer_getattr (void)
{
  struct fuse_attr_out out = { .attr_valid = 60, .attr = attributes (request.header.nodeid) };

  answer (0, &out, sizeof out);
}

static void
answer_open (void)
{
  /* What is mapped has to go through the page cache. */
  gboolean mapped = disk.content != NULL || disk.delay_ns < 100 * NS_PER_MS;
  struct fuse_open_out out = { .fh = 1, .open_flags = mapped ? 0 : FOPEN_DIRECT_IO };

  answer (0, &out, sizeof out);
}

static void
answer_read (const struct fuse_read_in *in)
{
  static char zeros[BUFFER_SIZE];
  gsize offset = MIN (in->offset, disk.size);
  gsize size = MIN (MIN (in->size, disk.size - offset), BUFFER_SIZE - sizeof (struct fuse_out_header));

  answer (0, disk.content != NULL ? disk.content + offset : zeros, size);
}

static void
answer_write (const struct fuse_write_in *in)
{
  struct fuse_write_out out = { .size = in->size };

  answer (0, &out, sizeof out);
}

static void
answer_request (void)
{
  const char *body = request.bytes + sizeof request.header;

  switch (request.header.opcode)
    {
    case FUSE_INIT:
      return answer_init ();
    case FUSE_LOOKUP:
      return answer_lookup (body);
    case FUSE_GETATTR:
    case FUSE_SETATTR:
      return answer_getattr ();
    case FUSE_OPEN:
    case FUSE_OPENDIR:
      return answer_open ();
    case FUSE_READ:
      return answer_read ((const void *) body);
    case FUSE_WRITE:
      return answer_write ((const void *) body);
    case FUSE_FSYNC:
    case FUSE_FLUSH:
    case FUSE_RELEASE:
    case FUSE_RELEASEDIR:
      return answer (0, NULL, 0);
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT:
      return;
    default:
      return answer (ENOSYS, NULL, 0);
    }
}

static gboolean
is_slow (guint32 opcode)
{
  static const guint32 opcodes[] = {
    [SLOW_LOOKUP] = FUSE_LOOKUP, [SLOW_READ] = FUSE_READ, [SLOW_FSYNC] = FUSE_FSYNC,
  };

  return disk.operation != SLOW_NONE && opcode == opcodes[disk.operation];
}

static void
serve (void)
{
  while (TRUE)
    {
      gssize size = read (disk.fd, request.bytes, sizeof request.bytes);

      if (size < 0 && errno != EINTR && errno != EAGAIN)
        _exit (0);
      if (size < (gssize) sizeof request.header)
        continue;
      if (is_slow (request.header.opcode))
        holder_sleeps (disk.delay_ns);
      answer_request ();
    }
}

/* Where only this program sees it, so that nothing is left mounted however it ends. */
static void
mount_disk (const char *folder)
{
  g_autofree char *options = NULL;

  if (unshare (CLONE_NEWNS) != 0 || mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
    kinds_cannot ("making a mount namespace");
  kinds_check (g_mkdir_with_parents (folder, 0700) == 0, "mkdir");
  disk.fd = open ("/dev/fuse", O_RDWR | O_CLOEXEC);
  if (disk.fd < 0)
    kinds_cannot ("opening /dev/fuse");
  options = g_strdup_printf ("fd=%d,rootmode=40000,user_id=%u,group_id=%u", disk.fd, getuid (), getgid ());
  if (mount ("slow", folder, "fuse.slow", MS_NOSUID | MS_NODEV, options) != 0)
    kinds_cannot ("mounting a file system of type fuse.slow");
}

char *
slow_disk_start (const char *name, SlowOperation operation, gint64 delay_ns, const char *content)
{
  disk.folder = kinds_path ("slow disk");
  disk.name = name;
  disk.operation = operation;
  disk.delay_ns = delay_ns;
  disk.size = FILE_SIZE;
  if (content != NULL)
    kinds_check (g_file_get_contents (content, &disk.content, &disk.size, NULL), content);
  mount_disk (disk.folder);
  truth.peer_pid = fork ();
  kinds_check (truth.peer_pid >= 0, "fork");
  if (truth.peer_pid == 0)
    {
      prctl (PR_SET_NAME, "slow-disk");
      prctl (PR_SET_PDEATHSIG, SIGKILL);
      serve ();
    }
  close (disk.fd);
  truth.filesystem = "fuse.slow";
  return g_build_filename (disk.folder, name, NULL);
}

void
slow_disk_stop (void)
{
  if (disk.folder != NULL)
    umount2 (disk.folder, MNT_DETACH);
}
