/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "unwind/jank-unwind-rows-private.h"

#include <string.h>
#include <sys/mman.h>

#include "unwind/jank-eh-frame-private.h"
#include "unwind/jank-libunwind-private.h"
#include "unwind/jank-processor-private.h"

#define N_ROWS          8192  /* a direct-mapped cache; unused rows take no memory */
#define MAX_RULES_BYTES 4096
#define MAX_READS       65536 /* for one row or step; a damaged DWARF expression may loop for ever */
#define STOP            (-1)  /* returned by jank_unwind_rows_row_cb() */

G_STATIC_ASSERT ((int) JANK_REG_SP == (int) UNW_REG_SP);

struct _JankUnwindRows
{
  JankCodeMap         *map;
  JankPageCache       *pages;
  const JankLibunwind *library;     /* (nullable) */
  GError              *error;       /* (owned) (nullable) */
  unw_addr_space_t     space;       /* (owned) (nullable) */
  JankUnwindRow       *rows;        /* (owned) of N_ROWS */
  JankUnwindRow        nowhere;     /* the row of code without a module */
  guint8              *rules;       /* (owned) (nullable): libunwind's, n_rules_bytes for each row */
  gsize                n_rules_bytes;
  gboolean             has_new;     /* rows since jank_unwind_rows_take_new() */
  guint                n_reads;     /* of memory, in this step or row */

  /* a walk */
  unw_cursor_t         cursor;
  const JankStackCopy *copy;
  guint64              registers[JANK_N_REGS];
  guint64              known;
  gboolean             has_stepped;   /* so registers are not the current ones */

  /* a row that is made or applied */
  const JankModule    *module;
  JankUnwindRow       *making;      /* (nullable) */
  JankFde              fde;         /* while it is made */
};

static gboolean
jank_unwind_rows_read_entry (const JankEhEntry *entry, guint64 address, unw_word_t *ret_word)
{
  guint64 offset = address - (entry->address & ~(guint64) 7);

  if (offset % sizeof *ret_word != 0 || offset >= entry->address % 8 + entry->n_bytes)
    return FALSE;
  memcpy (ret_word, entry->bytes + offset, sizeof *ret_word);
  return TRUE;
}

/* libunwind makes a row from the very bytes that were checked. */
static int
jank_unwind_rows_access_mem (unw_addr_space_t space, unw_word_t address, unw_word_t *value, int write, void *data)
{
  JankUnwindRows *self = data;
  gboolean known;

  if (write || self->n_reads++ >= MAX_READS)
    return -UNW_EINVAL;
  if (self->making != NULL)
    known = jank_unwind_rows_read_entry (&self->fde.own, address,
                                         value) || jank_unwind_rows_read_entry (&self->fde.common, address, value);
  else
    known = jank_stack_copy_read (self->copy, address, value, sizeof *value);
  /* The module holds expressions and pointers as well. Never the live stack: it may have changed since the copy. */
  if (!known && address >= self->module->start && address < self->module->end)
    known = jank_page_cache_read (self->pages, address, value, sizeof *value);
  return known ? 0 : -UNW_EINVAL;
}

/* To make a row, libunwind wants an instruction pointer and any stack pointer. */
static int
jank_unwind_rows_access_reg (unw_addr_space_t space, unw_regnum_t reg, unw_word_t *value, int write, void *data)
{
  JankUnwindRows *self = data;

  if (write || reg < 0 || reg >= JANK_N_REGS || (self->making == NULL && (self->known & JANK_REG_BIT (reg)) == 0))
    return -UNW_EBADREG;
  *value = self->making == NULL ? self->registers[reg] : self->making->pc;
  return 0;
}

static int
jank_unwind_rows_access_fpreg (unw_addr_space_t space, unw_regnum_t reg, unw_fpreg_t *value, int write, void *data)
{
  return -UNW_EBADREG;
}

