/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "sample/jank-unwinder-private.h"

#include <string.h>

#include "sample/jank-frame-record-private.h"
#include "sample/jank-page-cache-private.h"

#define N_FUNCTIONS 1024 /* direct-mapped cache from address to function */

/* `_start` and a thread's start routine sit this close to where the stack begins. */
#define BASE_BYTES 8192

/* DWARF's .eh_frame_hdr with the one encoding that linkers write: a sorted table of 32-bit offsets from
 * its own start (LSB Core, "Exception Frames"). */
typedef struct
{
  guint8  version, frame_ptr_encoding, count_encoding, table_encoding;
  gint32  frame_ptr;
  guint32 count;
} EhFrameHdr;

typedef struct
{
  guint64 pc, function;
} KnownFunction;

struct _JankUnwinder
{
  const JankLibunwind *library;
  JankCodeMap         *map;
  JankPageCache       *pages;     /* (owned) */
  unw_addr_space_t     space;     /* (owned) */
  guint                generation;
  KnownFunction        functions[N_FUNCTIONS];

  /* during a run */
  const JankStackCopy *copy;
  guint64              regs[JANK_N_REGS];
  guint32              known;
  JankFrame            frames[JANK_STACK_MAX_FRAMES];
  guint                n_frames;
};

static gboolean
read_stack (const JankStackCopy *copy, guint64 address, gpointer buffer, gsize n_bytes)
{
  if (address < copy->address || address - copy->address > copy->n_bytes ||
      n_bytes > copy->n_bytes - (address - copy->address))
    return FALSE;
  memcpy (buffer, copy->bytes + (address - copy->address), n_bytes);
  return TRUE;
}

static int
access_mem (unw_addr_space_t space, unw_word_t address, unw_word_t *value, int write, void *data)
{
  JankUnwinder *self = data;

  if (write)
    return -UNW_EINVAL;
  if (read_stack (self->copy, address, value, sizeof *value))
    return 0;
  return jank_page_cache_read (self->pages, address, value, sizeof *value) ? 0 : -UNW_EINVAL;
}

static int
access_reg (unw_addr_space_t space, unw_regnum_t reg, unw_word_t *value, int write, void *data)
{
  JankUnwinder *self = data;

  if (write || reg < 0 || reg >= JANK_N_REGS || (self->known & (1u << reg)) == 0)
    return -UNW_EBADREG;
  *value = self->regs[reg];
  return 0;
}

static int
access_fpreg (unw_addr_space_t space, unw_regnum_t reg, unw_fpreg_t *value, int write, void *data)
{
  return -UNW_EBADREG;
}

static int
find_proc_info (unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *info, int need_info, void *data)
{
  JankUnwinder *self = data;
  const JankModule *module = jank_code_map_get (self->map, jank_code_map_find (self->map, ip));
  unw_dyn_info_t table = { .format = UNW_INFO_FORMAT_REMOTE_TABLE };
  EhFrameHdr header;

  if (module == NULL || module->eh_frame_hdr == 0 ||
      !jank_page_cache_read (self->pages, module->eh_frame_hdr, &header, sizeof header) ||
      header.version != 1 || header.count_encoding != 0x03 || header.table_encoding != 0x3b)
    return -UNW_ENOINFO;

  table.start_ip = module->start;
  table.end_ip = module->end;
  table.u.rti.segbase = module->eh_frame_hdr;
  table.u.rti.table_data = module->eh_frame_hdr + sizeof header;
  table.u.rti.table_len = (guint64) header.count * 8 / sizeof (unw_word_t);
  return self->library->dwarf_search_unwind_table (space, ip, &table, info, need_info, data);
}

static void
put_unwind_info (unw_addr_space_t space, unw_proc_info_t *info, void *data)
{
}

static int
get_dyn_info_list_addr (unw_addr_space_t space, unw_word_t *address, void *data)
{
  return -UNW_ENOINFO;
}

static int
resume (unw_addr_space_t space, unw_cursor_t *cursor, void *data)
{
  return -UNW_EINVAL;
}

JankUnwinder *
jank_unwinder_new (const JankLibunwind *library, JankCodeMap *map)
{
  static unw_accessors_t accessors = {
    .find_proc_info = find_proc_info,
    .put_unwind_info = put_unwind_info,
    .get_dyn_info_list_addr = get_dyn_info_list_addr,
    .access_mem = access_mem,
    .access_reg = access_reg,
    .access_fpreg = access_fpreg,
    .resume = resume,
  };
  JankUnwinder *self = g_new0 (JankUnwinder, 1);

  self->library = library;
  self->map = map;
  self->pages = jank_page_cache_new ();
  self->space = library->create_addr_space (&accessors, 0);
  library->set_caching_policy (self->space, UNW_CACHE_GLOBAL);
  return self;
}

