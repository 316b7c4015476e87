/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* SpiderMonkey's memory, made by hand: as it should be, as it may not be read, damaged, and as noise. */

#include "javascript/jank-engine-private.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test.h"

#define ARENA_BYTES (64 * 1024)
#define STACK_AT    4096       /* of the arena: the thread's stack, up to HEAP_AT */
#define HEAP_AT     8192
#define TEXTS_AT    (48 * 1024) /* is not damaged: who changes a name there changes the name */
#define N_ROUNDS    10000
#define MAX_CALLS   16

typedef struct
{
  const char *library;
  guint       activation, file, latin1, compiled;
  gboolean    has_pointers, has_columns;
} Version;

static const Version versions[] = {
  { "/usr/lib/libmozjs-102.so.102.15.1", 0x130, 112, 1 << 9, 112, FALSE, FALSE },
  { "/usr/lib/libmozjs-128.so.128.14.0", 0xf8, 104, 1 << 10, 40, TRUE, TRUE },
};

/* The calls of the memory that is made, innermost first. */
static const struct { const char *name; guint line; gboolean is_exact; } expected[] = {
  { "readBattery()", 5, TRUE }, { "größe()", 11, TRUE }, { "sortiere()", 30, FALSE }, { "名前()", 20, TRUE },
  { "anonymous()", 20, TRUE }, { "<TOP LEVEL>", 1, TRUE },
};

typedef struct
{
  const Version *version;
  guint8        *arena, *pristine;
  guint          heap, texts; /* used */
  guint64        innermost; /* its compiled frame */
  JankEngineView view;
  guint          n_calls;
  JankEngineCall calls[MAX_CALLS];
} Engine;

static guint64
take (Engine *self, guint n_words)
{
  guint64 address = (guint64) (self->arena + self->heap);

  self->heap += n_words * 8;
  g_assert_cmpuint (self->heap, <=, TEXTS_AT);
  return address;
}

static guint64
take_bytes (Engine *self, const void *bytes, guint n_bytes)
{
  guint8 *to = self->arena + self->texts;

  self->texts += (n_bytes + 7) / 8 * 8;
  memcpy (to, bytes, n_bytes);
  return (guint64) to;
}

static void
set (guint64 address, guint word, guint64 value)
{
  ((guint64 *) address)[word] = value;
}

/* name: of few characters: in the string itself; (nullable) */
static guint64
make_name (Engine *self, const char *name)
{
  guint64 string = take (self, 5), flags = 1 << 3 | 1 << 4;
  guint32 hash = 0;
  glong n = name != NULL ? g_utf8_strlen (name, -1) : 0;
  g_autofree char *latin1 = name != NULL ? g_convert (name, -1, "ISO-8859-1", "UTF-8", NULL, NULL, NULL) : NULL;
  g_autofree gunichar2 *utf16 = name != NULL ? g_utf8_to_utf16 (name, -1, NULL, NULL, NULL) : NULL;

  if (name == NULL)
    return (guint64) 0x1fff3 << 47;
  if (latin1 != NULL && n < 8)
    memcpy ((guint64 *) string + 1, latin1, (gsize) n);
  else
    set (string, 1, latin1 != NULL ? take_bytes (self, latin1, (guint) n) : take_bytes (self, utf16, (guint) n * 2));
  for (glong i = 0; i < n; i++)
    hash = 0x9e3779b9u * ((hash << 5 | hash >> 27) ^ utf16[i]);
  set (string, 3, self->version->has_columns ? (guint64) hash << 32 : hash);
  flags |= latin1 != NULL ? self->version->latin1 | (n < 8 ? 1 << 6 : 0) : 0;
  set (string, 0, flags | (guint64) n << 32);
  return (guint64) 0x1fff6 << 47 | string;
}

/* is_function: else a file's own code. ret_pc: at line 5 of a function from line 2, 20 of one from line 17 and so
 * on. */
