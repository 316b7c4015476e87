/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Compiled without optimisation and sanitizers: every function here keeps a frame pointer, and nothing else of
 * the kind on its stack. */

#include "base/jank-memory-private.h"
#include "unwind/jank-call-record-private.h"
#include "proc/jank-thread-private.h"
#include "test.h"

#define N_GARBAGE   20000
#define BELOW_BYTES 128 /* the stack pointer */

typedef struct
{
  JankCodeMap   *map;   /* (owned) */
  JankPageCache *pages; /* (owned) */
  JankStackCopy *copy;  /* (owned): of this thread, in callee() */
  guint64        sp;    /* callee's */
  guint64        return_address, frame;
} Fixture;

static Fixture *capturing;

static G_GNUC_NO_INLINE void
capture (void)
{
  JankStackCopy *copy = capturing->copy;
  JankThreadInfo info;

  jank_thread_describe_self (&info);
  capturing->sp = (guintptr) __builtin_dwarf_cfa ();
  copy->address = capturing->sp - BELOW_BYTES;
  copy->base = info.stack_base;
  copy->n_bytes = (guint32) MIN (JANK_COPY_MAX_BYTES, info.stack_base - copy->address);
  g_assert_true (jank_memory_read_all (copy->address, copy->bytes, copy->n_bytes));
}

static G_GNUC_NO_INLINE void
callee (void)
{
  volatile guint8 local[100];

  local[3] = 1;
  capturing->return_address = (guintptr) __builtin_return_address (0);
  capturing->frame = (guintptr) __builtin_frame_address (0);
  capture ();
  local[4] = local[3];
}

static void (*volatile callee_pointer) (void) = callee;

static G_GNUC_NO_INLINE void
call_directly (void)
{
  callee ();
}

static G_GNUC_NO_INLINE void
call_by_pointer (void)
{
  callee_pointer ();
}

/* A prologue as gcc gives it to functions that keep arguments and align their stack, called by code that keeps no frame
 * pointer, or jumped to at the end of another function; and a call through a slot, which leads to another library. */
extern void moving_prologue (void (*func) (void)), call_without_frame (void (*func) (void));
extern void call_what_jumps_on (void (*func) (void));
extern const guint8 after_call_without_frame[], after_call_of_what_jumps_on[], after_call_through_slot[];
extern void *call_slot;
void *call_slot = (void *) g_thread_self;

#if defined (__x86_64__)
__asm__ (".text\n"
         ".type moving_prologue, @function\n"
         "moving_prologue:\n"
         "  push %rbp\n"
         "  mov %rsp, %rbp\n"
         "  push %r15\n"
         "  mov %rsi, %r15\n"
         "  push %r14\n"
         "  push %rbx\n"
         "  mov %rdi, %rbx\n"
         "  and $-16, %rsp\n"
         "  sub $0x10, %rsp\n"
         "  call *%rbx\n"
         "  lea -0x18(%rbp), %rsp\n"
         "  pop %rbx\n"
         "  pop %r14\n"
         "  pop %r15\n"
         "  pop %rbp\n"
         "  ret\n"
         "call_without_frame:\n"
         "  push %rbp\n"
         "  mov $0x1234, %rbp\n"
         "  call moving_prologue\n"
         "after_call_without_frame:\n"
         "  pop %rbp\n"
         "  ret\n"
         "jumps_on:\n"
         "  mov %rdi, %rax\n"
         "  jmp moving_prologue\n"
         "call_what_jumps_on:\n"
         "  push %rbp\n"
         "  mov $0x1234, %rbp\n"
         "  call jumps_on\n"
         "after_call_of_what_jumps_on:\n"
         "  pop %rbp\n"
         "  ret\n"
         "  call *call_slot(%rip)\n"
         "after_call_through_slot:\n"
         "  ret\n");
#elif defined (__aarch64__)
__asm__ (".text\n"
         ".global moving_prologue, call_without_frame, call_what_jumps_on\n"
         ".global after_call_without_frame, after_call_of_what_jumps_on, after_call_through_slot\n"
         "moving_prologue:\n"
         "  hint #25\n"
         "  stp x29, x30, [sp, #-32]!\n"
         "  mov x29, sp\n"
         "  stp x19, x20, [sp, #16]\n"
         "  mov x19, x0\n"
         "  sub sp, sp, #48\n"
         "  blr x19\n"
         "  add sp, sp, #48\n"
         "  ldp x19, x20, [sp, #16]\n"
         "  ldp x29, x30, [sp], #32\n"
         "  hint #29\n"
         "  ret\n"
         "call_without_frame:\n"
         "  stp x29, x30, [sp, #-16]!\n"
         "  mov x29, #0x1234\n"
         "  bl moving_prologue\n"
         "after_call_without_frame:\n"
         "  ldp x29, x30, [sp], #16\n"
         "  ret\n"
         "jumps_on:\n"
         "  mov x1, x0\n"
         "  b moving_prologue\n"
         "call_what_jumps_on:\n"
         "  stp x29, x30, [sp, #-16]!\n"
         "  mov x29, #0x1234\n"
         "  bl jumps_on\n"
         "after_call_of_what_jumps_on:\n"
         "  ldp x29, x30, [sp], #16\n"
         "  ret\n"
         "  bl g_test_init\n"
         "after_call_through_slot:\n"
         "  ret\n");
#endif

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->map = jank_code_map_new ();
  fixture->pages = jank_page_cache_new ();
  fixture->copy = g_new0 (JankStackCopy, 1);
  capturing = fixture;
  if (GPOINTER_TO_INT (data))
    call_by_pointer ();
  else
    call_directly ();
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  jank_code_map_free (fixture->map);
  jank_page_cache_free (fixture->pages);
  g_free (fixture->copy);
}

