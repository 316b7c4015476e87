/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One session of libdwfl for each module: addresses in a report count from the module's own file, so two modules would
 * overlap in one session. libdwfl unpacks .gnu_debugdata and follows a debug file to the one that it shares with
 * others (dwz). Paths come from a report that anybody may have written: only regular files are opened. */

#include "elf/jank-debug-file-private.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/jank-text-clean-private.h"

struct _JankDebugFile
{
  /* set at construction */
  Dwfl_Callbacks    callbacks;
  char             *folders;  /* (owned) */
  char             *build_id; /* (owned) */
  JankDebugServers *servers;  /* (nullable) */
  Dwfl             *dwfl;     /* (owned) */
  Dwfl_Module      *module;
  gboolean          alone;    /* module is the debug file */

  char             *debug_file; /* (owned) (nullable): path */
  gboolean          asked;      /* the servers, for debug_file */
  gboolean          fetched;    /* a server sent it */
};

/* The build-id of the file that a debug file shares with others. Returns: (transfer full) (nullable) */
static char *
jank_debug_file_get_shared_build_id (const char *path)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  Dwarf *dwarf = fd >= 0 ? dwarf_begin (fd, DWARF_C_READ) : NULL;
  const char *name;
  const void *bits;
  gssize n = dwarf != NULL ? dwelf_dwarf_gnu_debugaltlink (dwarf, &name, &bits) : 0;
  char *text = jank_text_from_bits (bits, (gsize) MAX (n, 0));

  if (dwarf != NULL)
    dwarf_end (dwarf);
  if (fd >= 0)
    close (fd);
  return text;
}

/* Returns: (transfer full) (nullable): path */
static char *
jank_debug_file_ask_for_debug_file (JankDebugFile *self)
{
  if (self->servers == NULL || self->asked)
    return NULL;
  self->asked = TRUE;
  self->debug_file = jank_debug_servers_find (self->servers, self->build_id);
  self->fetched = self->debug_file != NULL;
  return g_strdup (self->debug_file);
}

/* Returns: (transfer full) (nullable): path */
static char *
jank_debug_file_ask_for_shared_file (JankDebugFile *self)
{
  g_autofree char *build_id = self->servers != NULL ? jank_debug_file_get_shared_build_id (self->debug_file) : NULL;

  return build_id != NULL ? jank_debug_servers_find (self->servers, build_id) : NULL;
}

/* libdwfl looks first for the debug file, then for the one that this shares with others. Returns: descriptor, or -1 */
static int
jank_debug_file_find_debuginfo_cb (Dwfl_Module *module, void **user_data, const char *module_name, Dwarf_Addr base,
                                   const char *file_name, const char *link, GElf_Word link_crc, char **ret_path)
{
  JankDebugFile *self = *user_data;
  int fd = dwfl_standard_find_debuginfo (module, user_data, module_name, base, file_name, link, link_crc, ret_path);
  g_autofree char *path = NULL;

  if (fd >= 0)
    {
      if (self->debug_file == NULL)
        self->debug_file = g_strdup (*ret_path);
      return fd;
    }
  path = self->debug_file == NULL ? jank_debug_file_ask_for_debug_file (self)
                                  : jank_debug_file_ask_for_shared_file (self);
  if (path == NULL)
    return -1;
  *ret_path = strdup (path); /* libdwfl frees it */
  return open (path, O_RDONLY | O_CLOEXEC);
}