static guint64
make_script (Engine *self, gboolean is_function, const char *name, guint line, guint64 *ret_function, guint64 *ret_pc)
{
  /* The next line 13 bytes on; the third 14 bytes later, 40 bytes of nothing, the fourth. */
  static const guint8 lines[] = { 0x60, 0x3d, 0x20, 4, 0x46, 3, 0xa0, 0x30, 0 };
  static const guint8 columns[] = { 0x60, 0x2d, 5, 0x46, 3, 3, 0xa0, 0x10, 0 };
  static const char file[] = "app.js";
  guint64 script = take (self, 11), function = take (self, 8), object = take (self, 8), source = take (self, 20);
  guint64 shared = take (self, 2), box;
  guint8 code[33 + 74 + sizeof lines] = { 0 };
  const guint32 head[2] = { sizeof code, 74 };

  G_STATIC_ASSERT (sizeof lines == sizeof columns);
  memcpy (code, head, sizeof head);
  memcpy (code + 33 + 74, self->version->has_columns ? columns : lines, sizeof lines);
  set (script, 2, is_function ? function : 0);
  set (script, 3, object);
  set (script, 6, line | (guint64) 7 << 32);
  set (script, 9, shared);
  set (function, 5, script);
  set (function, 6, make_name (self, name));
  set (object, 3, source);
  box = take_bytes (self, (guint64[]) { take_bytes (self, file, sizeof file), sizeof file }, 2 * 8);
  set (source + self->version->file, 0, box);
  set (shared, 1, take_bytes (self, code, sizeof code));
  *ret_pc = ((guint64 *) shared)[1] + 33 + (line == 1 ? 0 : 30);
  *ret_function = function;
  return script;
}

static void
make_activation (Engine *self, guint64 at, guint64 previous, gboolean is_compiled)
{
  set (at, 0, self->view.context);
  set (at, 2, previous);
  set (at, 13, is_compiled ? (guint64) 1 << 32 : 0);
}

/* A compiled frame of n_words with what is below it. Returns: where it begins */
static guint64
make_frame (Engine *self, guint64 *at, guint n_words, guint type, guint64 token)
{
  guint64 frame = *at;

  *at += n_words * 8;
  if (self->version->has_pointers)
    {
      set (frame, 0, *at);
      set (frame, 2, type);
      set (frame, 3, token);
      return frame;
    }
  set (frame, 1, type | 4 << 4 | (n_words * 8 - 32) << 8);
  set (frame, 2, token);
  return frame;
}

static guint64
make_interpreter_frame (Engine *self, guint64 script, guint64 caller, guint64 caller_pc, guint flags)
{
  guint64 frame = take (self, 8);

  set (frame, 0, flags);
  set (frame, 1, script);
  set (frame, 5, caller);
  set (frame, 6, caller_pc);
  return frame;
}

/* Gives the script compiled code with a call at place. Returns: where the call returns to */
static guint64
make_compiled (Engine *self, guint64 script, guint place)
{
  guint64 holder = take (self, 16), compiled = take (self, 80), cell = take (self, 1), code = (guint64) self->arena +
      HEAP_AT;

  set (script, 1, holder);
  set (holder + self->version->compiled, 0, compiled);
  set (compiled, 0, cell);
  set (compiled, 4, (guint64) (56 + 70 * 8) << 32 | 56);
  for (guint i = 0; i < 70; i++)
    set (compiled, 7 + i, (guint64) 3 << 60 | (guint64) (i == 68 ? place : 0) << 32 | (0x100 + i * 8));
  set (cell, 0, code);
  return code + 0x100 + 68 * 8;
}

/* Compiled code, newest: readBattery, interpreted by it, then größe, and sortiere, whose line is not known; an
 * interpreter of two calls, the inner one of which went on as compiled code; an interpreter of the rest. */
