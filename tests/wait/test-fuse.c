/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A file system whose server, a thread of this test, keeps quiet for as long as it likes: what a thread waits for
 * there is found out without waiting for it, too. */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <glib/gstdio.h>

#include "base/jank-clock-private.h"
#include "look.h"

#define N_ROUNDS 20

#define ROOT_NODE 1
#define FILE_NODE 2

/* No look at a thread may take longer: it would have waited for the server. */
#define LOOK_NS JANK_NS_PER_S

typedef struct
{
  char     *folder; /* (owned) */
  int       fd;
  GThread  *thread;
  gint      holds;  /* (atomic) the operation that is not answered */
  guint64   held;   /* (atomic) request that waits for its answer */
} Server;

static void
answer (Server *self, guint64 unique, int error, gconstpointer body, gsize n_bytes)
{
  guint8 message[512];
  struct fuse_out_header header = { (guint32) (sizeof header + n_bytes), error, unique };

  memcpy (message, &header, sizeof header);
  memcpy (message + sizeof header, body, n_bytes);
  if (write (self->fd, message, sizeof header + n_bytes) < 0)
    g_assert_true (errno == ENOENT || errno == ENODEV);
}

static struct fuse_attr
get_attributes (guint64 node)
{
  return (struct fuse_attr) { .ino = node, .size = 1000, .nlink = 1,
                              .mode = node == ROOT_NODE ? S_IFDIR | 0755 : S_IFREG | 0644 };
}

static void
answer_request (Server *self, const struct fuse_in_header *request)
{
  struct fuse_init_out init = { .major = 7, .minor = 31, .max_write = 4096 };
  struct fuse_entry_out entry = { .nodeid = FILE_NODE, .attr = get_attributes (FILE_NODE) };
  struct fuse_attr_out attributes = { .attr = get_attributes (request->nodeid) };
  struct fuse_open_out opened = { .open_flags = FOPEN_DIRECT_IO };

  switch (request->opcode)
    {
    case FUSE_INIT:    answer (self, request->unique, 0, &init, sizeof init); break;
    case FUSE_LOOKUP:  answer (self, request->unique, 0, &entry, sizeof entry); break;
    case FUSE_GETATTR: answer (self, request->unique, 0, &attributes, sizeof attributes); break;
    case FUSE_OPEN:    answer (self, request->unique, 0, &opened, sizeof opened); break;
    case FUSE_READ:    answer (self, request->unique, 0, "x", 1); break;
    case FUSE_FLUSH: case FUSE_RELEASE: case FUSE_FSYNC:
      answer (self, request->unique, 0, "", 0);
      break;
    case FUSE_FORGET: case FUSE_BATCH_FORGET: case FUSE_INTERRUPT:
      break;
    default:
      answer (self, request->unique, -ENOSYS, "", 0);
    }
}

static gpointer
server_thread (gpointer data)
{
  Server *self = data;
  /* The kernel wants room for the largest write. */
  g_autofree guint8 *buffer = g_malloc (1 << 20);

  for (;;)
    {
      ssize_t n = read (self->fd, buffer, 1 << 20);
      const struct fuse_in_header *request = (const struct fuse_in_header *) buffer;

      if (n < 0 && errno == ENODEV)
        return NULL;
      if (n < (ssize_t) sizeof *request)
        continue;
      if ((gint) request->opcode == g_atomic_int_get (&self->holds))
        __atomic_store_n (&self->held, request->unique, __ATOMIC_RELEASE);
      else
        answer_request (self, request);
    }
}

