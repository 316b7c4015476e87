/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/jank-clock-private.h"
#include "base/jank-memory-private.h"
#include "elf/jank-loaded-private.h"
#include "proc/jank-proc-private.h"
#include "unwind/jank-code-map-private.h"
#include "test.h"

#define N_RELOADS 200

/* Longer than the map takes a module's build-id for granted. */
#define SETTLE_US 1200000

static char *
to_hex (const JankModule *module)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < module->n_build_id; i++)
    g_string_append_printf (text, "%02x", module->build_id[i]);
  return g_string_free (text, FALSE);
}

/* What binutils say. Returns: (transfer full): "" without one */
static char *
ask_readelf (const char *path)
{
  const char *argv[] = { "readelf", "-n", path, NULL };
  g_autofree char *output = NULL;
  g_autoptr (GError) error = NULL;
  const char *at;

  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &output,
                NULL, NULL, &error);
  g_assert_no_error (error);
  at = strstr (output, "Build ID: ");
  if (at == NULL)
    return g_strdup ("");
  at += strlen ("Build ID: ");
  return g_strndup (at, strspn (at, "0123456789abcdef"));
}

static const JankModule *
find (JankCodeMap *map, gconstpointer address)
{
  guint32 index = jank_code_map_find (map, (guintptr) address);
  const JankModule *module = jank_code_map_get (map, index);

  g_assert_cmpuint (index, !=, JANK_MODULE_NONE);
  g_assert_nonnull (module);
  g_assert_cmpuint ((guintptr) address, >=, module->start);
  g_assert_cmpuint ((guintptr) address, <, module->end);
  g_assert_true (module->loaded);
  return module;
}

static void
assert_file (JankCodeMap *map, gconstpointer address, const char *path)
{
  const JankModule *module = find (map, address);
  g_autofree char *real = realpath (module->path, NULL);
  g_autofree char *expected_path = path != NULL ? realpath (path, NULL) : NULL;
  g_autofree char *expected = ask_readelf (module->path);
  g_autofree char *build_id = to_hex (module);
  Dl_info info;

  if (expected_path != NULL)
    g_assert_cmpstr (real, ==, expected_path);
  g_assert_cmpstr (build_id, ==, expected);
  g_assert_cmpuint (module->eh_frame_hdr, >=, module->base);
  /* Its version. */
  g_assert_cmpuint (*(const guint8 *) module->eh_frame_hdr, ==, 1);
  g_assert_cmpint (dladdr (address, &info), !=, 0);
  g_assert_cmpuint (module->base, ==, (guintptr) info.dli_fbase);
}

TEST (files)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  g_autofree char *exe = g_file_read_link ("/proc/self/exe", NULL);
  guint n_modules, generation;

  assert_file (map, (gconstpointer) test_files, exe);
  assert_file (map, (gconstpointer) jank_code_map_find, exe);
  assert_file (map, dlsym (RTLD_DEFAULT, "gnu_get_libc_version"), NULL);
  assert_file (map, dlsym (RTLD_DEFAULT, "g_main_loop_run"), NULL);
  g_assert_nonnull (strstr (find (map, dlsym (RTLD_DEFAULT, "gnu_get_libc_version"))->path, "libc.so.6"));
  g_assert_nonnull (strstr (find (map, dlsym (RTLD_DEFAULT, "g_main_loop_run"))->path, "libglib-2.0.so.0"));

  /* Asked again, nothing is new. */
  n_modules = jank_code_map_get_n_modules (map);
  generation = jank_code_map_get_generation (map);
  find (map, (gconstpointer) test_files);
  find (map, dlsym (RTLD_DEFAULT, "g_main_loop_run"));
  g_assert_cmpuint (n_modules, ==, 3);
  g_assert_cmpuint (jank_code_map_get_n_modules (map), ==, n_modules);
  g_assert_cmpuint (jank_code_map_get_generation (map), ==, generation);
}

/* Returns: a child that has the address space of this process, and another value there */
static pid_t
start_child (volatile int *value)
{
  int ready[2];
  char byte;
  pid_t child;

  g_assert_cmpint (pipe (ready), ==, 0);
  child = fork ();
  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      prctl (PR_SET_PDEATHSIG, SIGKILL);
      *value = 7;
      (void) !write (ready[1], "", 1);
      pause ();
      _exit (0);
    }
  g_assert_cmpint (read (ready[0], &byte, 1), ==, 1);
  close (ready[0]);
  close (ready[1]);
  return child;
}

