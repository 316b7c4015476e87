/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Locks that children hold, in the bytes that SQLite uses and in others. */

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folder.h"
#include "look.h"
#include "test.h"
#include "descriptors/jank-file-locks-private.h"

#define RESERVED_BYTE  (0x40000000 + 1)
#define SHARED_BYTE    (0x40000000 + 2)
#define WAL_WRITE_BYTE 120
#define WHOLE_FILE     (-1) /* in place of a kind of lock: by flock() */

/* Two files of a folder, open. */
typedef struct
{
  char *folder, *paths[2]; /* (owned) */
  int   fds[2];
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "a.db", "b.db-shm" };

  fixture->folder = folder_new ("locks");
  for (guint i = 0; i < 2; i++)
    {
      fixture->paths[i] = g_build_filename (fixture->folder, names[i], NULL);
      fixture->fds[i] = open (fixture->paths[i], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
      g_assert_cmpint (fixture->fds[i], >=, 0);
    }
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  for (guint i = 0; i < 2; i++)
    {
      close (fixture->fds[i]);
      g_free (fixture->paths[i]);
    }
  folder_remove (fixture->folder);
  g_free (fixture->folder);
}

static void
lock_byte (int fd, short type, off_t byte)
{
  struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };

  g_assert_cmpint (fcntl (fd, F_SETLK, &lock), ==, 0);
}

/* In the child. */
static void
hold (const char *path, short type, off_t byte, int ready)
{
  int fd = open (path, O_RDWR | O_CLOEXEC);

  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (type == WHOLE_FILE)
    g_assert_cmpint (flock (fd, LOCK_EX), ==, 0);
  else
    lock_byte (fd, type, byte);
  g_assert_cmpint (write (ready, "", 1), ==, 1);
  for (;;)
    pause ();
}

/* Returns: a child that holds the lock */
static pid_t
start_holder (const char *path, short type, off_t byte)
{
  int ready[2];
  char answer;
  pid_t child;

  g_assert_cmpint (pipe (ready), ==, 0);
  child = fork ();
  if (child == 0)
    hold (path, type, byte, ready[1]);
  g_assert_cmpint (read (ready[0], &answer, 1), ==, 1);
  close (ready[0]);
  close (ready[1]);
  return child;
}

static void
end_holder (pid_t child)
{
  kill (child, SIGKILL);
  g_assert_cmpint (waitpid (child, NULL, 0), ==, child);
}

/* expected: pid, 0: the file alone, -1: no database */
static void
check_database (Fixture *fixture, guint file, pid_t expected)
{
  int fd;
  pid_t pid;
  gboolean found = jank_file_locks_find_database (&fd, &pid);

  g_assert_cmpint (found, ==, expected >= 0);
  if (!found)
    return;
  g_assert_cmpint (fd, ==, fixture->fds[file]);
  g_assert_cmpint (pid, ==, expected);
}

TEST_WITH (Fixture, set_up, tear_down, fixture, database)
{
  pid_t writer, reader, other;

  check_database (fixture, 0, -1);
  reader = start_holder (fixture->paths[0], F_RDLCK, SHARED_BYTE);
  /* Who reads keeps nobody from reading. */
  check_database (fixture, 0, -1);
  writer = start_holder (fixture->paths[0], F_WRLCK, RESERVED_BYTE);
  check_database (fixture, 0, writer);
  other = start_holder (fixture->paths[1], F_WRLCK, WAL_WRITE_BYTE);
  /* Two are locked. */
  check_database (fixture, 0, -1);
  end_holder (writer);
  check_database (fixture, 1, other);
  end_holder (other);
  end_holder (reader);
  check_database (fixture, 0, -1);
}

TEST_WITH (Fixture, set_up, tear_down, fixture, own)
{
  pid_t reader;

  lock_byte (fixture->fds[0], F_WRLCK, RESERVED_BYTE);
  check_database (fixture, 0, getpid ());
  /* Either another connection of the program holds it up, or that reader. */
  reader = start_holder (fixture->paths[0], F_RDLCK, SHARED_BYTE);
  check_database (fixture, 0, 0);
  end_holder (reader);
}

/* Locks in bytes that SQLite does not use there. */
TEST_WITH (Fixture, set_up, tear_down, fixture, other_bytes)
{
  static const struct { guint file; short type; off_t byte; } locks[] = {
    { 0, F_WRLCK, 0 }, { 0, F_WRLCK, WAL_WRITE_BYTE }, { 1, F_WRLCK, RESERVED_BYTE }, { 0, WHOLE_FILE, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (locks); i++)
    {
      pid_t holder = start_holder (fixture->paths[locks[i].file], locks[i].type, locks[i].byte);

      check_database (fixture, 0, -1);
      end_holder (holder);
    }
}

static void
flock_func (Worker *worker, gpointer fd)
{
  g_assert_cmpint (flock (*(int *) fd, LOCK_EX), ==, 0);
  g_assert_cmpint (flock (*(int *) fd, LOCK_UN), ==, 0);
}

static void
fcntl_func (Worker *worker, gpointer fd)
{
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 7, .l_len = 1 };

  g_assert_cmpint (fcntl (*(int *) fd, F_SETLKW, &lock), ==, 0);
}

TEST_WITH (Fixture, set_up, tear_down, fixture, holder)
{
  const struct { void (*func) (Worker *worker, gpointer fd); short type; long number; } waits[] = {
    { flock_func, WHOLE_FILE, SYS_flock }, { fcntl_func, F_WRLCK, SYS_fcntl },
  };

  for (guint i = 0; i < G_N_ELEMENTS (waits); i++)
    {
      pid_t holder = start_holder (fixture->paths[0], waits[i].type, 7);
      pid_t other = start_holder (fixture->paths[1], WHOLE_FILE, 0);
      Worker *worker = worker_new (waits[i].func, &fixture->fds[0]);
      g_autoptr (JankWait) wait = look_at (worker, waits[i].number, NULL);
      g_autofree char *ending = g_strdup_printf (", held by %s[%d]", wait != NULL ? wait->peer : "", (int) holder);
      g_autoptr (GArray) locks = jank_file_locks_read (), again = jank_file_locks_read ();

      g_assert_nonnull (wait);
      g_assert_cmpint (wait->peer_pid, ==, holder);
      g_assert_cmpstr (wait->peer, !=, "");
      g_assert_true (g_str_has_suffix (wait->detail, ending));
      /* As the kernel says it where others take locks meanwhile. */
      g_array_append_vals (locks, again->data, again->len);
      g_assert_cmpint (jank_file_locks_find_wait (locks, getpid (), 0)->pid, ==, holder);
      /* Nobody waits for the other. */
      g_assert_cmpint (jank_file_locks_find_holder (fixture->fds[1]), ==, 0);
      end_holder (holder);
      end_holder (other);
      worker_free (worker);
    }
}

TESTS ("/descriptors/file-locks")