static int
jank_unwind_rows_find_proc_info (unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *info, int need_info,
                                 void *data)
{
  JankUnwindRows *self = data;
  unw_dyn_info_t table = { .format = UNW_INFO_FORMAT_REMOTE_TABLE };

  if (self->making == NULL)
    return -UNW_ENOINFO;
  table.start_ip = self->module->start;
  table.end_ip = self->module->end;
  table.u.rti.segbase = self->module->eh_frame_hdr;
  table.u.rti.table_data = self->fde.pair;
  table.u.rti.table_len = 1;
  return self->library->search_unwind_table (space, ip, &table, info, need_info, data);
}

static void
jank_unwind_rows_put_unwind_info (unw_addr_space_t space, unw_proc_info_t *info, void *data)
{
}

static int
jank_unwind_rows_get_dyn_info_list_addr (unw_addr_space_t space, unw_word_t *address, void *data)
{
  return -UNW_ENOINFO;
}

static int
jank_unwind_rows_resume (unw_addr_space_t space, unw_cursor_t *cursor, void *data)
{
  return -UNW_EINVAL;
}

static int
jank_unwind_rows_get_proc_name (unw_addr_space_t space, unw_word_t address, char *buffer, size_t n_bytes,
                                unw_word_t *offset, void *data)
{
  return -UNW_ENOINFO;
}

JankUnwindRows *
jank_unwind_rows_new (JankCodeMap *map, JankPageCache *pages)
{
  /* libunwind 1.8.1 crashes where get_proc_name is NULL. A library newer than the header copies further functions,
   * all of which may be NULL. */
  static union { unw_accessors_t accessors; gpointer room[32]; } functions = { {
    .find_proc_info = jank_unwind_rows_find_proc_info,
    .put_unwind_info = jank_unwind_rows_put_unwind_info,
    .get_dyn_info_list_addr = jank_unwind_rows_get_dyn_info_list_addr,
    .access_mem = jank_unwind_rows_access_mem,
    .access_reg = jank_unwind_rows_access_reg,
    .access_fpreg = jank_unwind_rows_access_fpreg,
    .resume = jank_unwind_rows_resume,
    .get_proc_name = jank_unwind_rows_get_proc_name,
  } };
  JankUnwindRows *self = g_new0 (JankUnwindRows, 1);

  self->map = map;
  self->pages = pages;
  self->rows = g_new0 (JankUnwindRow, N_ROWS);
  self->library = jank_libunwind_open (&self->error);
  if (self->library != NULL)
    {
      self->space = self->library->create_addr_space (&functions.accessors, 0);
      self->library->set_caching_policy (self->space, UNW_CACHE_NONE);
    }
  return self;
}

void
jank_unwind_rows_free (JankUnwindRows *self)
{
  if (self->space != NULL)
    self->library->destroy_addr_space (self->space);
  g_clear_error (&self->error);
  if (self->rules != NULL)
    munmap (self->rules, N_ROWS * self->n_rules_bytes);
  g_free (self->rows);
  g_free (self);
}

const GError *
jank_unwind_rows_get_error (const JankUnwindRows *self)
{
  return self->error;
}

static guint8 *
jank_unwind_rows_get_rules (JankUnwindRows *self, const JankUnwindRow *row)
{
  return self->rules + (gsize) (row - self->rows) * self->n_rules_bytes;
}