static gboolean
find (Fixture *fixture, guint64 function, JankCallRecord *ret_record)
{
  return jank_call_record_find (fixture->map, fixture->pages, fixture->copy, function, fixture->sp, ret_record);
}

static void
assert_found (Fixture *fixture, guint64 function)
{
  const guint64 *saved = (const guint64 *) (void *) (fixture->copy->bytes + (fixture->frame - fixture->copy->address));
  JankCallRecord record;

  g_assert_true (find (fixture, function, &record));
  g_assert_cmpuint (record.return_address, ==, fixture->return_address);
  g_assert_cmpuint (record.at, ==, fixture->frame);
  g_assert_cmpuint (record.frame_pointer, ==, saved[0]);
}

static void
test_indirect (Fixture *fixture, gconstpointer data)
{
  assert_found (fixture, (guintptr) callee);
}

/* A prologue that says nothing: searched for, upward. */
static void
test_search (Fixture *fixture, gconstpointer data)
{
  assert_found (fixture, (guintptr) callee + 1);
}

static void
test_moving_prologue (Fixture *fixture, gconstpointer data)
{
  static const struct { void (*call) (void (*func) (void)); const guint8 *after; } cases[] = {
    { call_without_frame, after_call_without_frame }, { call_what_jumps_on, after_call_of_what_jumps_on } };
  JankCallRecord record;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      cases[i].call (capture);
      g_assert_true (find (fixture, (guintptr) moving_prologue, &record));
      g_assert_cmpuint (record.return_address, ==, (guintptr) cases[i].after);
      g_assert_cmpuint (record.frame_pointer, ==, 0x1234);
    }
}

/* What is left on the stack of a call that has led to another library. */
static void
test_other_library (Fixture *fixture, gconstpointer data)
{
  guint64 *words = (guint64 *) (void *) fixture->copy->bytes;

  fixture->sp -= BELOW_BYTES;
  words[0] = 0;
  words[1] = (guintptr) after_call_through_slot;
  assert_found (fixture, (guintptr) callee + 1);
}

/* A direct call to another function has not led here. */
static void
test_other_function (Fixture *fixture, gconstpointer data)
{
  JankCallRecord record;

  if (find (fixture, (guintptr) call_by_pointer, &record))
    g_assert_cmpuint (record.return_address, !=, fixture->return_address);
}

/* By its frame pointer, as of code without tables: only a return address behind a call in known code is believed. */
static void
test_read (Fixture *fixture, gconstpointer data)
{
  g_autofree guint8 *unknown = g_memdup2 ((guint8[]) { 0xe8, 0, 0, 0, 0, 0x90, 0x90, 0x90 }, 8);
  const guint64 lies[] = { 0, 1, (guintptr) callee, (guintptr) &callee_pointer, (guintptr) unknown + 5,
                           fixture->frame };
  guint64 *saved = (guint64 *) (void *) (fixture->copy->bytes + (fixture->frame - fixture->copy->address));
  JankCallRecord record;

  g_assert_true (jank_call_record_read (fixture->map, fixture->pages, fixture->copy, fixture->frame, &record));
  g_assert_cmpuint (record.return_address, ==, fixture->return_address);
  g_assert_cmpuint (record.at, ==, fixture->frame);
  for (guint i = 0; i < G_N_ELEMENTS (lies); i++)
    {
      saved[1] = lies[i];
      g_assert_false (jank_call_record_read (fixture->map, fixture->pages, fixture->copy, fixture->frame, &record));
    }
}

static void
test_garbage (Fixture *fixture, gconstpointer data)
{
  const guint64 ends[] = { 0, 1, 4095, 4096, fixture->return_address, (guintptr) callee, G_MAXUINT64, G_MAXUINT64 - 7 };
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  JankStackCopy *copy = fixture->copy;
  JankCallRecord record;

  for (guint round = 0; round < N_GARBAGE; round++)
    {
      guint64 function = ends[g_rand_int_range (random, 0, G_N_ELEMENTS (ends))];
      guint64 *words = (guint64 *) (void *) copy->bytes;

      copy->n_bytes = (guint32) g_rand_int_range (random, 0, 600);
      copy->address = round % 5 == 0 ? G_MAXUINT64 - 400 : 0x7ffc00000000;
      copy->base = round % 2 == 0 ? 0 : copy->address + copy->n_bytes;
      fixture->sp = copy->address + (guint64) g_rand_int_range (random, -200, 700);
      for (guint i = 0; i < 75; i++)
        words[i] = g_rand_boolean (random) ? ends[g_rand_int_range (random, 0, G_N_ELEMENTS (ends))]
                                           : copy->address + (guint64) g_rand_int_range (random, 0, 700);
      if (find (fixture, function, &record))
        g_assert_cmpuint (record.return_address, ==, fixture->return_address);
    }
}

#define ADD(path, data, func) \
  g_test_add ("/unwind/call-record/" path, Fixture, GINT_TO_POINTER (data), set_up, func, tear_down)

static void
add (void)
{
  ADD ("indirect-call", TRUE, test_indirect);
  ADD ("search", TRUE, test_search);
  ADD ("moving-prologue", FALSE, test_moving_prologue);
  ADD ("other-library", TRUE, test_other_library);
  ADD ("other-function", FALSE, test_other_function);
  ADD ("read", FALSE, test_read);
  ADD ("garbage", TRUE, test_garbage);
}

TESTS_AND ("/unwind/call-record", add, FALSE)