static void
make_stack (Engine *self)
{
  guint64 at = (guint64) self->arena + STACK_AT + 512, newest = at + 1024, older = newest + 256, oldest = older + 256;
  guint64 script, function, pc, size, outer, outer_pc, first, frame;
  guint below_bytes = self->version->has_pointers ? 72 : 80;

  make_activation (self, newest, older, TRUE);
  make_activation (self, older, oldest, FALSE);
  make_activation (self, oldest, 0, FALSE);
  set (self->view.context + self->version->activation, 0, newest);

  set (newest, 14, at);
  self->view.compiled = at - 32;
  make_frame (self, &at, 20, 2, 0);
  make_frame (self, &at, 20, 1, 0);
  script = make_script (self, TRUE, "readBattery", 2, &function, &pc);
  self->innermost = make_frame (self, &at, 20, 2, function);
  set (self->innermost - below_bytes, 0, script);
  set (self->innermost - below_bytes, 1, pc);
  set (self->innermost - below_bytes, 7, 2);
  frame = make_frame (self, &at, 20, 1, 0);
  script = make_script (self, TRUE, "größe", 8, &size, &pc);
  set (frame, self->version->has_pointers ? 1 : 0, make_compiled (self, script, 30));
  make_frame (self, &at, 16, 1, size | 1);
  make_script (self, TRUE, "sortiere", 30, &function, &pc);
  make_frame (self, &at, 16, 3, function);

  outer = make_script (self, TRUE, "名前", 17, &function, &outer_pc);
  first = make_interpreter_frame (self, outer, 0, 0, 0);
  frame = make_interpreter_frame (self, ((guint64 *) size)[5], first, outer_pc, 0x100);
  set (older, 16, frame);
  set (older, 17, first);

  script = make_script (self, FALSE, NULL, 1, &function, &pc);
  first = make_interpreter_frame (self, script, 0, 0, 0);
  script = make_script (self, TRUE, NULL, 17, &function, &outer_pc);
  set (oldest, 15, outer_pc);
  set (oldest, 16, make_interpreter_frame (self, script, first, pc, 0));
  set (oldest, 17, first);
}

