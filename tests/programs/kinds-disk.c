/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stalls in files of the slow disk. */

#include "kinds.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAP_FAULT_NS (20 * NS_PER_MS)
#define PAGE_BYTES 4096
#define READ_BYTES 8192

static char *slow_path;
static int slow_fd = -1;
static char *slow_map;
static int (*plugin_opens) (const char *path);

static void
prepare (const char *name, SlowOperation operation, gint64 delay_ns, const char *content)
{
  slow_path = slow_disk_start (name, operation, delay_ns, content);
  g_strlcpy (truth.target, slow_path, sizeof truth.target);
}

static void
open_slow (int flags)
{
  slow_fd = open (slow_path, flags | O_CLOEXEC);
  kinds_check (slow_fd >= 0, slow_path);
}

static void
prepare_read (gint64 length_ns)
{
  prepare ("photos.db", SLOW_READ, length_ns, NULL);
  open_slow (O_RDONLY);
  truth.n_bytes = READ_BYTES;
}

STALL (stall_in_slow_read)
{
  static char buffer[READ_BYTES];

  staller_sink += (guint64) pread (slow_fd, buffer, sizeof buffer, 0);
}

PREPARES (prepare_uses, prepare ("many uses.png", SLOW_LOOKUP, length_ns / 4, NULL))

/* Four calls, each of which asks for the file. */
STALL (stall_in_slow_uses)
{
  struct stat info;

  staller_sink += (guint64) stat (slow_path, &info);
  staller_sink += (guint64) access (slow_path, R_OK);
  staller_sink += (guint64) open (slow_path, O_RDONLY | O_CLOEXEC);
  staller_sink += (guint64) stat (slow_path, &info);
}

static void
prepare_fsync (gint64 length_ns)
{
  prepare ("settings.ini", SLOW_FSYNC, length_ns, NULL);
  open_slow (O_RDWR);
}

STALL (stall_in_slow_fsync)
{
  staller_sink += (guint64) write (slow_fd, "j", 1);
  staller_sink += (guint64) fsync (slow_fd);
}

static void
prepare_map (gint64 length_ns)
{
  prepare ("map tiles", SLOW_READ, MAP_FAULT_NS, NULL);
  open_slow (O_RDONLY);
  slow_map = mmap (NULL, 4 << 20, PROT_READ, MAP_PRIVATE, slow_fd, 0);
  kinds_check (slow_map != MAP_FAILED, "mmap");
  madvise (slow_map, 4 << 20, MADV_RANDOM);
}

/* One page, one wait. */
STALL (stall_in_slow_map)
{
  gint64 until_ns = now_ns () + length_ns;

  for (gsize page = 0; now_ns () < until_ns; page += 3)
    staller_sink += (guint64) ((volatile char *) slow_map)[page * PAGE_BYTES];
}

static void
prepare_dlopen (gint64 length_ns)
{
  g_autofree char *plugin = kinds_plugin_path ();

  prepare ("plugin.so", SLOW_READ, length_ns / 2, plugin);
  /* The report is late where it has to read the slow file, too. */
  truth.rest_ms = 800;
}

STALL (stall_in_slow_dlopen)
{
  void *plugin = dlopen (slow_path, RTLD_NOW | RTLD_LOCAL);

  staller_sink += plugin != NULL;
}

/* The mount hangs: its process is stopped before the stall. */
PREPARES (hang, kinds_check (kill (truth.peer_pid, SIGSTOP) == 0, "kill"))

static void
prepare_hung_code (gint64 length_ns)
{
  g_autofree char *plugin = kinds_plugin_path ();
  void *handle;

  prepare ("plugin.so", SLOW_NONE, 0, plugin);
  open_slow (O_RDONLY);
  handle = dlopen (slow_path, RTLD_NOW | RTLD_LOCAL);
  kinds_check (handle != NULL, slow_path);
  plugin_opens = (int (*) (const char *)) dlsym (handle, "kinds_plugin_opens");
  kinds_check (plugin_opens != NULL, "dlsym");
}

/* The code that waits is on the mount, too. */
STALL (stall_in_hung_code)
{
  staller_sink += (guint64) plugin_opens (slow_path);
}

const Kind kinds_slow_disk[] = {
  { "slow-read", KIND (stall_in_slow_read), "blocked", "file", "pread64", prepare_read },
  { "slow-uses", KIND (stall_in_slow_uses), "blocked", "file", NULL, prepare_uses },
  { "slow-fsync", KIND (stall_in_slow_fsync), "blocked", "file", "fsync", prepare_fsync },
  { "slow-map", KIND (stall_in_slow_map), "page-fault", "page", NULL, prepare_map },
  { "slow-dlopen", KIND (stall_in_slow_dlopen), NULL, NULL, NULL, prepare_dlopen },
  { "hung-read", KIND (stall_in_slow_read), "blocked", "file", "pread64", prepare_read, hang },
  { "hung-map", KIND (stall_in_slow_map), "page-fault", "page", NULL, prepare_map, hang },
  { "hung-code", "kinds_plugin_opens", stall_in_hung_code, "blocked", "file", "openat", prepare_hung_code, hang },
};
const guint n_kinds_slow_disk = G_N_ELEMENTS (kinds_slow_disk);
