/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "unwind/jank-code-map-private.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/jank-clock-private.h"
#include "base/jank-memory-private.h"
#include "elf/jank-loaded-private.h"
#include "unwind/jank-scripts-private.h"

#define MAX_PHDRS      64
#define MAX_NOTE_BYTES 4096
#define MAX_PATH_BYTES 4096
#define MAX_PAGE_BYTES 65536
#define MAX_MODULES    4096

#define SETTLED_NS JANK_NS_PER_S
#define LOOK_NS    (100 * JANK_NS_PER_MS)

/* The public part of a link map. */
#define LINK_MAP_BYTES G_STRUCT_OFFSET (struct link_map, l_next)

struct _JankCodeMap
{
  GPtrArray   *modules; /* (owned) JankModule; grows only */
  JankScripts *scripts; /* (owned) */
  guint        generation;
  guint32      last;    /* found last */
};

static void
jank_code_map_module_free (gpointer data)
{
  JankModule *module = data;

  g_clear_pointer (&module->known, g_ptr_array_unref);
  g_free (module->path);
  g_free (module);
}

JankCodeMap *
jank_code_map_new (void)
{
  JankCodeMap *self = g_new0 (JankCodeMap, 1);

  self->modules = g_ptr_array_new_with_free_func (jank_code_map_module_free);
  self->scripts = jank_scripts_new ();
  self->last = JANK_MODULE_NONE;
  return self;
}

void
jank_code_map_free (JankCodeMap *self)
{
  jank_scripts_free (self->scripts);
  g_ptr_array_unref (self->modules);
  g_free (self);
}

static char *
jank_code_map_read_path (guint64 start, const struct link_map *link_map)
{
  g_autofree char *path = g_malloc (MAX_PATH_BYTES);
  char *executable;

  if (jank_loaded_get_path (start) != NULL)
    return g_strdup (jank_loaded_get_path (start));
  if (link_map->l_name == NULL || !jank_memory_read_text ((guintptr) link_map->l_name, path, MAX_PATH_BYTES))
    return g_strdup ("[unknown]");
  if (g_str_has_prefix (path, "linux-vdso."))
    return g_strdup ("[vdso]");
  if (path[0] == '/')
    return g_strdup (path);
  if (path[0] != '\0')
    return g_canonicalize_filename (path, NULL);

  executable = g_malloc0 (MAX_PATH_BYTES);
  if (readlink ("/proc/self/exe", executable, MAX_PATH_BYTES - 1) <= 0)
    g_strlcpy (executable, "[executable]", MAX_PATH_BYTES);
  return executable;
}

static gboolean
jank_code_map_is_own_path (const char *path)
{
  const char *slash = strrchr (path, '/');

  return slash != NULL && (g_str_has_prefix (slash, "/libjankwatch") || g_str_has_prefix (slash, "/libgiojankwatch"));
}

/* Remembers where the build-id's bytes are: verify() compares them later.
 * Returns: FALSE when the note cannot be read; a note without a build-id is no failure */
static gboolean
jank_code_map_read_note (JankModule *module, guint64 address, gsize n_bytes)
{
  guint8 notes[MAX_NOTE_BYTES];
  gsize n = MIN (n_bytes, sizeof notes);

  if (!jank_memory_read_all (address, notes, n))
    return FALSE;

  for (gsize at = 0; at + sizeof (ElfW (Nhdr)) <= n;)
    {
      const ElfW (Nhdr) *note = (const ElfW (Nhdr) *) (void *) (notes + at);
      gsize name = at + sizeof *note;
      gsize desc = name + ((gsize) note->n_namesz + 3) / 4 * 4;
      gsize next = desc + ((gsize) note->n_descsz + 3) / 4 * 4;

      if (next > n || next <= at)
        return TRUE;
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp (notes + name, "GNU", 4) == 0 &&
          note->n_descsz <= sizeof module->build_id)
        {
          memcpy (module->build_id, notes + desc, note->n_descsz);
          module->n_build_id = note->n_descsz;
          module->build_id_address = address + desc;
          return TRUE;
        }
      at = next;
    }
  return TRUE;
}

