/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <glib/gstdio.h>

#include "elf/jank-elf-private.h"
#include "base/jank-error.h"
#include "fuzz-elf-private.h"
#include "test.h"

#define N_ROUNDS 3000

static JankElf *
open_built (const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_BUILT, name, NULL);
  g_autoptr (GError) error = NULL;
  JankElf *elf = jank_elf_new (path, &error);

  g_assert_no_error (error);
  g_assert_nonnull (elf);
  return elf;
}

/* ELF virtual address of a function of the fixture; the static one is the one that it tells of. */
static guint64
find_address (const char *name, const char *function)
{
  g_autofree char *path = g_test_build_filename (G_TEST_BUILT, name, NULL);
  void *library = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  struct link_map *link_map;
  guintptr address;

  g_assert_nonnull (library);
  g_assert_cmpint (dlinfo (library, RTLD_DI_LINKMAP, &link_map), ==, 0);
  if (function != NULL)
    address = (guintptr) dlsym (library, function);
  else
    address = (guintptr) ((void *(*) (void)) dlsym (library, "jank_fixture_get_static")) ();
  address -= link_map->l_addr;
  dlclose (library);
  return address;
}

static void
assert_resolves (const char *name, const char *function, gint64 offset, const char *expected)
{
  g_autoptr (JankElf) elf = open_built (name);
  guint64 start = find_address (name, function);
  JankElfQuery query = { .address = start + offset };
  g_autoptr (GError) error = NULL;

  g_assert_true (jank_elf_resolve (elf, &query, 1, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (query.name, ==, expected);
  g_assert_cmphex (query.start, ==, expected != NULL ? start : 0);
  g_free (query.name);
}

TEST (build_id)
{
  static const guint8 expected[] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                     0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff };
  g_autoptr (JankElf) elf = open_built ("fixture.so");
  g_autoptr (JankElf) stripped = open_built ("fixture-stripped.so");
  g_autoptr (JankElf) anonymous = open_built ("fixture-anonymous.so");

  g_assert_cmpmem (elf->build_id, elf->n_build_id, expected, sizeof expected);
  g_assert_cmpmem (stripped->build_id, stripped->n_build_id, expected, sizeof expected);
  g_assert_cmpuint (anonymous->n_build_id, ==, 0);
}

TEST (symbols)
{
  assert_resolves ("fixture.so", "jank_fixture_exported", 3, "jank_fixture_exported");
  assert_resolves ("fixture.so", NULL, 3, "fixture_static");
  assert_resolves ("fixture-anonymous.so", NULL, 0, "fixture_static");
  assert_resolves ("fixture-stripped.so", "jank_fixture_exported", 3, "jank_fixture_exported");
}

/* The next exported function lies 16 bytes away: a reader that took the nearest would name it. */
TEST (never_nearest)
{
  assert_resolves ("fixture-stripped.so", NULL, 0, NULL);
  assert_resolves ("fixture-stripped.so", NULL, 3, NULL);
  assert_resolves ("fixture-stripped.so", "jank_fixture_get_static", -0x1000000, NULL);
  assert_resolves ("fixture-stripped.so", "jank_fixture_get_static", 0x1000000, NULL);
}

TEST (aliases)
{
  /* A weak and two global names; the shortest without underscores wins. */
  assert_resolves ("fixture.so", "jank_fixture_alias", 1, "jank_fixture_alias");
  assert_resolves ("fixture-stripped.so", "__jank_fixture_alias", 1, "jank_fixture_alias");
  /* A global name that carries a version, and a local one. */
  assert_resolves ("fixture.so", "jank_fixture_versioned", 1, "jank_fixture_versioned@@JANK_FIXTURE_1");
}

TEST (batch)
{
  g_autoptr (JankElf) elf = open_built ("fixture.so");
  guint64 start = find_address ("fixture.so", "jank_fixture_exported");
  JankElfQuery queries[] = { { .address = 1 }, { .address = start }, { .address = start },
                             { .address = start + 1 }, { .address = G_MAXUINT64 } };

  g_assert_true (jank_elf_resolve (elf, queries, G_N_ELEMENTS (queries), NULL));
  g_assert_null (queries[0].name);
  for (guint i = 1; i <= 3; i++)
    g_assert_cmpstr (queries[i].name, ==, "jank_fixture_exported");
  g_assert_null (queries[4].name);
  for (guint i = 0; i < G_N_ELEMENTS (queries); i++)
    g_free (queries[i].name);
}

static void
assert_refused (const char *path, JankError code)
{
  g_autoptr (GError) error = NULL;
  JankElf *elf = jank_elf_new (path, &error);

  g_assert_null (elf);
  g_assert_error (error, JANK_ERROR, (gint) code);
  g_assert_nonnull (strstr (error->message, path));
  g_test_message ("%s", error->message);
}

TEST (refused)
{
  g_autofree char *folder = g_dir_make_tmp ("jank-elf-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "file", NULL);
  int fd;

  assert_refused (path, JANK_ERROR_FAILED);
  assert_refused (folder, JANK_ERROR_INVALID);

  /* Nobody writes to it: opening must not wait. */
  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  assert_refused (path, JANK_ERROR_INVALID);
  g_unlink (path);

  g_assert_true (g_file_set_contents (path, "", 0, NULL));
  assert_refused (path, JANK_ERROR_INVALID);
  g_assert_true (g_file_set_contents (path, "#!/bin/sh\n# a script, longer than the header of an ELF file is\n", -1,
                                      NULL));
  assert_refused (path, JANK_ERROR_INVALID);

  fd = open (path, O_WRONLY);
  g_assert_cmpint (ftruncate (fd, (off_t) JANK_ELF_MAX_BYTES + 1), ==, 0);
  close (fd);
  assert_refused (path, JANK_ERROR_INVALID);

  g_unlink (path);
  g_rmdir (folder);
}

static char *
read_built (const char *name, gsize *ret_n_bytes)
{
  g_autofree char *built = g_test_build_filename (G_TEST_BUILT, name, NULL);
  const char *path = g_path_is_absolute (name) ? name : built;
  g_autoptr (GError) error = NULL;
  char *data;

  g_file_get_contents (path, &data, ret_n_bytes, &error);
  g_assert_no_error (error);
  return data;
}

#define N_HOSTILE_SYMBOLS (1 << 20)

typedef struct
{
  Elf64_Ehdr header;
  Elf64_Shdr sections[2];
  Elf64_Sym  symbols[N_HOSTILE_SYMBOLS];
} HostileFile;

/* Every symbol claims the whole address space. */
static void
fill_hostile_file (HostileFile *file)
{
  memcpy (file->header.e_ident, "\177ELF\2\1\1", 7);
  file->header.e_type = ET_DYN;
  file->header.e_shoff = G_STRUCT_OFFSET (HostileFile, sections);
  file->header.e_shnum = G_N_ELEMENTS (file->sections);
  file->header.e_shentsize = sizeof file->sections[0];
  file->sections[0].sh_type = SHT_STRTAB;
  file->sections[0].sh_size = sizeof *file;
  file->sections[1].sh_type = SHT_SYMTAB;
  file->sections[1].sh_entsize = sizeof file->symbols[0];
  file->sections[1].sh_offset = G_STRUCT_OFFSET (HostileFile, symbols);
  file->sections[1].sh_size = sizeof file->symbols;
  for (guint i = 0; i < N_HOSTILE_SYMBOLS; i++)
    file->symbols[i] = (Elf64_Sym) { .st_name = 1, .st_info = STT_FUNC, .st_shndx = 1, .st_size = G_MAXUINT64 };
}

TEST (overlapping)
{
  g_autofree HostileFile *file = g_new0 (HostileFile, 1);
  JankElfQuery queries[256] = { 0 };
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (JankElf) elf = NULL;
  int fd = g_file_open_tmp ("jank-elf-XXXXXX", &path, NULL);

  fill_hostile_file (file);
  g_assert_cmpint (write (fd, file, sizeof *file), ==, sizeof *file);
  for (guint i = 0; i < G_N_ELEMENTS (queries); i++)
    queries[i].address = i;

  elf = jank_elf_new_for_fd (fd, path, &error);
  g_assert_no_error (error);
  g_assert_false (jank_elf_resolve (elf, queries, G_N_ELEMENTS (queries), &error));
  g_assert_error (error, JANK_ERROR, JANK_ERROR_INVALID);
  for (guint i = 0; i < G_N_ELEMENTS (queries); i++)
    g_assert_null (queries[i].name);
  g_unlink (path);
}

TEST (equals_memory)
{
  g_autofree char *path = g_test_build_filename (G_TEST_BUILT, "fixture-anonymous.so", NULL);
  void *library = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  g_autoptr (JankElf) elf = open_built ("fixture-anonymous.so");
  g_autoptr (JankElf) other = open_built ("fixture.so");
  struct link_map *link_map;

  g_assert_cmpint (dlinfo (library, RTLD_DI_LINKMAP, &link_map), ==, 0);
  g_assert_true (jank_elf_equals_memory (elf, link_map->l_addr));
  g_assert_false (jank_elf_equals_memory (other, link_map->l_addr));
  g_assert_false (jank_elf_equals_memory (elf, 0));
  dlclose (library);
}

/* Most damage goes where the reader looks: the headers at both ends, and the tables. */
static void
damage (GRand *random, char *data, gsize *n_bytes)
{
  gsize whole = *n_bytes;

  if (g_rand_boolean (random))
    *n_bytes = g_rand_boolean (random) ? (gsize) g_rand_int_range (random, 0, 4096)
                                       : whole - (gsize) g_rand_int_range (random, 0, 8192);
  for (gint i = g_rand_int_range (random, 0, 32); i > 0 && *n_bytes > 0; i--)
    {
      gsize at = (gsize) (g_rand_double (random) * (double) *n_bytes);

      if (g_rand_int_range (random, 0, 3) == 0)
        at %= 1024;
      else if (g_rand_boolean (random))
        at = *n_bytes - 1 - at % MIN (*n_bytes, 4096);
      data[at] = (char) (g_rand_boolean (random) ? data[at] ^ (1 << g_rand_int_range (random, 0, 8))
                                                 : (gint) g_rand_int (random));
    }
}

static void
test_damaged (gconstpointer name)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (20240229);
  gsize n_bytes;
  g_autofree char *data = read_built (name, &n_bytes);
  g_autofree char *copy = g_malloc (n_bytes);

  g_assert_cmpuint (n_bytes, >, 8192);
  LLVMFuzzerTestOneInput ((const guint8 *) data, n_bytes);
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      gsize n_copied = n_bytes;

      memcpy (copy, data, n_bytes);
      damage (random, copy, &n_copied);
      LLVMFuzzerTestOneInput ((const guint8 *) copy, n_copied);
    }
}

int
main (int argc, char **argv)
{
  Dl_info libc;

  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (dladdr ((void *) getpid, &libc), !=, 0);

  tests_add_all ("/elf/elf");
  g_test_add_data_func ("/elf/elf/damaged/fixture", "fixture.so", test_damaged);
  g_test_add_data_func ("/elf/elf/damaged/program", "/proc/self/exe", test_damaged);
  g_test_add_data_func ("/elf/elf/damaged/libc", libc.dli_fname, test_damaged);
  return g_test_run ();
}
