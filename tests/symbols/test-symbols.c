/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <dlfcn.h>
#include <elf.h>
#include <string.h>
#include <glib/gstdio.h>

#include "symbols/jank-symbols-private.h"
#include "test.h"

#define BUILD_ID "\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff"

static G_GNUC_NO_INLINE int
own_static_function (int x)
{
  volatile int y = x;

  return y * 13 + 5;
}

/* A fixture in a file of its own, which a test may replace. */
typedef struct
{
  char *folder, *path, *data;
  gsize n_bytes;
  void *library;
} Copy;

static Copy
copy_fixture (const char *name)
{
  g_autofree char *built = g_test_build_filename (G_TEST_BUILT, name, NULL);
  g_autoptr (GError) error = NULL;
  Copy copy;

  copy.folder = g_dir_make_tmp ("jank-symbols-XXXXXX", &error);
  g_assert_no_error (error);
  copy.path = g_build_filename (copy.folder, "library.so", NULL);
  g_assert_true (g_file_get_contents (built, &copy.data, &copy.n_bytes, NULL));
  g_assert_true (g_file_set_contents (copy.path, copy.data, (gssize) copy.n_bytes, NULL));
  copy.library = dlopen (copy.path, RTLD_NOW | RTLD_LOCAL);
  g_assert_nonnull (copy.library);
  return copy;
}

static void
clear_copy (Copy *copy)
{
  dlclose (copy->library);
  g_unlink (copy->path);
  g_rmdir (copy->folder);
  g_free (copy->folder);
  g_free (copy->path);
  g_free (copy->data);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Copy, clear_copy)

static guint64
get_exported (const Copy *copy, const char *function)
{
  return (guintptr) dlsym (copy->library, function);
}

static guint64
get_static (const Copy *copy)
{
  return (guintptr) ((void *(*) (void)) dlsym (copy->library, "jank_fixture_get_static")) ();
}

static JankCall
make_frame (JankCodeMap *map, guint64 pc)
{
  return (JankCall) { pc, pc, jank_code_map_find (map, pc) };
}

static void
assert_symbol (JankCodeMap *map, guint64 start, const char *expected)
{
  JankCall frame = make_frame (map, start + 3);
  JankSymbol symbol;

  jank_symbols_resolve (map, &frame, 1, &symbol);
  g_assert_cmpstr (symbol.name, ==, expected);
  g_assert_cmphex (symbol.start, ==, expected != NULL ? start : 0);
  jank_symbols_clear (&symbol, 1);
}

TEST (program)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();

  assert_symbol (map, (guintptr) own_static_function, "own_static_function");
  g_assert_cmpint (own_static_function (1), ==, 18);
}

TEST (library)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  g_auto (Copy) copy = copy_fixture ("fixture.so");

  assert_symbol (map, get_exported (&copy, "jank_fixture_exported"), "jank_fixture_exported");
  assert_symbol (map, get_static (&copy), "fixture_static");
  assert_symbol (map, get_exported (&copy, "jank_fixture_versioned"), "jank_fixture_versioned");
}

TEST (stripped)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  g_auto (Copy) copy = copy_fixture ("fixture-stripped.so");

  assert_symbol (map, get_exported (&copy, "jank_fixture_exported"), "jank_fixture_exported");
  assert_symbol (map, get_static (&copy), NULL);
}

TEST (replaced)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  g_auto (Copy) copy = copy_fixture ("fixture.so");
  char *build_id;

  build_id = memmem (copy.data, copy.n_bytes, BUILD_ID, sizeof BUILD_ID - 1);
  g_assert_nonnull (build_id);
  build_id[15] ^= 1;
  assert_symbol (map, get_static (&copy), "fixture_static");
  g_assert_true (g_file_set_contents (copy.path, copy.data, (gssize) copy.n_bytes, NULL));
  assert_symbol (map, get_exported (&copy, "jank_fixture_exported"), NULL);
}