/* Returns: (nullable): the test is skipped */
static Server *
server_new (void)
{
  Server *self = g_new0 (Server, 1);
  g_autofree char *options = NULL;

  self->folder = g_dir_make_tmp ("jank fuse-XXXXXX", NULL);
  self->fd = open ("/dev/fuse", O_RDWR | O_CLOEXEC);
  options = g_strdup_printf ("fd=%d,rootmode=40000,user_id=0,group_id=0", self->fd);
  if (self->fd < 0 || mount ("jank", self->folder, "fuse.jank", 0, options) != 0)
    {
      g_test_skip_printf ("mounting a FUSE file system: %s", g_strerror (errno));
      g_rmdir (self->folder);
      g_free (self->folder);
      g_free (self);
      return NULL;
    }
  self->thread = g_thread_new ("server", server_thread, self);
  return self;
}

static void
server_free (Server *self)
{
  umount2 (self->folder, MNT_DETACH);
  g_thread_join (self->thread);
  close (self->fd);
  g_rmdir (self->folder);
  g_free (self->folder);
  g_free (self);
}

/* Answers what was held. */
static void
let_go (Server *self)
{
  guint64 unique;
  struct fuse_in_header request = { .opcode = (guint32) g_atomic_int_get (&self->holds), .nodeid = FILE_NODE };

  while ((unique = __atomic_load_n (&self->held, __ATOMIC_ACQUIRE)) == 0)
    g_usleep (100);
  g_atomic_int_set (&self->holds, 0);
  __atomic_store_n (&self->held, 0, __ATOMIC_RELEASE);
  request.unique = unique;
  answer_request (self, &request);
}

typedef struct
{
  const char *name;
  guint32     operation; /* that the server holds */
  glong       number;
  const char *detail;    /* with %s for the path */
  gint64      n_bytes;
} Case;

static const Case cases[] = {
  { "open", FUSE_OPEN, SYS_openat, "openat of %s (fuse.jank)", -1 },
  { "look-up", FUSE_LOOKUP, SYS_openat, "openat of %s (fuse.jank)", -1 },
  { "read", FUSE_READ, SYS_read, "read of 100 bytes from %s (fuse.jank)", 100 },
  { "fsync", FUSE_FSYNC, SYS_fsync, "fsync on %s (fuse.jank)", -1 },
};

static void
use_file_func (Worker *worker, gpointer data)
{
  char buffer[100];
  int fd = open (data, O_RDWR | O_CLOEXEC);

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (read (fd, buffer, sizeof buffer), ==, 1);
  fsync (fd);
  close (fd);
}

static void
test_case (gconstpointer data)
{
  const Case *scene = data;
  Server *server = server_new ();
  gint64 longest_ns = 0;

  if (server == NULL)
    return;
  for (guint round = 0; round < N_ROUNDS; round++)
    {
      g_autofree char *path = g_strdup_printf ("%s/file %u", server->folder, round);
      g_autofree char *detail = NULL;
      g_autoptr (JankWait) wait = NULL;
      g_auto (GStrv) parts = g_strsplit (scene->detail, "%s", 2);
      Worker *worker;
      Look look;

      detail = g_strconcat (parts[0], path, parts[1], NULL);
      g_atomic_int_set (&server->holds, (gint) scene->operation);
      worker = worker_new (use_file_func, path);
      while (__atomic_load_n (&server->held, __ATOMIC_ACQUIRE) == 0)
        g_usleep (100);
      wait = look_at (worker, scene->number, &look);
      g_assert_nonnull (wait);
      longest_ns = MAX (longest_ns, look.wait_ns);
      g_assert_cmpstr (wait->detail, ==, detail);
      g_assert_cmpint (wait->kind, ==, JANK_WAIT_FILE);
      g_assert_cmpstr (wait->target, ==, path);
      g_assert_cmpstr (wait->filesystem, ==, "fuse.jank");
      g_assert_cmpint (wait->n_bytes, ==, scene->n_bytes);
      let_go (server);
      worker_free (worker);
    }
  g_test_message ("longest look: %.3f ms", longest_ns / 1e6);
  g_assert_cmpint (longest_ns, <, LOOK_NS);
  server_free (server);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/wait/fuse/", cases[i].name, NULL);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  return g_test_run ();
}