/* Files are found there by its mappings and its loader's list, with the same answers as the own loader's. */
TEST (other_process)
{
  static volatile int value;
  gpointer functions[] = { (gpointer) test_files, dlsym (RTLD_DEFAULT, "gnu_get_libc_version"),
                           dlsym (RTLD_DEFAULT, "g_main_loop_run"), (gpointer) getauxval (AT_SYSINFO_EHDR) };
  g_autoptr (JankCodeMap) own = jank_code_map_new (), map = jank_code_map_new ();
  const JankModule *expected[G_N_ELEMENTS (functions)];
  pid_t child = start_child (&value);
  g_autofree char *folder = g_strdup_printf ("/proc/%d/task", (int) child);
  char path[48];
  int seen = 0;

  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    expected[i] = find (own, functions[i]);
  g_assert_true (jank_loaded_open (child));
  jank_proc_path (path, sizeof path, 0, "task");
  g_assert_cmpstr (path, ==, folder);
  g_assert_true (jank_memory_read_all ((guintptr) &value, &seen, sizeof seen));
  g_assert_cmpint (seen, ==, 7);
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      const JankModule *module = find (map, functions[i]);
      guint32 index = jank_code_map_find (map, (guintptr) functions[i]);
      g_autofree char *build_id = to_hex (module), *expected_id = to_hex (expected[i]);
      g_autofree char *real = realpath (expected[i]->path, NULL);

      /* Mappings have no link of the path in it. */
      g_assert_cmpstr (module->path, ==, real != NULL ? real : expected[i]->path);
      g_assert_cmpstr (build_id, ==, expected_id);
      g_assert_cmphex (module->base, ==, expected[i]->base);
      g_assert_cmphex (module->eh_frame_hdr, ==, expected[i]->eh_frame_hdr);
      g_assert_cmphex (module->link_map, ==, expected[i]->link_map);
      g_assert_true (jank_code_map_verify (map, &index, 1, TRUE));
    }
  g_assert_cmpuint (jank_code_map_find (map, (guintptr) &seen), ==, JANK_MODULE_NONE);
  kill (child, SIGKILL);
  waitpid (child, NULL, 0);
  g_assert_false (jank_loaded_open (child));
  g_assert_true (jank_loaded_open (0));
  g_assert_true (jank_memory_read_all ((guintptr) &value, &seen, sizeof seen));
  g_assert_cmpint (seen, ==, 0);
}

TEST (nothing)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  void *page = mmap (NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int local = 0;

  g_assert_cmpuint (jank_code_map_find (map, 0), ==, JANK_MODULE_NONE);
  g_assert_cmpuint (jank_code_map_find (map, G_MAXUINT64), ==, JANK_MODULE_NONE);
  g_assert_cmpuint (jank_code_map_find (map, (guintptr) &local), ==, JANK_MODULE_NONE);
  g_assert_cmpuint (jank_code_map_find (map, (guintptr) page), ==, JANK_MODULE_NONE);
  g_assert_null (jank_code_map_get (map, JANK_MODULE_NONE));
  g_assert_null (jank_code_map_get (map, 0));
  g_assert_cmpuint (jank_code_map_get_n_modules (map), ==, 0);
  g_assert_true (jank_code_map_verify (map, NULL, 0, FALSE));
  munmap (page, 4096);
}

typedef struct
{
  void         *library;
  gconstpointer function;
} Plugin;

static void
load (Plugin *plugin, const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_BUILT, "unwind", name, NULL);

  plugin->library = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  if (plugin->library == NULL)
    g_error ("%s", dlerror ());
  plugin->function = dlsym (plugin->library, "plugin_value");
  g_assert_nonnull (plugin->function);
}

static void
unload (Plugin *plugin)
{
  g_assert_cmpint (dlclose (plugin->library), ==, 0);
}

TEST (unload)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  const JankModule *module;
  guint generation;
  guint32 index;
  Plugin plugin;

  load (&plugin, "plugin-a.so");
  module = find (map, plugin.function);
  index = jank_code_map_find (map, (guintptr) plugin.function);
  g_assert_true (g_str_has_suffix (module->path, "/plugin-a.so"));
  assert_file (map, plugin.function, NULL);
  g_assert_cmpuint (module->n_build_id, ==, 4);

  unload (&plugin);
  g_assert_cmpuint (jank_code_map_find (map, (guintptr) plugin.function), ==, JANK_MODULE_NONE);
  /* Samples of before still find it. */
  g_assert_true (g_str_has_suffix (jank_code_map_get (map, index)->path, "/plugin-a.so"));

  generation = jank_code_map_get_generation (map);
  g_assert_false (jank_code_map_verify (map, &index, 1, FALSE));
  g_assert_cmpuint (jank_code_map_get_generation (map), >, generation);
}