/* What a file has said once holds for as long as its code is loaded, also that a place has no name. */
TEST (remembered)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  g_autoptr (JankCodeMap) other = jank_code_map_new ();
  g_auto (Copy) copy = copy_fixture ("fixture.so"), stripped = copy_fixture ("fixture-stripped.so");

  assert_symbol (map, get_static (&copy), "fixture_static");
  assert_symbol (map, get_static (&stripped), NULL);
  g_unlink (copy.path);
  g_assert_true (g_file_set_contents (stripped.path, copy.data, (gssize) copy.n_bytes, NULL));

  assert_symbol (map, get_static (&copy), "fixture_static");
  assert_symbol (map, get_static (&stripped), NULL);
  assert_symbol (other, get_static (&copy), NULL);
  assert_symbol (other, get_static (&stripped), "fixture_static");
}

/* The same build-id, but so many symbols over everything that the reader gives up. */
static void
write_damaged (const Copy *copy)
{
  enum { N_SYMBOLS = 20000 };
  g_autoptr (GByteArray) damaged = g_byte_array_new ();
  const Elf64_Sym everything = { .st_name = 1, .st_info = STT_FUNC, .st_shndx = 1, .st_size = G_MAXUINT64 };
  const Elf64_Ehdr *header;
  Elf64_Shdr *sections;
  guint at = 0;

  g_byte_array_append (damaged, (const guint8 *) copy->data, (guint) copy->n_bytes);
  for (guint i = 0; i < N_SYMBOLS; i++)
    g_byte_array_append (damaged, (const guint8 *) &everything, sizeof everything);
  header = (const Elf64_Ehdr *) (void *) damaged->data;
  sections = (Elf64_Shdr *) (void *) (damaged->data + header->e_shoff);
  while (sections[at].sh_type != SHT_SYMTAB)
    g_assert_cmpuint (++at, <, header->e_shnum);
  sections[at].sh_offset = copy->n_bytes;
  sections[at].sh_size = N_SYMBOLS * sizeof everything;
  g_assert_true (g_file_set_contents (copy->path, (const char *) damaged->data, damaged->len, NULL));
}

/* What a file said before the reader gave up is nothing to remember. */
TEST (damaged)
{
  enum { N_FRAMES = 256 };
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  JankCall frames[N_FRAMES];
  JankSymbol symbols[N_FRAMES];
  g_auto (Copy) copy = copy_fixture ("fixture.so");

  for (guint i = 0; i < N_FRAMES; i++)
    frames[i] = make_frame (map, get_static (&copy) + i);
  write_damaged (&copy);
  jank_symbols_resolve (map, frames, N_FRAMES, symbols);
  g_assert_null (symbols[0].name);
  jank_symbols_clear (symbols, N_FRAMES);
  g_assert_true (g_file_set_contents (copy.path, copy.data, (gssize) copy.n_bytes, NULL));
  assert_symbol (map, get_static (&copy), "fixture_static");
}

/* A file that could not be read says nothing, and is asked again. */
TEST (asked_again)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  g_auto (Copy) copy = copy_fixture ("fixture.so");

  g_unlink (copy.path);
  assert_symbol (map, get_static (&copy), NULL);
  g_assert_true (g_file_set_contents (copy.path, copy.data, (gssize) copy.n_bytes, NULL));
  assert_symbol (map, get_static (&copy), "fixture_static");
}

/* Without a build-id the headers in memory tell. */
TEST (anonymous)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  g_auto (Copy) copy = copy_fixture ("fixture-anonymous.so");
  g_autofree char *other = NULL;
  g_autofree char *other_path = g_test_build_filename (G_TEST_BUILT, "fixture.so", NULL);
  gsize n_bytes;

  assert_symbol (map, get_static (&copy), "fixture_static");
  g_assert_true (g_file_get_contents (other_path, &other, &n_bytes, NULL));
  g_assert_true (g_file_set_contents (copy.path, other, (gssize) n_bytes, NULL));
  assert_symbol (map, get_static (&copy), NULL);
}

TESTS ("/symbols/symbols")
