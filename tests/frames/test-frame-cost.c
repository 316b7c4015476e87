/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a frame costs the observed thread: no memory, no lock, no system call, and how long. The linker
 * sends every such call of the stage through the counters below. */

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <glib.h>

#include "base/jank-clock-private.h"
#include "frames/jank-frame-clocks-private.h"
#include "test.h"

#define N_FRAMES 200000
#define HZ_60    INT64_C (16666667)

static guint n_calls;

#define COUNT(type, name, parameters, arguments) \
  type __real_##name parameters; \
  type __wrap_##name parameters; \
  type __wrap_##name parameters { n_calls++; return __real_##name arguments; }

COUNT (void *, malloc, (size_t n), (n))
COUNT (void *, calloc, (size_t n, size_t size), (n, size))
COUNT (void *, realloc, (void *memory, size_t n), (memory, n))
COUNT (int, posix_memalign, (void **ret, size_t alignment, size_t n), (ret, alignment, n))
COUNT (void *, aligned_alloc, (size_t alignment, size_t n), (alignment, n))
COUNT (void, free, (void *memory), (memory))
COUNT (void *, mmap, (void *at, size_t n, int protection, int flags, int fd, off_t offset),
       (at, n, protection, flags, fd, offset))
COUNT (gpointer, g_malloc, (gsize n), (n))
COUNT (gpointer, g_malloc0, (gsize n), (n))
COUNT (gpointer, g_realloc, (gpointer memory, gsize n), (memory, n))
COUNT (gpointer, g_slice_alloc, (gsize n), (n))
COUNT (void, g_free, (gpointer memory), (memory))
COUNT (int, pthread_mutex_lock, (pthread_mutex_t *lock), (lock))
COUNT (int, pthread_rwlock_rdlock, (pthread_rwlock_t *lock), (lock))
COUNT (int, pthread_rwlock_wrlock, (pthread_rwlock_t *lock), (lock))
COUNT (void, g_mutex_lock, (GMutex *lock), (lock))
COUNT (int, sched_yield, (void), ())
COUNT (int, clock_gettime, (clockid_t clock, struct timespec *ret), (clock, ret))

/* An animation with everything in it, made before it is played. */
static JankFrameEvent *
make_frames (void)
{
  JankFrameEvent *events = g_new0 (JankFrameEvent, N_FRAMES);
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  gint64 now_ns = JANK_NS_PER_S;

  for (guint i = 0; i < N_FRAMES; i++)
    {
      gint64 work_ns = g_rand_int_range (random, 1, i % 20 == 0 ? 90 : 14) * JANK_NS_PER_MS;
      gint64 n_refreshes = work_ns / HZ_60 + 1 + (i % 50 == 0);

      events[i] = (JankFrameEvent) {
        .begin_ns = now_ns,
        .end_ns = now_ns + work_ns,
        .phase_ns = { [JANK_FRAME_PAINT] = work_ns },
        .cpu_ns = work_ns,
        .refresh_ns = i / 1000 % 2 == 0 ? HZ_60 : HZ_60 / 2,
        .flags = i % 300 == 0 ? 0 : JANK_FRAME_ANIMATING,
      };
      now_ns += n_refreshes * HZ_60 + g_rand_int_range (random, 0, 1000000);
    }
  return events;
}

TEST (counters)
{
  void *volatile memory;

  n_calls = 0;
  memory = malloc (8);
  free (memory);
  g_free (g_malloc (8));
  g_assert_cmpuint (n_calls, ==, 4);
}

TEST (nothing_called)
{
  g_autofree JankFrameEvent *events = make_frames ();
  g_autofree JankFrameClocks *clocks = g_new0 (JankFrameClocks, 1);
  JankFrameMeter *stats;
  guint n_seen;

  n_calls = 0;
  stats = jank_frame_clocks_open (clocks, "window");
  for (guint i = 0; i < N_FRAMES; i++)
    jank_frame_meter_add (stats, &events[i]);
  jank_frame_clocks_rename (clocks, stats, "another");
  jank_frame_clocks_close (clocks, stats);
  n_seen = n_calls;
  g_assert_cmpuint (n_seen, ==, 0);
}

TESTS ("/frames/frame-cost")
