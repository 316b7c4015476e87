/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "elf/jank-known-functions-private.h"

#include <limits.h>
#include <link.h>
#include <string.h>

#include "base/jank-memory-private.h"
#include "elf/jank-exports-private.h"
#include "elf/jank-loaded-private.h"

/* Libraries remembered; a further one displaces the oldest. */
#define MAX_LIBRARIES 64

/* Symbol versions of one name. */
#define MAX_VERSIONS 4

#define MAX_FUNCTIONS 64

typedef struct
{
  const char *library; /* beginning of the file's name */
  const char *name;
  JankRole    role;
} KnownName;

static const KnownName known_names[] = {
  { "libc.so.", "pthread_mutex_lock", JANK_ROLE_MUTEX },
  { "libc.so.", "pthread_mutex_timedlock", JANK_ROLE_MUTEX },
  { "libc.so.", "pthread_mutex_clocklock", JANK_ROLE_MUTEX },
  { "libc.so.", "pthread_rwlock_rdlock", JANK_ROLE_READ_LOCK },
  { "libc.so.", "pthread_rwlock_timedrdlock", JANK_ROLE_READ_LOCK },
  { "libc.so.", "pthread_rwlock_clockrdlock", JANK_ROLE_READ_LOCK },
  { "libc.so.", "pthread_rwlock_wrlock", JANK_ROLE_WRITE_LOCK },
  { "libc.so.", "pthread_rwlock_timedwrlock", JANK_ROLE_WRITE_LOCK },
  { "libc.so.", "pthread_rwlock_clockwrlock", JANK_ROLE_WRITE_LOCK },
  { "libc.so.", "pthread_cond_wait", JANK_ROLE_COND },
  { "libc.so.", "pthread_cond_timedwait", JANK_ROLE_COND },
  { "libc.so.", "pthread_cond_clockwait", JANK_ROLE_COND },
  { "libc.so.", "sem_wait", JANK_ROLE_SEM },
  { "libc.so.", "sem_timedwait", JANK_ROLE_SEM },
  { "libc.so.", "sem_clockwait", JANK_ROLE_SEM },
  { "libc.so.", "pthread_barrier_wait", JANK_ROLE_BARRIER },
  { "libc.so.", "pthread_join", JANK_ROLE_JOIN },
  { "libc.so.", "pthread_timedjoin_np", JANK_ROLE_JOIN },
  { "libc.so.", "pthread_clockjoin_np", JANK_ROLE_JOIN },
  { "libc.so.", "pthread_once", JANK_ROLE_ONCE },
  { "libglib-2.0.so.", "g_mutex_lock", JANK_ROLE_GMUTEX },
  { "libglib-2.0.so.", "g_cond_wait", JANK_ROLE_GCOND },
  { "libglib-2.0.so.", "g_cond_wait_until", JANK_ROLE_GCOND },
  { "libglib-2.0.so.", "g_rw_lock_reader_lock", JANK_ROLE_GRWLOCK },
  { "libglib-2.0.so.", "g_rw_lock_writer_lock", JANK_ROLE_GRWLOCK },
  { "libglib-2.0.so.", "g_once_init_enter", JANK_ROLE_GONCE },
  { "libglib-2.0.so.", "g_once_init_enter_pointer", JANK_ROLE_GONCE },
  { "libglib-2.0.so.", "g_once_impl", JANK_ROLE_GONCE },
  { "libgio-2.0.so.", "g_dbus_connection_send_message_with_reply_sync", JANK_ROLE_DBUS_SEND },
  { "libgio-2.0.so.", "g_dbus_connection_call_sync", JANK_ROLE_DBUS_CALL },
  { "libgio-2.0.so.", "g_dbus_connection_call_with_unix_fd_list_sync", JANK_ROLE_DBUS_CALL },
  { "libgio-2.0.so.", "g_dbus_proxy_call_sync", JANK_ROLE_DBUS_CALL },
  { "libgio-2.0.so.", "g_dbus_proxy_call_with_unix_fd_list_sync", JANK_ROLE_DBUS_CALL },
  { "libgio-2.0.so.", "g_dbus_proxy_new_sync", JANK_ROLE_DBUS_CALL },
  { "libgio-2.0.so.", "g_dbus_proxy_new_for_bus_sync", JANK_ROLE_DBUS_CALL },
  { "libglib-2.0.so.", "g_main_loop_run", JANK_ROLE_LOOP },
  { "libgio-2.0.so.", "g_application_run", JANK_ROLE_APPLICATION },
  { "libgio-2.0.so.", "g_subprocess_wait", JANK_ROLE_SUBPROCESS_WAIT },
  { "libgio-2.0.so.", "g_subprocess_wait_check", JANK_ROLE_SUBPROCESS_WAIT },
  { "libsqlite3.so.", "sqlite3_step", JANK_ROLE_SQLITE },
  { "libsqlite3.so.", "sqlite3_prepare", JANK_ROLE_SQLITE },
  { "libsqlite3.so.", "sqlite3_prepare_v2", JANK_ROLE_SQLITE },
  { "libsqlite3.so.", "sqlite3_prepare_v3", JANK_ROLE_SQLITE },
  { "libsqlite3.so.", "sqlite3_blob_open", JANK_ROLE_SQLITE },
  { "libsqlite3.so.", "sqlite3_backup_step", JANK_ROLE_SQLITE },
  { "libsqlite3.so.", "sqlite3_wal_checkpoint_v2", JANK_ROLE_SQLITE },
  { "libdbus-1.so.", "dbus_connection_send_with_reply_and_block", JANK_ROLE_DBUS_LIBDBUS },
  { "libdbus-1.so.", "dbus_pending_call_block", JANK_ROLE_DBUS_LIBDBUS },
  { "libsystemd.so.", "sd_bus_call", JANK_ROLE_DBUS_SD_BUS },
};

