/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "base/jank-clock-private.h"
#include "fuzz-eh-frame.h"
#include "test.h"

#define N_DAMAGED 10000

/* One common entry and one function's, as compilers write them but for what is said here. */
typedef struct
{
  const char *name;
  const char *letters;       /* of the augmentation; NULL: "zR" */
  guint8      return_column; /* 0: the right one */
  gboolean    no_cfa;        /* the common entry does not define it */
  guint8      code[70];      /* the function's instructions, from its start on */
  guint       n_code;
  gboolean    is_sound;      /* libunwind may see it */
} Case;

#define CODE(...) .code = { __VA_ARGS__ }, .n_code = sizeof ((guint8[]) { __VA_ARGS__ })

static const Case cases[] = {
  { "plain", CODE (0x41, 0x0e, 0x10, 0x86, 0x02, 0x43, 0x0d, 0x06), .is_sound = TRUE },
  { "signal-frame", .letters = "zRS", CODE (0x00), .is_sound = TRUE },
  { "personality", .letters = "zPLR", CODE (0x41, 0x0e, 0x20), .is_sound = TRUE },
  { "states", CODE (0x0a, 0x41, 0x0e, 0x20, 0x0b), .is_sound = TRUE },
  { "expression", .no_cfa = TRUE, CODE (0x0f, 0x02, 0x77, 0x08, 0x10, 0x06, 0x02, 0x77, 0x00), .is_sound = TRUE },
  { "in-register", CODE (0x09, 0x06, 0x03), .is_sound = TRUE },

  /* libunwind indexes with the second operand. */
  { "register-beyond", CODE (0x09, 0x06, JANK_N_REGS) },
  { "register-far-beyond", CODE (0x09, 0x06, 0xff, 0xff, 0xff, 0xff, 0x07) },
  { "register-behind-block", CODE (0x10, 0x06, 0x02, 0x09, 0x09, 0x09, 0x06, 0x7f) },
  { "return-column-beyond", .return_column = 0x7f, CODE (0x00) },
  { "no-cfa", .no_cfa = TRUE, CODE (0x41, 0x86, 0x02) },
  { "cfa-too-late", .no_cfa = TRUE, CODE (0x41, 0x0c, 0x07, 0x10) },
  { "state-underflow", CODE (0x0b) },
  { "unknown-instruction", CODE (0x3c) },
  { "set-location", CODE (0x01, 0x00, 0x00, 0x00, 0x00) },
  { "block-beyond", CODE (0x0f, 0x7f, 0x06) },
  { "endless-number", CODE (0x0e, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01) },
  { "unsized", .letters = "R", CODE (0x00) },
  { "unknown-letter", .letters = "zRQ", CODE (0x00) },
  { "late-letter", .letters = "zRSBL", CODE (0x00) },
};

static void
append_word (GByteArray *array, guint32 word)
{
  g_byte_array_append (array, (const guint8 *) &word, sizeof word);
}

/* Pads to a multiple of eight, and writes the entry's length. */
static void
end_entry (GByteArray *array, guint from)
{
  guint32 length;

  while ((array->len - 1) % 8 != 0)
    g_byte_array_append (array, (const guint8 *) "", 1);
  length = array->len - from - 4;
  memcpy (array->data + from, &length, sizeof length);
}

static GByteArray *
make_input (const Case *what)
{
  const char *letters = what->letters != NULL ? what->letters : "zR";
  guint8 column = what->return_column != 0 ? what->return_column : JANK_REG_RETURN;
  GByteArray *array = g_byte_array_new ();
  guint fde;

  append_word (array, 0);
  g_byte_array_set_size (array, 1); /* where the function's entry is */
  append_word (array, 0);
  append_word (array, 0);
  g_byte_array_append (array, (const guint8 *) "\1", 1);
  g_byte_array_append (array, (const guint8 *) letters, (guint) strlen (letters) + 1);
  g_byte_array_append (array, (const guint8[]) { 1, 0x78, column }, 3);
  if (strcmp (letters, "zPLR") == 0)
    g_byte_array_append (array, (const guint8[]) { 7, 0x1b, 1, 0, 0, 0, 0xff, 0x1b }, 8);
  else
    g_byte_array_append (array, (const guint8[]) { 1, 0x1b }, 2);
  if (!what->no_cfa)
    g_byte_array_append (array, (const guint8[]) { 0x0c, 0x07, 0x08 }, 3);
  g_byte_array_append (array, (const guint8[]) { 0x80 | JANK_REG_RETURN, 0x01 }, 2);
  end_entry (array, 1);

  fde = array->len;
  array->data[0] = (guint8) ((fde - 1) / 4);
  append_word (array, 0);
  append_word (array, fde + 4 - 1);
  append_word (array, (guint32) (fuzz_get_code () - (fuzz_get_entries () + array->len - 1)));
  append_word (array, FUZZ_CODE_BYTES);
  g_byte_array_append (array, (const guint8 *) "", 1);
  g_byte_array_append (array, what->code, what->n_code);
  end_entry (array, fde);
  return array;
}

static void
test_check (gconstpointer data)
{
  const Case *what = data;
  g_autoptr (GByteArray) input = make_input (what);
  FuzzResult result = fuzz_run (input->data, input->len);

  g_assert_cmpint (result.has_function, ==, what->is_sound);
  g_assert_cmpint (result.has_rules, ==, what->is_sound);
  if (what->is_sound)
    g_assert_cmpint (result.is_signal_frame, ==, what->letters != NULL && strchr (what->letters, 'S') != NULL);
}

/* libunwind allocates a state for each, for good. */
TEST (many_states)
{
  Case what = { "many-states" };
  g_autoptr (GByteArray) input = NULL;

  memset (what.code, 0x0a, sizeof what.code);
  what.n_code = sizeof what.code;
  input = make_input (&what);
  g_assert_false (fuzz_run (input->data, input->len).has_rules);
}

/* DW_OP_skip back to itself: libunwind would go round for ever. */
TEST (endless_expression)
{
  const Case what = { "endless", CODE (0x0f, 0x03, 0x2f, 0xfd, 0xff) };
  g_autoptr (GByteArray) input = make_input (&what);
  FuzzResult result = fuzz_run (input->data, input->len);

  g_assert_true (result.has_rules);
  g_assert_cmpint (result.step, ==, JANK_STEP_LOST);
}

TEST (fuzz)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (13);
  guint n_rules = 0;

  for (guint round = 0; round < N_DAMAGED; round++)
    {
      g_autoptr (GByteArray) input = make_input (&cases[round % G_N_ELEMENTS (cases)]);
      guint n = (guint) g_rand_int_range (random, 1, 4);

      /* Damage to the lengths and the common entry is mostly refused at once. */
      for (guint i = 0; i < n; i++)
        {
          guint from = round % 4 == 0 ? 1 : input->len / 2;

          input->data[g_rand_int_range (random, (gint32) from, (gint32) input->len)] = (guint8) g_rand_int (random);
        }
      n_rules += fuzz_run (input->data, input->len).has_rules;
    }
  g_test_message ("%u of %u have rules", n_rules, N_DAMAGED);
  g_assert_cmpuint (n_rules, >, N_DAMAGED / 100);
}

static void
add (void)
{
  tests_add_each ("/unwind/eh-frame/check", cases, G_N_ELEMENTS (cases), sizeof *cases, test_check);
}

TESTS_AND ("/unwind/eh-frame", add, FALSE)