static Engine *
engine_new (const Version *version)
{
  Engine *self = g_new0 (Engine, 1);

  self->version = version;
  self->arena = mmap (NULL, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  self->heap = HEAP_AT;
  self->texts = TEXTS_AT;
  self->view = (JankEngineView) {
    .layout = jank_engine_layout_find (version->library), .context = (guint64) self->arena,
    .low = (guint64) self->arena + STACK_AT, .high = (guint64) self->arena + HEAP_AT,
  };
  make_stack (self);
  self->pristine = g_memdup2 (self->arena, ARENA_BYTES);
  return self;
}

static void
engine_free (Engine *self)
{
  munmap (self->arena, ARENA_BYTES);
  g_free (self->pristine);
  g_free (self);
}

static bool
engine_call_cb (const JankEngineCall *call, void *data)
{
  Engine *self = data;

  self->calls[self->n_calls++] = *call;
  return self->n_calls < MAX_CALLS;
}

static gboolean
engine_read (Engine *self)
{
  self->n_calls = 0;
  return jank_engine_frames_read (&self->view, engine_call_cb, self);
}

/* Names come from the memory as it was made. */
static void
engine_check_names (const Engine *self)
{
  for (guint i = 0; i < self->n_calls; i++)
    {
      gboolean is_known = FALSE;

      for (guint k = 0; k < G_N_ELEMENTS (expected); k++)
        is_known = is_known || g_str_equal (self->calls[i].name, expected[k].name);
      g_assert_true (is_known);
      g_assert_cmpstr (self->calls[i].file, ==, "app.js");
    }
}

TEST (calls)
{
  for (guint v = 0; v < G_N_ELEMENTS (versions); v++)
    {
      Engine *engine = engine_new (&versions[v]);

      g_assert_true (engine_read (engine));
      g_assert_cmpuint (engine->n_calls, ==, G_N_ELEMENTS (expected));
      for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
        {
          g_assert_cmpstr (engine->calls[i].name, ==, expected[i].name);
          g_assert_cmpstr (engine->calls[i].file, ==, "app.js");
          g_assert_cmpuint (engine->calls[i].line, ==, expected[i].line);
          g_assert_cmpint (engine->calls[i].is_exact, ==, expected[i].is_exact);
          g_assert_cmpuint (engine->calls[i].place, >=, engine->view.low);
          g_assert_true (i == 0 || engine->calls[i].place >= engine->calls[i - 1].place);
        }
      engine_free (engine);
    }
}

/* Self-hosted functions have no notes; what follows, offsets of optional arrays, looks like notes. */
TEST (no_notes)
{
  static const guint8 behind[] = { 0x80, 0x80, 0x80, 0x4c, 1, 0, 0, 0x4c, 2, 0, 0 };
  static const guint8 behind_end[] = { 0, 0, 0, 0x4c, 1, 0, 0, 0x4c, 2, 0, 0 };

  for (guint has_columns = 0; has_columns <= 1; has_columns++)
    {
      guint8 code[33 + 100 + sizeof behind] = { 0 };
      const guint32 head[2] = { sizeof code, 100 };
      const guint64 shared[2] = { 0, (guintptr) code };
      guint32 line = 0;

      memcpy (code, head, sizeof head);
      code[32] = 2 << 4 | 1 << 2;
      memcpy (code + 33 + 100, has_columns ? behind : behind_end, sizeof behind);
      g_assert_true (jank_engine_find_line ((guintptr) shared, has_columns != 0, 99, 160, &line));
      g_assert_cmpuint (line, ==, 160);
      code[32] = 3 << 4;
      memset (code, 0, sizeof head[0]);
      g_assert_false (jank_engine_find_line ((guintptr) shared, has_columns != 0, 99, 160, &line));
    }
}

/* Nothing is read where it is not known to be in order: optimized code, an exit that is not the newest call's, a
 * function that has another script, a thing that is being moved. */
TEST (refused)
{
  for (guint v = 0; v < G_N_ELEMENTS (versions); v++)
    {
      Engine *engine = engine_new (&versions[v]);
      guint64 function = ((guint64 *) engine->innermost)[versions[v].has_pointers ? 3 : 2];
      guint64 script = ((guint64 *) function)[5], descriptor = engine->innermost + (versions[v].has_pointers ? 16 : 8);

      *(guint64 *) descriptor &= ~(guint64) 15;
      g_assert_false (engine_read (engine));
      memcpy (engine->arena, engine->pristine, ARENA_BYTES);
      set (script, 2, function + 8);
      g_assert_false (engine_read (engine));
      memcpy (engine->arena, engine->pristine, ARENA_BYTES);
      set (script, 0, 1);
      g_assert_false (engine_read (engine));
      memcpy (engine->arena, engine->pristine, ARENA_BYTES);
      engine->view.compiled -= 256;
      g_assert_false (engine_read (engine));
      g_assert_cmpuint (engine->n_calls, ==, 0);
      engine->view.is_asked = TRUE;
      g_assert_true (engine_read (engine));
      engine_free (engine);
    }
  g_assert_null (jank_engine_layout_find ("/usr/lib/libmozjs-999.so"));
  g_assert_null (jank_engine_layout_find (NULL));
}

/* Words that are wrong in a way that a word of freed or reused memory may be. */
static guint64
draw_word (const Engine *self)
{
  switch (g_test_rand_int_range (0, 6))
    {
    case 0:
      return 0;
    case 1:
      return (guint64) g_test_rand_int () << 32 | (guint32) g_test_rand_int ();
    case 2:
      return (guint32) g_test_rand_int_range (0, 4096);
    case 3:
      return (guint64) self->arena + ARENA_BYTES + (guint64) g_test_rand_int_range (0, 1 << 20);
    default:
      return (guint64) self->arena + (guint64) g_test_rand_int_range (0, ARENA_BYTES / 8) * 8;
    }
}

TEST (damaged)
{
  for (guint v = 0; v < G_N_ELEMENTS (versions); v++)
    {
      Engine *engine = engine_new (&versions[v]);

      for (guint i = 0; i < N_ROUNDS; i++)
        {
          gint n = g_test_rand_int_range (1, 5);

          memcpy (engine->arena, engine->pristine, TEXTS_AT);
          for (gint k = 0; k < n; k++)
            set ((guint64) engine->arena, (guint) g_test_rand_int_range (0, (gint) engine->heap / 8),
                 draw_word (engine));
          engine_read (engine);
          engine_check_names (engine);
        }
      engine_free (engine);
    }
}

TESTS ("/javascript/frames")