typedef struct
{
  guint64  begin, end; /* addresses that it spans */
  guint64  link_map;
  guint    n_functions;
  guint64  functions[MAX_FUNCTIONS];
  JankRole roles[MAX_FUNCTIONS];
} Library;

static GMutex mutex;
static Library libraries[MAX_LIBRARIES]; /* under the mutex */
static guint n_looked_at;                /* under the mutex */

static JankRole *
jank_known_functions_find_role (Library *library, guint64 function)
{
  for (guint i = 0; i < library->n_functions; i++)
    if (library->functions[i] == function)
      return &library->roles[i];
  return NULL;
}

static void
jank_known_functions_add_function (Library *library, guint64 function, JankRole role)
{
  if (jank_known_functions_find_role (library, function) != NULL || library->n_functions == MAX_FUNCTIONS)
    return;
  library->functions[library->n_functions] = function;
  library->roles[library->n_functions++] = role;
}

/* Code that functions of different roles jump to has no role. */
static void
jank_known_functions_add_continuation (Library *library, guint64 function, JankRole role, guint n_exported)
{
  JankRole *known = jank_known_functions_find_role (library, function);

  if (known == NULL)
    jank_known_functions_add_function (library, function, role);
  else if (known >= library->roles + n_exported && *known != role)
    *known = JANK_ROLE_NONE;
}

/* g_mutex_lock(), pthread_join(), sem_wait() … wait in a function without a name that they jump to. */
static void
jank_known_functions_add_continuations (Library *library, const JankExport *export, JankRole role, guint n_exported)
{
  guint64 targets[JANK_EXPORTS_MAX_JUMPS];
  guint n = jank_exports_find_jumps (export, targets, JANK_EXPORTS_MAX_JUMPS);

  for (guint i = 0; i < n; i++)
    if (targets[i] >= library->begin && targets[i] < library->end)
      jank_known_functions_add_continuation (library, targets[i], role, n_exported);
}

static void
jank_known_functions_read_name (const Library *library, char *ret_name, gsize n_bytes)
{
  struct link_map map;
  char path[PATH_MAX];

  ret_name[0] = '\0';
  if (!jank_memory_read_all (library->link_map, &map, G_STRUCT_OFFSET (struct link_map, l_next)) ||
      !jank_memory_read_text ((guintptr) map.l_name, path, sizeof path))
    return;
  g_strlcpy (ret_name, strrchr (path, '/') != NULL ? strrchr (path, '/') + 1 : path, n_bytes);
}

static void
jank_known_functions_fill_library (Library *library)
{
  JankExport found[G_N_ELEMENTS (known_names)][MAX_VERSIONS];
  guint n_found[G_N_ELEMENTS (known_names)] = { 0 }, n_exported;
  char name[NAME_MAX + 1];
  JankExports exports;

  jank_known_functions_read_name (library, name, sizeof name);
  for (guint i = 0; i < G_N_ELEMENTS (known_names); i++)
    {
      if (!g_str_has_prefix (name, known_names[i].library) || !jank_exports_open (library->link_map, &exports))
        continue;
      n_found[i] = jank_exports_find (&exports, known_names[i].name, found[i], MAX_VERSIONS);
      for (guint k = 0; k < n_found[i]; k++)
        jank_known_functions_add_function (library, found[i][k].address, known_names[i].role);
    }

  n_exported = library->n_functions;
  for (guint i = 0; i < G_N_ELEMENTS (known_names); i++)
    for (guint k = 0; k < n_found[i] && known_names[i].role <= JANK_ROLE_GMUTEX; k++)
      jank_known_functions_add_continuations (library, &found[i][k], known_names[i].role, n_exported);
}

static Library *
jank_known_functions_find_library_unlocked (guint64 function)
{
  struct dl_find_object found;
  guint64 begin, link_map;
  Library *library;

  if (!jank_loaded_find (function, &found))
    return NULL;
  begin = (guintptr) found.dlfo_map_start;
  link_map = (guintptr) found.dlfo_link_map;
  for (guint i = 0; i < MIN (n_looked_at, MAX_LIBRARIES); i++)
    if (libraries[i].begin == begin && libraries[i].link_map == link_map &&
        libraries[i].end == (guintptr) found.dlfo_map_end)
      return &libraries[i];

  library = &libraries[n_looked_at++ % MAX_LIBRARIES];
  *library = (Library) { .begin = begin, .end = (guintptr) found.dlfo_map_end, .link_map = link_map };
  jank_known_functions_fill_library (library);
  return library;
}

void
jank_known_function_look (guint64 function, JankKnownFunction *ret_known)
{
  JankKnownFunction known = { JANK_ROLE_NONE, 0 };
  const JankRole *role;
  Library *library;

  g_mutex_lock (&mutex);
  library = jank_known_functions_find_library_unlocked (function);
  if (library != NULL)
    known.library = library->begin;
  role = library != NULL ? jank_known_functions_find_role (library, function) : NULL;
  if (role != NULL)
    known.role = *role;
  g_mutex_unlock (&mutex);
  *ret_known = known;
}
