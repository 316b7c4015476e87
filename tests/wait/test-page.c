/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which mapped file a page fault may be in, with mounts that nobody serves: to look them up asks none. */

#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "test.h"
#include "wait/jank-wait-page-private.h"

typedef struct
{
  char *folder;
  int   fd; /* -1: it cannot be mounted here */
  guint major, minor;
} Remote;

static void
mount_remote (Remote *self)
{
  g_autofree char *options = NULL;
  JankMount mounted;

  self->folder = g_dir_make_tmp ("jank page-XXXXXX", NULL);
  self->fd = open ("/dev/fuse", O_RDWR | O_CLOEXEC);
  options = g_strdup_printf ("fd=%d,rootmode=40000,user_id=0,group_id=0", self->fd);
  if (self->fd >= 0 && mount ("jank", self->folder, "fuse.slow", MS_NODEV | MS_NOSUID, options) != 0)
    {
      close (self->fd);
      self->fd = -1;
    }
  if (self->fd < 0)
    return;
  g_assert_true (jank_mounts_find_path (self->folder, &mounted));
  self->major = mounted.major;
  self->minor = mounted.minor;
}

static void
unmount_remote (Remote *self)
{
  if (self->fd >= 0)
    {
      g_assert_cmpint (umount2 (self->folder, MNT_DETACH), ==, 0);
      close (self->fd);
    }
  g_rmdir (self->folder);
  g_free (self->folder);
}

/* Returns: (transfer full): a line of maps */
static char *
line (const Remote *remote, const char *name)
{
  return g_strdup_printf ("7f00-7f10 r--p 00000000 %02x:%02x 2    %s/%s\n", remote->major, remote->minor,
                          remote->folder, name);
}

static void
check_mapped (const Remote *a, const Remote *b)
{
  static const char local[] = "7f00-7f10 r-xp 00000000 08:01 2    /usr/lib/a.so\n7f10-7f20 rw-p 00000000 00:00 0\n";
  const Remote covered = { a->folder, 0, 8, 1 };
  g_autofree char *one = line (a, "one"), *two = line (a, "two"), *other = line (b, "one");
  g_autofree char *before = line (&covered, "old"), *path = g_build_filename (a->folder, "one", NULL);
  const struct { const char *parts[5]; gboolean is_known, is_only; } cases[] = {
    { { local }, FALSE, FALSE },
    { { local, one, local, one }, TRUE, TRUE },
    { { local, one, two, one }, TRUE, FALSE },
    { { one, other }, FALSE, FALSE },
    { { before, local }, FALSE, FALSE },
    { { before, one }, TRUE, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *maps = g_strjoinv ("", (char **) cases[i].parts);
      JankMapped mapped;

      g_test_message ("case %u", i);
      g_assert_cmpint (jank_wait_page_find_mapped (maps, &mapped), ==, cases[i].is_known);
      if (!cases[i].is_known)
        continue;
      g_assert_cmpint (mapped.is_only, ==, cases[i].is_only);
      g_assert_cmpstr (mapped.path, ==, path);
      g_assert_cmpstr (mapped.mount.point, ==, a->folder);
      g_assert_cmpstr (mapped.mount.type, ==, "fuse.slow");
    }
}

TEST (mapped)
{
  Remote remotes[2];

  mount_remote (&remotes[0]);
  mount_remote (&remotes[1]);
  if (remotes[1].fd >= 0)
    check_mapped (&remotes[0], &remotes[1]);
  else
    g_test_skip ("nothing can be mounted here");
  unmount_remote (&remotes[1]);
  unmount_remote (&remotes[0]);
}

TEST (disks)
{
  static const char idle[] = "   7       0 loop0 3 0 14 0 0 0 0 0 0 8 8 0 0 0 0 0 0\n"
                             " 254       0 vda 158459 140890 35328962 2034510 2314613 871378 38038946 2086978 0 50 4\n";
  g_autofree char *busy = g_strconcat (idle, " 254       1 vda1 1 0 1 1 1 0 1 1 2 5 4 1 1 2 2 3 1\n", NULL);

  g_assert_false (jank_wait_page_is_disk_busy (""));
  g_assert_false (jank_wait_page_is_disk_busy ("no disk\n"));
  g_assert_false (jank_wait_page_is_disk_busy (idle));
  g_assert_true (jank_wait_page_is_disk_busy (busy));
}

TESTS ("/wait/page")