/* Returns: whether the file is there, and is the one that ran */
static gboolean
jank_debug_file_open_module (JankDebugFile *self, const char *path)
{
  g_autofree char *build_id = NULL;
  const unsigned char *bits;
  GElf_Addr address;
  void **user_data;
  int n;

  if (path == NULL || !g_path_is_absolute (path) || !g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return FALSE;
  dwfl_report_begin (self->dwfl);
  self->module = dwfl_report_elf (self->dwfl, path, path, -1, 0, true);
  dwfl_report_end (self->dwfl, NULL, NULL);
  if (self->module == NULL)
    return FALSE;
  n = dwfl_module_build_id (self->module, &bits, &address);
  build_id = jank_text_from_bits (bits, (gsize) MAX (n, 0));
  if (g_strcmp0 (build_id, self->build_id) != 0)
    return FALSE;
  dwfl_module_info (self->module, &user_data, NULL, NULL, NULL, NULL, NULL, NULL);
  *user_data = self;
  return TRUE;
}

/* The module's own file is gone, was built again, or was in a sandbox. */
static gboolean
jank_debug_file_open_debug_file (JankDebugFile *self)
{
  g_auto (GStrv) folders = g_strsplit (self->folders, ":", -1);
  g_autofree char *sent = NULL;

  self->alone = TRUE;
  for (guint i = 0; folders[i] != NULL; i++)
    {
      g_autofree char *path = g_strdup_printf ("%s/.build-id/%.2s/%s.debug", folders[i], self->build_id,
                                               self->build_id + 2);

      if (jank_debug_file_open_module (self, path))
        return TRUE;
    }
  sent = jank_debug_file_ask_for_debug_file (self);
  return jank_debug_file_open_module (self, sent);
}

JankDebugFile *
jank_debug_file_new (const char *path, const char *build_id, const char *folders, JankDebugServers *servers)
{
  g_autoptr (JankDebugFile) self = NULL;
  gsize n = strspn (build_id, "0123456789abcdef");

  if (n <= 2 || n % 2 != 0 || build_id[n] != '\0')
    return NULL;
  self = g_new0 (JankDebugFile, 1);
  self->folders = g_strdup (folders);
  self->build_id = g_strdup (build_id);
  self->servers = servers;
  self->callbacks = (Dwfl_Callbacks) {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = jank_debug_file_find_debuginfo_cb,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = &self->folders,
  };
  self->dwfl = dwfl_begin (&self->callbacks);
  if (self->dwfl == NULL || (!jank_debug_file_open_module (self, path) && !jank_debug_file_open_debug_file (self)))
    return NULL;
  return g_steal_pointer (&self);
}

void
jank_debug_file_free (JankDebugFile *self)
{
  if (self->dwfl != NULL)
    dwfl_end (self->dwfl);
  g_free (self->folders);
  g_free (self->build_id);
  g_free (self->debug_file);
  g_free (self);
}

Dwfl_Module *
jank_debug_file_get_module (JankDebugFile *self)
{
  return self->module;
}

JankNameFrom
jank_debug_file_get_origin (JankDebugFile *self)
{
  return self->fetched ? JANK_NAME_FROM_DEBUGINFOD : JANK_NAME_FROM_DEBUG_FILE;
}

static gboolean
jank_debug_file_has_symtab (Elf *elf)
{
  for (Elf_Scn *section = elf_nextscn (elf, NULL); section != NULL; section = elf_nextscn (elf, section))
    {
      GElf_Shdr header;

      if (gelf_getshdr (section, &header) != NULL && header.sh_type == SHT_SYMTAB)
        return TRUE;
    }
  return FALSE;
}

/* elf: where libdwfl met the symbol */
static JankNameFrom
jank_debug_file_get_symbol_origin (JankDebugFile *self, Elf *elf)
{
  GElf_Addr bias;

  if (self->alone)
    return jank_debug_file_get_origin (self);
  if (elf != dwfl_module_getelf (self->module, &bias))
    return self->debug_file != NULL ? jank_debug_file_get_origin (self) : JANK_NAME_FROM_DEBUGDATA;
  return jank_debug_file_has_symtab (elf) ? JANK_NAME_FROM_SYMTAB : JANK_NAME_FROM_EXPORTED;
}

gboolean
jank_debug_file_find_symbol (JankDebugFile *self, guint64 address, JankDebugSymbol *ret_symbol)
{
  GElf_Off offset;
  GElf_Sym symbol;
  Elf *elf;
  const char *name = dwfl_module_addrinfo (self->module, address, &offset, &symbol, NULL, &elf, NULL);

  /* libdwfl also gives the nearest symbol before address. */
  if (name == NULL || *name == '\0' || offset >= symbol.st_size || !g_utf8_validate (name, -1, NULL))
    return FALSE;
  *ret_symbol = (JankDebugSymbol) { name, offset, jank_debug_file_get_symbol_origin (self, elf) };
  return TRUE;
}
