/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/jank-clock-private.h"
#include "base/jank-memory-private.h"
#include "base/jank-memory-sigsafe-private.h"
#include "sanitizer.h"
#include "test.h"

#define PAGE     ((gsize) 4096)
#define N_PAGES  8
#define PATTERN  0xa5
#define RACE_NS  (JANK_NS_PER_S / 2)

static guint8 *
map_pages (void)
{
  guint8 *pages = mmap (NULL, N_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  g_assert_true (pages != MAP_FAILED);
  memset (pages, PATTERN, N_PAGES * PAGE);
  return pages;
}

/* Not to be read. Unmapped ones may be, once a sanitizer's allocator has taken their place. */
static void
hide (guint8 *from, gsize n_bytes)
{
  g_assert_cmpint (mprotect (from, n_bytes, PROT_NONE), ==, 0);
}

/* Reads [from, from + n_bytes) and checks that exactly n_readable of it came, all as written. */
static void
assert_reads (const guint8 *from, gsize n_bytes, gsize n_readable)
{
  g_autofree guint8 *buffer = g_malloc0 (n_bytes + 1);

  g_assert_cmpuint (jank_memory_read ((guintptr) from, buffer, n_bytes), ==, n_readable);
  for (gsize i = 0; i < n_readable; i++)
    g_assert_cmpuint (buffer[i], ==, PATTERN);
  for (gsize i = n_readable; i <= n_bytes; i++)
    g_assert_cmpuint (buffer[i], ==, 0);
  g_assert_true (jank_memory_read_all ((guintptr) from, buffer, n_bytes) == (n_readable == n_bytes));
}

TEST (mapped)
{
  guint8 *pages = map_pages ();

  assert_reads (pages, N_PAGES * PAGE, N_PAGES * PAGE);
  assert_reads (pages + 123, 1, 1);
  assert_reads (pages + PAGE - 1, 2, 2);
  assert_reads (pages, 0, 0);
  munmap (pages, N_PAGES * PAGE);
}

TEST (unmapped)
{
  guint8 *pages = map_pages ();
  guint8 byte;

  hide (pages, N_PAGES * PAGE);
  assert_reads (pages, N_PAGES * PAGE, 0);
  assert_reads (pages + 5, 1, 0);
  munmap (pages, N_PAGES * PAGE);
  g_assert_cmpuint (jank_memory_read ((guintptr) pages + 5, &byte, 1), ==, 0);
  g_assert_cmpuint (jank_memory_read (0, &byte, 1), ==, 0);
  g_assert_cmpuint (jank_memory_read (8, &byte, 1), ==, 0);
  g_assert_cmpuint (jank_memory_read (G_MAXUINT64, &byte, 1), ==, 0);
  g_assert_cmpuint (jank_memory_read (UINT64_C (0xffff800000000000), &byte, 1), ==, 0);
  g_assert_cmpuint (jank_memory_read (UINT64_C (0x8000000000000000), &byte, 1), ==, 0);
}

TEST (partial)
{
  guint8 *pages = map_pages ();

  hide (pages + 3 * PAGE, PAGE);
  assert_reads (pages, N_PAGES * PAGE, 3 * PAGE);
  assert_reads (pages + 100, 4 * PAGE, 3 * PAGE - 100);
  assert_reads (pages + 3 * PAGE - 7, 8, 7);
  assert_reads (pages + 3 * PAGE, PAGE + 1, 0);
  assert_reads (pages + 4 * PAGE, 4 * PAGE, 4 * PAGE);

  hide (pages + 6 * PAGE, PAGE);
  assert_reads (pages + 4 * PAGE + 9, 4 * PAGE - 9, 2 * PAGE - 9);
  munmap (pages, N_PAGES * PAGE);
}

TEST (pieces)
{
  guint64 first = 0x0123456789abcdef, second = 42, copies[3] = { 0 };
  JankMemoryPiece pieces[3] = {
    { (guintptr) &first, &copies[0], sizeof first }, { (guintptr) &second, &copies[1], sizeof second },
        { 8, &copies[2], 8 },
  };

  g_assert_true (jank_memory_read_pieces (pieces, 2));
  g_assert_cmphex (copies[0], ==, first);
  g_assert_cmphex (copies[1], ==, second);
  g_assert_false (jank_memory_read_pieces (pieces, 3));
}

/* Follows a list that leads back to itself. */
static guint
follow_ring (guint max)
{
  guint64 ring = (guintptr) &ring, at = ring;
  guint n = 0;
  JANK_MEMORY_BUDGET (max);

  while (jank_memory_read_all (at, &at, sizeof at))
    n++;
  g_assert_false (jank_memory_read_pieces (&(JankMemoryPiece) { ring, &at, sizeof at }, 1));
  return n;
}

static guint
follow_ring_within (guint max)
{
  JANK_MEMORY_BUDGET (max);

  return follow_ring (1000);
}

/* What comes after it is read. */
TEST (budget)
{
  g_assert_cmpuint (follow_ring (100), ==, 100);
  g_assert_cmpuint (follow_ring_within (10), ==, 10);
  assert_reads ((const guint8 *) "\xa5", 1, 1);
}

TEST (text)
{
  guint8 *pages = map_pages ();
  char *text = (char *) pages + PAGE - 6;
  char buffer[16];

  hide (pages + PAGE, PAGE);
  memcpy (text, "abcde", 6);
  g_assert_true (jank_memory_read_text ((guintptr) text, buffer, sizeof buffer));
  g_assert_cmpstr (buffer, ==, "abcde");
  /* Cut by the buffer, and by the end of what is mapped. */
  g_assert_true (jank_memory_read_text ((guintptr) text, buffer, 4));
  g_assert_cmpstr (buffer, ==, "abc");
  text[5] = 'f';
  g_assert_true (jank_memory_read_text ((guintptr) text, buffer, sizeof buffer));
  g_assert_cmpstr (buffer, ==, "abcdef");

  g_assert_false (jank_memory_read_text ((guintptr) pages + PAGE, buffer, sizeof buffer));
  g_assert_cmpstr (buffer, ==, "");
  g_assert_false (jank_memory_read_text (0, buffer, sizeof buffer));
  g_assert_false (jank_memory_read_text ((guintptr) text, buffer, 0));
  munmap (pages, N_PAGES * PAGE);
}

/* The handler's copy ends before the first page that cannot be read, wherever that is. */
TEST (handler)
{
  const gsize offsets[] = { 0, 8, PAGE - 8, PAGE - 1 };
  guint8 *pages = map_pages ();
  static guint8 buffer[N_PAGES * PAGE];

  for (gsize hole = 0; hole <= N_PAGES; hole++)
    {
      if (hole < N_PAGES)
        hide (pages + hole * PAGE, PAGE);
      for (gsize i = 0; i < G_N_ELEMENTS (offsets); i++)
        for (gsize end = offsets[i]; end <= sizeof buffer; end += PAGE / 4 - 1)
          {
            gsize n_readable = MIN (end, hole * PAGE) - MIN (offsets[i], hole * PAGE);

            memset (buffer, 0, sizeof buffer);
            errno = EXDEV;
            g_assert_cmpuint (jank_memory_copy_sigsafe (buffer, (guintptr) pages + offsets[i], end - offsets[i]), ==,
                              n_readable);
            g_assert_cmpint (errno, ==, EXDEV);
            for (gsize j = 0; j < sizeof buffer; j += 7)
              g_assert_cmpuint (buffer[j], ==, j < n_readable ? PATTERN : 0);
          }
      if (hole < N_PAGES)
        g_assert_cmpint (mprotect (pages + hole * PAGE, PAGE, PROT_READ | PROT_WRITE), ==, 0);
    }
  munmap (pages, N_PAGES * PAGE);
}

typedef struct
{
  guint8 *pages;
  gint    stop; /* (atomic) */
} Race;

/* Frees the upper half and brings it back, over and over. */
static gpointer
remap_thread (gpointer data)
{
  Race *race = data;
  guint8 *upper = race->pages + N_PAGES / 2 * PAGE;
  gsize n_bytes = N_PAGES / 2 * PAGE;

  while (!g_atomic_int_get (&race->stop))
    {
      g_assert_true (mmap (upper, n_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == upper);
      g_assert_true (mmap (upper, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                           0) == upper);
      memset (upper, PATTERN, n_bytes);
    }
  return NULL;
}

TEST (freed_meanwhile)
{
  Race race = { .pages = map_pages () };
  GThread *thread = g_thread_new ("remap", remap_thread, &race);
  gint64 until_ns = jank_clock_now_ns () + RACE_NS;
  static guint8 buffer[N_PAGES * PAGE];
  guint n_whole = 0, n_cut = 0;

  while (jank_clock_now_ns () < until_ns)
    {
      gsize n = jank_memory_read ((guintptr) race.pages, buffer, sizeof buffer);

      g_assert_cmpuint (n, >=, sizeof buffer / 2);
      g_assert_cmpuint (n % PAGE, ==, 0);
      for (gsize i = 0; i < sizeof buffer / 2; i += 64)
        g_assert_cmpuint (buffer[i], ==, PATTERN);
      n_whole += n == sizeof buffer;
      n_cut += n < sizeof buffer;
    }

  g_atomic_int_set (&race.stop, 1);
  g_thread_join (thread);
  g_test_message ("%u whole, %u cut short", n_whole, n_cut);
  g_assert_cmpuint (n_whole + n_cut, >, 0);
  assert_reads (race.pages, sizeof buffer, sizeof buffer);
  munmap (race.pages, sizeof buffer);
}

#if !HAS_INTERCEPTORS
#define ROOM_BYTES  ((gsize) 1 << 20)
#define SMALL_BYTES 1000

/* What was found is the thread's own, and stays so when it is free again. */
static gpointer
use_room (gpointer data)
{
  struct rlimit before, none;
  void *pieces[ROOM_BYTES / SMALL_BYTES * 9 / 10];
  guint n_missing = 0, n_wrong = 0;

  getrlimit (RLIMIT_DATA, &before);
  none = before;
  none.rlim_cur = PAGE;
  g_assert_true (jank_memory_has_room (2 * ROOM_BYTES));

  setrlimit (RLIMIT_DATA, &none);
  for (guint round = 0; round < 100; round++)
    {
      n_wrong += !jank_memory_has_room (ROOM_BYTES);
      for (gsize i = 0; i < G_N_ELEMENTS (pieces); i++)
        n_missing += (pieces[i] = malloc (SMALL_BYTES)) == NULL;
      for (gsize i = 0; i < G_N_ELEMENTS (pieces); i++)
        free (pieces[i]);
      n_wrong += jank_memory_has_room (JANK_MEMORY_MAX_ROOM);
    }
  setrlimit (RLIMIT_DATA, &before);
  g_assert_cmpuint (n_missing, ==, 0);
  g_assert_cmpuint (n_wrong, ==, 0);
  g_assert_true (jank_memory_has_room (JANK_MEMORY_MAX_ROOM));
  jank_memory_leave_room ();
  return NULL;
}

TEST (room)
{
  g_thread_join (g_thread_new ("room", use_room, NULL));
}
#endif

TESTS ("/base/memory")