/* Returns: FALSE when the headers are not mapped, or the base is another module's */
static gboolean
jank_code_map_read_headers (JankModule *module)
{
  ElfW (Ehdr) header;
  ElfW (Phdr) phdrs[MAX_PHDRS];
  guint64 at = module->start;
  guint n_segments = 0, n_code = 0;

  module->code_start = module->start;
  module->code_end = module->end;
  if (!jank_memory_read_all (at, &header, sizeof header))
    return FALSE;
  /* Of a program with a hole between its segments the loader tells one segment alone. */
  if (memcmp (header.e_ident, ELFMAG, SELFMAG) != 0 && module->base != 0 &&
      !jank_memory_read_all (at = module->base, &header, sizeof header))
    return FALSE;
  if (memcmp (header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_phentsize != sizeof phdrs[0] || header.e_phnum > MAX_PHDRS)
    return TRUE;
  if (!jank_memory_read_all (at + header.e_phoff, phdrs, header.e_phnum * sizeof phdrs[0]))
    return FALSE;

  for (guint i = 0; i < header.e_phnum; i++)
    {
      gboolean is_code = phdrs[i].p_type == PT_LOAD && (phdrs[i].p_flags & PF_X) != 0;

      if (phdrs[i].p_type == PT_LOAD && n_segments++ == 0)
        {
          /* Of another process, the loader need not know it. */
          if (module->link_map == 0)
            module->base = module->start - phdrs[i].p_vaddr / JANK_MEMORY_PAGE_BYTES * JANK_MEMORY_PAGE_BYTES;
          /* The first segment begins where the module begins, give or take a page. Otherwise the base is another
           * module's: while one is replaced, the loader may still give the link map of the former, in freed memory. */
          if (at == module->start && module->base + phdrs[i].p_vaddr - at >= MAX_PAGE_BYTES)
            return FALSE;
        }
      else if (phdrs[i].p_type == PT_NOTE && module->n_build_id == 0)
        {
          if (!jank_code_map_read_note (module, module->base + phdrs[i].p_vaddr, phdrs[i].p_memsz))
            return FALSE;
        }
      else if (phdrs[i].p_type == PT_GNU_EH_FRAME)
        module->eh_frame_hdr = module->base + phdrs[i].p_vaddr;
      if (is_code && n_code++ == 0)
        module->code_start = module->base + phdrs[i].p_vaddr;
      if (is_code)
        module->code_end = module->base + phdrs[i].p_vaddr + phdrs[i].p_memsz;
    }
  return TRUE;
}

/* All zero when unreadable. */
static void
jank_code_map_read_link_map (const JankModule *module, struct link_map *ret_link_map)
{
  if (!jank_memory_read_all (module->link_map, ret_link_map, LINK_MAP_BYTES))
    *ret_link_map = (struct link_map) { 0 };
}

/* ret_link_map: its public part; all zero when unreadable.
 * Returns: (nullable): NULL when the module is not mapped any more */
static JankModule *
jank_code_map_module_new (const struct dl_find_object *object, struct link_map *ret_link_map)
{
  JankModule *module = g_new0 (JankModule, 1);
  struct link_map link_map;

  module->start = (guintptr) object->dlfo_map_start;
  module->end = (guintptr) object->dlfo_map_end;
  module->link_map = (guintptr) object->dlfo_link_map;
  module->loaded = TRUE;
  module->found_ns = jank_clock_now_ns ();
  jank_code_map_read_link_map (module, &link_map);
  module->base = link_map.l_addr;
  if (!jank_code_map_read_headers (module))
    {
      g_free (module);
      return NULL;
    }
  if (module->eh_frame_hdr == 0)
    module->eh_frame_hdr = (guintptr) object->dlfo_eh_frame;
  module->path = jank_code_map_read_path (module->start, &link_map);
  module->is_own = jank_code_map_is_own_path (module->path);
  *ret_link_map = link_map;
  return module;
}

static gboolean
jank_code_map_is_object (const JankModule *module, const struct dl_find_object *object)
{
  return module->loaded && module->start == (guintptr) object->dlfo_map_start &&
         module->end == (guintptr) object->dlfo_map_end && module->link_map == (guintptr) object->dlfo_link_map;
}

/* Whether the module stayed the same since link_map was read. A module that was replaced meanwhile may have been
 * read half from the one and half from the other, and its path from freed memory: the loader still reports a
 * module for a moment after unmapping it. */
static gboolean
jank_code_map_is_unchanged (const JankModule *module, guint64 pc, const struct link_map *link_map)
{
  JankModule again = { .start = module->start, .base = module->base, .link_map = module->link_map };
  struct dl_find_object object;
  struct link_map now;
  g_autofree char *path = NULL;

  jank_code_map_read_link_map (module, &now);
  if (!jank_loaded_find (pc, &object) || !jank_code_map_is_object (module, &object) || now.l_addr != link_map->l_addr ||
      now.l_name != link_map->l_name || !jank_code_map_read_headers (&again))
    return FALSE;
  path = jank_code_map_read_path (module->start, &now);
  return g_str_equal (path, module->path) && again.n_build_id == module->n_build_id &&
         memcmp (again.build_id, module->build_id, module->n_build_id) == 0;
}

/* A new module, or one that was loaded before: programs load and unload the same plug-in many times. */
static guint32
jank_code_map_add_module (JankCodeMap *self, guint64 pc, const struct dl_find_object *object)
{
  struct link_map link_map;
  JankModule *found = jank_code_map_module_new (object, &link_map);

  if (found == NULL || !jank_code_map_is_unchanged (found, pc, &link_map))
    {
      g_clear_pointer (&found, jank_code_map_module_free);
      return JANK_MODULE_NONE;
    }

  self->generation++;
  for (guint i = 0; i < self->modules->len; i++)
    {
      JankModule *module = self->modules->pdata[i];

      if (module->loaded && module->start < found->end && found->start < module->end)
        module->loaded = FALSE;
      if (module->start == found->start && module->end == found->end && module->base == found->base &&
          module->n_build_id == found->n_build_id &&
          memcmp (module->build_id, found->build_id, found->n_build_id) == 0 &&
          g_str_equal (module->path, found->path))
        {
          module->loaded = TRUE;
          module->found_ns = found->found_ns;
          module->link_map = found->link_map;
          jank_code_map_module_free (found);
          return i;
        }
    }
  if (self->modules->len >= MAX_MODULES)
    {
      jank_code_map_module_free (found);
      return JANK_MODULE_NONE;
    }
  g_ptr_array_add (self->modules, found);
  return self->modules->len - 1;
}

guint32
jank_code_map_find (JankCodeMap *self, guint64 pc)
{
  struct dl_find_object object;

  if (!jank_loaded_find (pc, &object))
    return JANK_MODULE_NONE;
  if (self->last < self->modules->len && jank_code_map_is_object (self->modules->pdata[self->last], &object))
    return self->last;
  for (guint i = 0; i < self->modules->len; i++)
    if (jank_code_map_is_object (self->modules->pdata[i], &object))
      return self->last = i;
  return self->last = jank_code_map_add_module (self, pc, &object);
}

const JankModule *
jank_code_map_get (JankCodeMap *self, guint32 module)
{
  return module < self->modules->len ? self->modules->pdata[module] : NULL;
}

guint
jank_code_map_get_n_modules (JankCodeMap *self)
{
  return self->modules->len;
}

gboolean
jank_code_map_is_glib (JankCodeMap *self, guint32 index)
{
  const JankModule *module = jank_code_map_get (self, index);

  return module != NULL && (guintptr) g_main_loop_run - module->start < module->end - module->start;
}

GPtrArray *
jank_code_map_get_known (JankCodeMap *self, guint32 index, GDestroyNotify free_func)
{
  JankModule *module = self->modules->pdata[index];

  if (module->n_build_id == 0)
    return NULL;
  if (module->known == NULL)
    module->known = g_ptr_array_new_with_free_func (free_func);
  return module->known;
}

JankScripts *
jank_code_map_get_scripts (JankCodeMap *self)
{
  return self->scripts;
}

guint
jank_code_map_get_generation (JankCodeMap *self)
{
  return self->generation;
}

/* Modules that programs load and unload over and over are young. One that was looked at just now is not looked at
 * twice. */
static gboolean
jank_code_map_needs_look (JankModule *module, gint64 now_ns, gboolean at_once)
{
  if (module->build_id_address == 0 || module->verified_ns == now_ns ||
      (!at_once && now_ns - module->found_ns > SETTLED_NS && now_ns - module->verified_ns < LOOK_NS))
    return FALSE;
  module->verified_ns = now_ns;
  return TRUE;
}

gboolean
jank_code_map_verify (JankCodeMap *self, const guint32 *modules, guint n_modules, gboolean at_once)
{
  guint8 now[JANK_CODE_MAP_MAX_VERIFY][sizeof ((JankModule *) 0)->build_id];
  struct iovec local[JANK_CODE_MAP_MAX_VERIFY], remote[JANK_CODE_MAP_MAX_VERIFY];
  JankModule *looked_at[JANK_CODE_MAP_MAX_VERIFY];
  gint64 now_ns = jank_clock_now_ns ();
  gboolean same = TRUE;
  guint n = 0;

  for (guint i = 0; i < n_modules && n < JANK_CODE_MAP_MAX_VERIFY; i++)
    {
      JankModule *module = modules[i] < self->modules->len ? self->modules->pdata[modules[i]] : NULL;

      if (module == NULL || !jank_code_map_needs_look (module, now_ns, at_once))
        continue;
      looked_at[n] = module;
      memset (now[n], 0, sizeof now[n]);
      local[n] = (struct iovec) { now[n], module->n_build_id };
      remote[n] = (struct iovec) { (void *) (guintptr) module->build_id_address, module->n_build_id };
      n++;
    }
  if (n > 0)
    (void) !process_vm_readv (jank_memory_get_pid (), local, n, remote, n, 0);

  for (guint i = 0; i < n; i++)
    if (memcmp (now[i], looked_at[i]->build_id, looked_at[i]->n_build_id) != 0)
      {
        looked_at[i]->loaded = FALSE;
        self->generation++;
        same = FALSE;
      }
  return same;
}
