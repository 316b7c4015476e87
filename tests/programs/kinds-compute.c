/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stalls of a thread that wants a CPU or memory. */

#include "kinds.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clock.h"

#define N_BUSY 8
#define MAP_BYTES (64 << 20)
#define PAGE_BYTES 4096

static double sqrt_sum;
static char *map;
static int map_fd;
static char *plugin_path;
static gsize n_image_bytes = (gsize) 1 << 28;

static void
busy_child (void)
{
  while (TRUE)
    staller_sink = staller_sink * 31 + 7;
}

static void
prepare_busy (gint64 length_ns)
{
  const HolderJob job = { .give = busy_child };

  for (int i = 0; i < N_BUSY; i++)
    holder_start_child ("busy", &job, length_ns);
}

STALL (stall_in_sqrt_loop)
{
  gint64 until_ns = now_ns () + length_ns;

  while (now_ns () < until_ns)
    {
      for (int i = 1; i < 500; i++)
        sqrt_sum += sqrt (sqrt_sum + i);
    }
}

STALL (stall_in_malloc_storm)
{
  gint64 until_ns = now_ns () + length_ns;
  enum { N_BLOCKS = 256 };
  void *blocks[N_BLOCKS];

  while (now_ns () < until_ns)
    {
      for (int i = 0; i < N_BLOCKS; i++)
        {
          blocks[i] = malloc ((gsize) (16 + i * 24));
          memset (blocks[i], i, 16);
        }
      for (int i = 0; i < N_BLOCKS; i++)
        free (blocks[(i * 7) % N_BLOCKS]);
    }
}

static int
count_segments_cb (struct dl_phdr_info *info, size_t size, void *data)
{
  *(guint64 *) data += info->dlpi_phnum;
  return 0;
}

/* Under the loader's lock most of the time. */
STALL (stall_in_dl_iterate_phdr)
{
  gint64 until_ns = now_ns () + length_ns;

  while (now_ns () < until_ns)
    for (int i = 0; i < 100; i++)
      dl_iterate_phdr (count_segments_cb, &staller_sink);
}

static void
prepare_map (gint64 length_ns)
{
  g_autofree char *block = g_malloc (1 << 20);
  char path[] = "/var/tmp/kinds-map-XXXXXX";

  map_fd = g_mkstemp_full (path, O_RDWR | O_CLOEXEC, 0600);
  kinds_check (map_fd >= 0, path);
  g_snprintf (truth.target, sizeof truth.target, "%s", path);
  unlink (path);
  memset (block, 'j', 1 << 20);
  for (int i = 0; i < MAP_BYTES >> 20; i++)
    kinds_check (write (map_fd, block, 1 << 20) == 1 << 20, "write");
  kinds_check (fsync (map_fd) == 0, "fsync");
  map = mmap (NULL, MAP_BYTES, PROT_READ, MAP_SHARED, map_fd, 0);
  kinds_check (map != MAP_FAILED, "mmap");
  madvise (map, MAP_BYTES, MADV_RANDOM);
}

STALL (stall_in_major_faults)
{
  gint64 until_ns = now_ns () + length_ns;

  while (now_ns () < until_ns)
    {
      madvise (map, MAP_BYTES, MADV_DONTNEED);
      posix_fadvise (map_fd, 0, 0, POSIX_FADV_DONTNEED);
      for (gsize i = 0; i < MAP_BYTES / PAGE_BYTES && now_ns () < until_ns; i++)
        staller_sink += (guint64) ((volatile char *) map)[i * 7919 % (MAP_BYTES / PAGE_BYTES) * PAGE_BYTES];
    }
}

static void
prepare_dlopen (gint64 length_ns)
{
  g_autofree char *length = g_strdup_printf ("%d", (int) (length_ns / NS_PER_MS));

  plugin_path = kinds_plugin_path ();
  g_setenv ("KINDS_PLUGIN_MS", length, TRUE);
}

STALL (stall_in_dlopen)
{
  void *plugin = dlopen (plugin_path, RTLD_NOW | RTLD_LOCAL);

  kinds_check (plugin != NULL, plugin_path);
}

/* One system call: the kernel fills the tables of so much memory, and lets no other thread of the program have more
 * meanwhile. */
STALL (stall_in_kernel)
{
  void *image = mmap (NULL, n_image_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

  kinds_check (image != MAP_FAILED, "mmap");
  munmap (image, n_image_bytes);
}

static void
prepare_image (gint64 length_ns)
{
  gint64 cpu_ns = -read_clock_ns (CLOCK_THREAD_CPUTIME_ID);

  stall_in_kernel (length_ns);
  cpu_ns += read_clock_ns (CLOCK_THREAD_CPUTIME_ID);
  n_image_bytes *= (gsize) (length_ns / cpu_ns + 1);
}

const Kind kinds_compute[] = {
  { "preempted", KIND (stall_in_sqrt_loop), "preempted", NULL, NULL, prepare_busy },
  { "malloc", KIND (stall_in_malloc_storm), "computing" },
  { "kernel", KIND (stall_in_kernel), "computing", NULL, NULL, prepare_image },
  { "dl-iterate-phdr", KIND (stall_in_dl_iterate_phdr), "computing" },
  { "major-faults", KIND (stall_in_major_faults), "page-fault", NULL, NULL, prepare_map },
  /* The function that dlopen() calls is the program's too, and deeper. */
  { "dlopen", "kinds_plugin_prepare_tables", stall_in_dlopen, "computing", NULL, NULL, prepare_dlopen },
};
const guint n_kinds_compute = G_N_ELEMENTS (kinds_compute);
