/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fuzz target of the unwind table reader: damaged tables go through our check, then through libunwind. test-eh-frame
 * feeds it damaged copies of good ones. For libFuzzer: compile this file, unwind/ but the code map, and base/ with
 * clang's -fsanitize=fuzzer,address,undefined. */

#include "fuzz-eh-frame.h"

#include <string.h>

#define N_STACK_WORDS 256

/* A file in memory, as the loader would have mapped it. */
typedef struct
{
  guint8  version, frame_encoding, count_encoding, table_encoding;
  gint32  frame;
  guint32 n_pairs;
  gint32  start, fde;
  guint8  code[FUZZ_CODE_BYTES];
  guint8  entries[FUZZ_MAX_BYTES + 8];
} Image;

static _Alignas (4096) Image image;
static guint generation;

static JankModule module = { .path = (char *) "fuzz", .loaded = TRUE };

/* In place of the code map, which knows only what the loader knows. */
const JankModule *jank_code_map_get (JankCodeMap *self, guint32 index) { return &module; }
guint jank_code_map_get_generation (JankCodeMap *self) { return generation; }
guint64 fuzz_get_entries (void) { return (guintptr) image.entries; }
guint64 fuzz_get_code (void) { return (guintptr) image.code; }

static void
fill_image (const guint8 *data, gsize n_bytes)
{
  memset (&image, 0, sizeof image);
  image.version = 1;
  image.frame_encoding = 0x1b;
  image.count_encoding = 0x03;
  image.table_encoding = 0x3b;
  image.n_pairs = 1;
  image.start = (gint32) G_STRUCT_OFFSET (Image, code);
  image.fde = (gint32) G_STRUCT_OFFSET (Image, entries) + data[0] * 4;
  memcpy (image.entries, data + 1, MIN (n_bytes - 1, FUZZ_MAX_BYTES));
  module.start = (guintptr) &image;
  module.end = module.start + sizeof image;
  module.eh_frame_hdr = (guintptr) &image;
}

/* Registers point into the stack and the image, so that rules find something. */
static void
fill_copy (JankStackCopy *copy, const guint8 *data, gsize n_bytes)
{
  copy->address = 0x7ffc00000000;
  copy->n_bytes = N_STACK_WORDS * 8;
  copy->base = copy->address + copy->n_bytes;
  copy->known = data[n_bytes - 1] % 2 == 0 ? JANK_REGS_ALL : JANK_REG_BIT (JANK_REG_SP) | JANK_REG_BIT (JANK_REG_PC);
  for (guint i = 0; i < N_STACK_WORDS; i++)
    {
      guint8 byte = data[i % n_bytes];
      guint64 word = byte < 128 ? fuzz_get_code () + byte : copy->address + byte * 8u;

      memcpy (copy->bytes + i * 8, &word, sizeof word);
    }
  for (guint i = 0; i < JANK_N_REGS; i++)
    copy->regs[i] = copy->address + 8u * data[i % n_bytes];
  copy->regs[JANK_REG_PC] = fuzz_get_code () + 5;
  copy->regs[JANK_REG_SP] = copy->address + 128;
}

FuzzResult
fuzz_run (const guint8 *data, gsize n_bytes)
{
  static JankPageCache *pages;
  static JankUnwindRows *rows;
  static JankStackCopy copy;
  const JankUnwindRow *row;
  FuzzResult result = { 0 };

  if (rows == NULL)
    {
      pages = jank_page_cache_new ();
      rows = jank_unwind_rows_new (NULL, pages);
      g_assert_no_error (jank_unwind_rows_get_error (rows));
    }
  fill_image (data, n_bytes);
  fill_copy (&copy, data, n_bytes);
  jank_page_cache_flush (pages);
  generation++;
  row = jank_unwind_rows_find (rows, fuzz_get_code () + 5, 0);
  result.has_function = row->function == fuzz_get_code ();
  result.has_rules = row->has_rules;
  result.is_signal_frame = row->is_signal_frame;
  if (!row->has_rules)
    return result;

  jank_unwind_rows_begin (rows, &copy, copy.regs, copy.known);
  result.step = jank_unwind_rows_step (rows, row);
  for (guint reg = 0; reg < JANK_N_REGS; reg++)
    {
      guint64 value;

      jank_unwind_rows_get_register (rows, reg, &value);
    }
  return result;
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize n_bytes)
{
  if (n_bytes >= 2)
    fuzz_run (data, n_bytes);
  return 0;
}