void
jank_unwinder_free (JankUnwinder *self)
{
  self->library->destroy_addr_space (self->space);
  jank_page_cache_free (self->pages);
  g_free (self);
}

/* What was learned of code that is gone. */
static void
forget_if_changed (JankUnwinder *self)
{
  if (self->generation == jank_code_map_get_generation (self->map))
    return;
  self->generation = jank_code_map_get_generation (self->map);
  self->library->flush_cache (self->space, 0, 0);
  jank_page_cache_flush (self->pages);
  memset (self->functions, 0, sizeof self->functions);
}

static guint64
find_function (JankUnwinder *self, unw_cursor_t *cursor, guint64 pc)
{
  KnownFunction *known = &self->functions[(pc ^ (pc >> 10)) % N_FUNCTIONS];
  unw_proc_info_t info;

  if (known->pc != pc)
    {
      known->function = self->library->get_proc_info (cursor, &info) == 0 && info.start_ip <= pc && pc < info.end_ip
                          ? info.start_ip : pc;
      known->pc = pc;
    }
  return known->function;
}

static void
add_frame (JankUnwinder *self, unw_cursor_t *cursor, guint64 ip, gboolean is_exact)
{
  JankFrame *frame = &self->frames[self->n_frames++];

  frame->pc = is_exact ? ip : ip - 1;
  frame->module = jank_code_map_find (self->map, frame->pc);
  frame->function = frame->module != JANK_MODULE_NONE ? find_function (self, cursor, frame->pc) : frame->pc;
}

/* The frame at the cursor cannot be left by its unwind table, for want of a register. Goes on from the
 * saved frame record that fits. */
static gboolean
step_by_record (JankUnwinder *self, unw_cursor_t *cursor, guint64 sp)
{
  JankFrameRecord record;

  if ((self->known & (1u << JANK_REG_RBP)) != 0 ||
      !jank_frame_record_find (self->map, self->pages, self->copy,
                               self->frames[self->n_frames - 1].function, sp, &record))
    return FALSE;
  self->regs[JANK_REG_RIP] = record.return_address;
  self->regs[JANK_REG_RSP] = record.sp;
  self->regs[JANK_REG_RBP] = record.frame_pointer;
  self->known = 1u << JANK_REG_RIP | 1u << JANK_REG_RSP | 1u << JANK_REG_RBP;
  return self->library->init_remote (cursor, self->space, self) == 0;
}

static gboolean
is_at_base (const JankStackCopy *copy, guint64 sp)
{
  return copy->base == 0 || (sp <= copy->base && copy->base - sp <= BASE_BYTES);
}

/* Fills frames; returns whether the thread's base was reached. */
static gboolean
walk (JankUnwinder *self)
{
  gboolean is_exact = TRUE;
  unw_cursor_t cursor;
  unw_word_t ip, sp, last_sp = 0;

  self->n_frames = 0;
  memcpy (self->regs, self->copy->regs, sizeof self->regs);
  self->known = self->copy->known;
  if (self->library->init_remote (&cursor, self->space, self) != 0)
    return FALSE;

  while (self->n_frames < JANK_STACK_MAX_FRAMES)
    {
      int result;

      if (self->library->get_reg (&cursor, UNW_REG_IP, &ip) != 0 || ip == 0 ||
          self->library->get_reg (&cursor, UNW_REG_SP, &sp) != 0 || sp < last_sp)
        return ip == 0 && is_at_base (self->copy, last_sp);
      last_sp = sp;
      add_frame (self, &cursor, ip, is_exact);

      is_exact = self->library->is_signal_frame (&cursor) > 0;
      result = self->library->step (&cursor);
      if (result == 0)
        return is_at_base (self->copy, sp);
      if (result < 0 && !step_by_record (self, &cursor, sp))
        return FALSE;
    }
  return FALSE;
}

/* Whether every module that was walked through is still the one we know. */
static gboolean
verify (JankUnwinder *self)
{
  guint32 modules[JANK_CODE_MAP_MAX_VERIFY];
  guint n_modules = 0;

  for (guint i = 0; i < self->n_frames && n_modules < G_N_ELEMENTS (modules); i++)
    {
      guint32 module = self->frames[i].module;
      guint j = 0;

      while (j < n_modules && modules[j] != module)
        j++;
      if (j == n_modules && module != JANK_MODULE_NONE)
        modules[n_modules++] = module;
    }
  return jank_code_map_verify (self->map, modules, n_modules);
}

JankStack *
jank_unwinder_run (JankUnwinder *self, const JankStackCopy *copy)
{
  gboolean complete;

  self->copy = copy;
  forget_if_changed (self);
  complete = walk (self);
  if (!verify (self))
    {
      forget_if_changed (self);
      complete = walk (self);
    }
  self->copy = NULL;
  return self->n_frames > 0 ? jank_stack_new (self->frames, self->n_frames, complete) : NULL;
}