/* As test_replaced(), of a module that has been there for long: its build-id is looked at now and then. */
TEST (replaced_late)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  guint32 old;
  Plugin a, b;

  load (&a, "plugin-a.so");
  old = jank_code_map_find (map, (guintptr) a.function);
  g_usleep (SETTLE_US);
  g_assert_true (jank_code_map_verify (map, &old, 1, FALSE));
  unload (&a);
  load (&b, "plugin-b.so");

  AWAIT (!jank_code_map_verify (map, &old, 1, FALSE), g_usleep (1000));
  g_assert_cmpuint (jank_code_map_find (map, (guintptr) b.function), !=, old);
  unload (&b);
}

/* As the unwinder asks: a stale answer does not pass verify(). */
static const JankModule *
find_verified (JankCodeMap *map, gconstpointer address)
{
  guint32 index = jank_code_map_find (map, (guintptr) address);

  if (!jank_code_map_verify (map, &index, 1, FALSE))
    index = jank_code_map_find (map, (guintptr) address);
  g_assert_true (jank_code_map_verify (map, &index, 1, FALSE));
  return jank_code_map_get (map, index);
}

/* The same plug-in again and again is one module, as long as it comes back to one address. */
TEST (reloaded)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  g_autoptr (GHashTable) addresses = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < N_RELOADS; i++)
    {
      Plugin plugin;

      load (&plugin, i % 2 == 0 ? "plugin-a.so" : "plugin-b.so");
      g_assert_true (g_str_has_suffix (find_verified (map, plugin.function)->path,
                                       i % 2 == 0 ? "/plugin-a.so" : "/plugin-b.so"));
      g_hash_table_add (addresses, (gpointer) plugin.function);
      unload (&plugin);
    }
  g_assert_cmpuint (jank_code_map_get_n_modules (map), <=, 2 * g_hash_table_size (addresses));
}

typedef struct
{
  gconstpointer function; /* (atomic) */
  gint          stop;     /* (atomic) */
  guint         n;
} Reloads;

static gpointer
reload_thread (gpointer data)
{
  Reloads *reloads = data;

  for (; !g_atomic_int_get (&reloads->stop); reloads->n++)
    {
      Plugin plugin;

      load (&plugin, reloads->n % 2 == 0 ? "plugin-a.so" : "plugin-b.so");
      g_atomic_pointer_set (&reloads->function, (gpointer) plugin.function);
      unload (&plugin);
    }
  return NULL;
}

/* Asked while another thread loads and unloads: no crash, and no answer but one of the two. */
TEST (race)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  gint64 until_ns = jank_clock_now_ns () + JANK_NS_PER_S / 2;
  Reloads reloads = { 0 };
  GThread *thread = g_thread_new ("reload", reload_thread, &reloads);
  guint n_found = 0;
  Plugin plugin;

  while (jank_clock_now_ns () < until_ns || n_found == 0)
    {
      guint32 index = jank_code_map_find (map, (guintptr) g_atomic_pointer_get (&reloads.function));
      const JankModule *module = jank_code_map_get (map, index);

      if (module == NULL)
        continue;
      jank_code_map_verify (map, &index, 1, FALSE);
      n_found++;
      g_assert_true (g_str_has_suffix (module->path, "/plugin-a.so") ||
                     g_str_has_suffix (module->path, "/plugin-b.so"));
      /* Else nobody could tell it from the other. */
      g_assert_cmpuint (module->n_build_id, ==, 4);
    }
  g_atomic_int_set (&reloads.stop, 1);
  g_thread_join (thread);
  g_test_message ("%u reloads, found %u times, %u modules", reloads.n, n_found, jank_code_map_get_n_modules (map));

  /* What was in doubt for a moment is found once it stays. */
  load (&plugin, "plugin-a.so");
  g_assert_true (g_str_has_suffix (find_verified (map, plugin.function)->path, "/plugin-a.so"));
  unload (&plugin);
}

TESTS ("/unwind/code-map")