/* More than a sample asks room for; without it a row is made again the next time. */
static void
jank_unwind_rows_map_rules (JankUnwindRows *self, gsize n_bytes)
{
  void *rules = mmap (NULL, N_ROWS * n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (rules == MAP_FAILED)
    {
      self->making->generation = G_MAXUINT;
      return;
    }
  self->rules = rules;
  self->n_rules_bytes = n_bytes;
}

/* The size of libunwind's part differs by processor and version. */
static int
jank_unwind_rows_row_cb (void *data, void *rules, size_t n_bytes, unw_word_t start, unw_word_t end)
{
  JankUnwindRows *self = data;

  if (self->making->pc < start || self->making->pc >= end)
    return 0;
  if (self->rules == NULL && n_bytes <= MAX_RULES_BYTES)
    jank_unwind_rows_map_rules (self, n_bytes);
  if (self->rules != NULL && n_bytes == self->n_rules_bytes)
    {
      memcpy (jank_unwind_rows_get_rules (self, self->making), rules, n_bytes);
      self->making->has_rules = TRUE;
    }
  return STOP;
}

static void
jank_unwind_rows_make (JankUnwindRows *self, JankUnwindRow *row)
{
  unw_cursor_t cursor;

  if (!jank_eh_frame_find (self->pages, self->module->eh_frame_hdr, row->pc, &self->fde))
    return;
  row->function = self->fde.function;
  row->is_signal_frame = self->fde.is_signal_frame;
  if (self->library == NULL)
    return;
  self->n_reads = 0;
  self->making = row;
  if (self->library->init_remote (&cursor, self->space, self) == 0)
    self->library->reg_states_iterate (&cursor, jank_unwind_rows_row_cb, self);
  self->making = NULL;
}

const JankUnwindRow *
jank_unwind_rows_find (JankUnwindRows *self, guint64 pc, guint32 module)
{
  JankUnwindRow *row = &self->rows[(pc ^ (pc >> 10) ^ (pc >> 20)) % N_ROWS];
  guint generation = 0;

  if (module == JANK_MODULE_NONE)
    {
      self->nowhere = (JankUnwindRow) { .pc = pc, .function = pc, .module = module };
      return &self->nowhere;
    }
  self->module = jank_code_map_get (self->map, module);
  if (self->module->n_build_id == 0)
    generation = jank_code_map_get_generation (self->map);
  if (row->pc == pc && row->module == module && row->generation == generation)
    return row;

  *row = (JankUnwindRow) { .pc = pc, .function = pc, .module = module, .generation = generation };
  jank_unwind_rows_make (self, row);
  self->has_new = TRUE;
  return row;
}

gboolean
jank_unwind_rows_take_new (JankUnwindRows *self)
{
  gboolean has_new = self->has_new;

  self->has_new = FALSE;
  return has_new;
}

void
jank_unwind_rows_forget (JankUnwindRows *self)
{
  memset (self->rows, 0, N_ROWS * sizeof *self->rows);
}

void
jank_unwind_rows_begin (JankUnwindRows *self, const JankStackCopy *copy, const guint64 *registers, guint64 known)
{
  self->copy = copy;
  self->known = known;
  memmove (self->registers, registers, sizeof self->registers);
  self->has_stepped = FALSE;
  if (self->library != NULL)
    self->library->init_remote (&self->cursor, self->space, self);
}

/* libunwind cannot be asked for that register: on aarch64 it gives the instruction pointer in its place. */
JankStep
jank_unwind_rows_step_by_register (JankUnwindRows *self)
{
  if (self->has_stepped || (self->known & JANK_REG_BIT (JANK_REG_RETURN)) == 0)
    return JANK_STEP_LOST;
  self->registers[JANK_REG_PC] = self->registers[JANK_REG_RETURN] & JANK_CODE_BITS;
  jank_unwind_rows_begin (self, self->copy, self->registers, self->known);
  return JANK_STEP_CALLER;
}

JankStep
jank_unwind_rows_step (JankUnwindRows *self, const JankUnwindRow *row)
{
  int result;

  self->n_reads = 0;
  self->has_stepped = TRUE;
  self->module = jank_code_map_get (self->map, row->module);
  result = self->library->apply_reg_state (&self->cursor, jank_unwind_rows_get_rules (self, row));
  return result > 0 ? JANK_STEP_CALLER : result == 0 ? JANK_STEP_BASE : JANK_STEP_LOST;
}

gboolean
jank_unwind_rows_get_register (JankUnwindRows *self, guint reg, guint64 *ret_value)
{
  unw_word_t value;

  if (self->library->get_reg (&self->cursor,
                              reg == JANK_REG_PC ? (unw_regnum_t) UNW_REG_IP : (unw_regnum_t) reg, &value) != 0)
    return FALSE;
  *ret_value = reg == JANK_REG_PC ? value & JANK_CODE_BITS : value;
  return TRUE;
}
