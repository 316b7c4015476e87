/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs inside the observed thread if that is running, else on the watcher thread. A test holds this object's undefined
 * symbols against signal-safety(7). Not instrumented by sanitizers: it reads what other threads write. */

#include "python/jank-python-walk-private.h"

#include <stdbool.h>

#include "base/jank-memory-sigsafe-private.h"

#define MAX_READS     48   /* in addition to the data stack's newest chunk; each costs the thread a microsecond */
#define MAX_STEPS     4096
#define MAX_PER_RUN   64   /* calls of one run of the interpreter; the innermost are kept */
#define C_FRAME_WORDS 2

typedef struct
{
  const JankPythonLayout *layout;
  uint64_t                stack, n_stack_bytes;
  const uint8_t          *stack_bytes;
  long                    pid;
  JankPythonCalls        *calls;
  uint32_t                n_in_run;
} Walk;

JANK_NO_SANITIZE static inline bool
copy_words (uint64_t address, uint64_t *words, uint32_t n_words, const uint8_t *bytes, uint64_t at, uint64_t n_bytes)
{
  const uint64_t *from = (const uint64_t *) (const void *) (bytes + (address - at));

  if (address < at || (address - at) % sizeof *words != 0 || address - at > n_bytes ||
      n_bytes - (address - at) < n_words * sizeof *words)
    return false;
  for (uint32_t i = 0; i < n_words; i++)
    words[i] = from[i];
  return true;
}

JANK_NO_SANITIZE static inline bool
read_words (Walk *walk, uint64_t address, uint64_t *words, uint32_t n_words)
{
  JankPythonCalls *calls = walk->calls;

  if (copy_words (address, words, n_words, calls->bytes, calls->chunk, calls->n_chunk_bytes) ||
      copy_words (address, words, n_words, walk->stack_bytes, walk->stack, walk->n_stack_bytes))
    return true;
  return calls->n_reads++ < MAX_READS &&
         jank_memory_read_sigsafe (walk->pid, words, address,
                                   n_words * sizeof *words) == (long) (n_words * sizeof *words);
}

/* The newest end of the data stack, which holds most calls' frames. */
JANK_NO_SANITIZE static inline void
copy_chunk (Walk *walk, uint64_t chunk, uint64_t top)
{
  JankPythonCalls *calls = walk->calls;

  if (chunk == 0 || top <= chunk)
    return;
  calls->chunk = top - chunk > JANK_PYTHON_CHUNK_BYTES ? top - JANK_PYTHON_CHUNK_BYTES : chunk;
  calls->n_chunk_bytes = (uint64_t) jank_memory_read_sigsafe (walk->pid, calls->bytes, calls->chunk,
                                                              top - calls->chunk);
}

JANK_NO_SANITIZE static inline bool
is_on_stack (const Walk *walk, uint64_t address)
{
  return address >= walk->stack && address - walk->stack < walk->n_stack_bytes;
}

/* From 3.14 on the lowest bits of the code's address are tags. */
JANK_NO_SANITIZE static inline void
add_call (Walk *walk, const uint64_t *words)
{
  uint64_t code = words[walk->layout->code / 8] & ~7ull, instruction = words[walk->layout->instruction / 8];

  /* One place is reserved for the end of the run. */
  if (walk->n_in_run < MAX_PER_RUN && walk->calls->n_calls < JANK_PYTHON_MAX_CALLS - 1)
    {
      walk->calls->calls[walk->calls->n_calls++] = (JankPythonCall) { code, { instruction }, JANK_PYTHON_NO_IDENTITY };
      walk->n_in_run++;
    }
}

JANK_NO_SANITIZE static inline void
end_run (Walk *walk, uint64_t place)
{
  if (walk->calls->n_calls < JANK_PYTHON_MAX_CALLS)
    walk->calls->calls[walk->calls->n_calls++] = (JankPythonCall) { 0, { place }, JANK_PYTHON_NO_IDENTITY };
  walk->n_in_run = 0;
}

/* Its native frame is not on this stack: another thread uses the same state, or the list of frames is damaged. */
JANK_NO_SANITIZE static inline void
drop_run (Walk *walk)
{
  walk->calls->n_calls -= walk->n_in_run;
  walk->n_in_run = 0;
}

JANK_NO_SANITIZE static inline uint8_t
get_mark (const Walk *walk, const uint64_t *words)
{
  uint16_t mark = walk->layout->mark;

  return (uint8_t) (words[mark / 8] >> mark % 8 * 8);
}

/* 3.11: each run has a _PyCFrame on the native stack that leads to its innermost call. */
JANK_NO_SANITIZE static inline void
walk_c_frames (Walk *walk, uint64_t c_frame)
{
  const JankPythonLayout *layout = walk->layout;
  uint64_t words[JANK_PYTHON_FRAME_WORDS], c_words[C_FRAME_WORDS], last = 0;
  uint32_t n_steps = 0;

  /* The outermost _PyCFrame is part of the thread state. */
  while (c_frame > last && is_on_stack (walk, c_frame) &&
         read_words (walk, c_frame + layout->c_frame, c_words, C_FRAME_WORDS))
    {
      uint64_t frame = c_words[0];
      bool is_first = false;

      while (frame != 0 && !is_first && n_steps++ < MAX_STEPS &&
             read_words (walk, frame, words, JANK_PYTHON_FRAME_WORDS))
        {
          add_call (walk, words);
          is_first = get_mark (walk, words) != 0;
          frame = words[layout->previous / 8];
        }
      end_run (walk, c_frame);
      last = c_frame;
      c_frame = c_words[1];
    }
}

/* Later versions: the frame before a run's first lies on the native stack itself. */
JANK_NO_SANITIZE static inline void
walk_frames (Walk *walk, uint64_t frame)
{
  const JankPythonLayout *layout = walk->layout;
  uint64_t words[JANK_PYTHON_FRAME_WORDS];

  for (uint32_t n_steps = 0;
       frame != 0 && n_steps < MAX_STEPS && read_words (walk, frame, words, JANK_PYTHON_FRAME_WORDS); n_steps++)
    {
      if (get_mark (walk, words) < layout->entry_owner)
        add_call (walk, words);
      else if (is_on_stack (walk, frame))
        end_run (walk, frame);
      else
        break;
      frame = words[layout->previous / 8];
    }
  drop_run (walk);
}

/* The calls of one interpreter. A state that is not in use has no frame on the stack. */
JANK_NO_SANITIZE static inline void
walk_state (Walk *walk, const JankPythonState *state)
{
  const JankPythonLayout *layout = walk->layout;
  uint64_t words[JANK_PYTHON_MAX_WALKED_WORDS], c_words[C_FRAME_WORDS], frames;
  uint32_t n_bytes = layout->chunk + 16u - layout->frames;

  if (jank_memory_read_sigsafe (walk->pid, words, state->address + layout->frames, n_bytes) != (long) n_bytes)
    return;
  frames = words[0];
  if (frames == 0 || (layout->has_c_frames && !is_on_stack (walk, frames)))
    return;
  copy_chunk (walk, words[n_bytes / 8 - 2], words[n_bytes / 8 - 1]);
  if (layout->has_c_frames && layout->entry_owner == 0)
    walk_c_frames (walk, frames);
  else if (!layout->has_c_frames)
    walk_frames (walk, frames);
  else if (read_words (walk, frames + layout->c_frame, c_words, 1))
    walk_frames (walk, c_words[0]);
}

JANK_NO_SANITIZE static inline bool
is_stable (const uint64_t *stable, uint64_t code)
{
  const uint64_t *places = &stable[JANK_PYTHON_PLACE (code)];

  for (uint32_t i = 0; i < JANK_PYTHON_PLACES; i++)
    if (places[i] == code)
      return true;
  return false;
}

/* Lists the code objects to read, each once. */
JANK_NO_SANITIZE static inline void
choose_codes (JankPythonCalls *calls, const uint64_t *stable)
{
  for (uint32_t i = 0; i < calls->n_calls; i++)
    {
      uint64_t code = calls->calls[i].code;
      uint32_t k = 0;

      if (code == 0)
        continue;
      if (is_stable (stable, code))
        {
          calls->calls[i].identity = JANK_PYTHON_STABLE_CODE;
          continue;
        }
      while (k < calls->n_identities && calls->codes[k] != code)
        k++;
      if (k == JANK_PYTHON_MAX_IDENTITIES)
        return;
      if (k == calls->n_identities)
        calls->codes[calls->n_identities++] = code;
      calls->calls[i].identity = k;
    }
}

/* Functions of one file share its name. Returns: the text's index */
JANK_NO_SANITIZE static inline uint32_t
choose_text (JankPythonCalls *calls, uint64_t address)
{
  uint64_t from = address + JANK_PYTHON_TEXT_BEGIN;
  uint32_t i = 0;

  while (i < calls->n_texts && (uint64_t) (uintptr_t) calls->ranges[i].iov_base != from)
    i++;
  if (i == calls->n_texts)
    calls->ranges[calls->n_texts++] = (struct iovec) { (void *) (uintptr_t) from, sizeof (JankPythonText) };
  return i;
}

/* Two system calls: one reads all code objects, the next all names and files. */
JANK_NO_SANITIZE static inline void
read_identities (JankPythonCalls *calls, const JankPythonLayout *layout, long pid)
{
  uint32_t n_bytes = layout->n_identity_bytes, n_words = n_bytes / 8u;

  for (uint32_t i = 0; i < calls->n_identities; i++)
    calls->ranges[i] = (struct iovec) { (void *) (uintptr_t) (calls->codes[i] + layout->identity), n_bytes };
  calls->n_identities = (uint32_t) jank_memory_gather_sigsafe (pid, calls->gathered, calls->ranges, calls->n_identities,
                                                               (uint64_t) calls->n_identities * n_bytes) / n_bytes;
  for (uint32_t i = 0; i < calls->n_identities; i++)
    {
      JankPythonIdentity *identity = &calls->identities[i];

      for (uint32_t k = 0; k < n_words; k++)
        identity->code[k] = calls->gathered[i * n_words + k];
      identity->name = choose_text (calls, identity->code[(layout->name - layout->identity) / 8]);
      identity->file = choose_text (calls, identity->code[(layout->file - layout->identity) / 8]);
    }
  calls->n_texts = (uint32_t) ((uint64_t) jank_memory_gather_sigsafe (pid, calls->texts, calls->ranges, calls->n_texts,
                                                                      calls->n_texts * sizeof (JankPythonText)) /
                               sizeof (JankPythonText));
}

JANK_NO_SANITIZE static inline void
walk_states (Walk *walk, const JankPythonRequest *request)
{
  JankPythonCalls *calls = walk->calls;

  calls->n_calls = calls->n_identities = calls->n_texts = 0;
  calls->n_reads = 0;
  calls->chunk = calls->n_chunk_bytes = 0;
  for (uint32_t i = 0; i < request->n_states; i++)
    walk_state (walk, &request->states[i]);
}

JANK_NO_SANITIZE void
jank_python_walk (const JankPythonRequest *request, const JankStackCopy *copy, long pid, JankPythonCalls *ret_calls)
{
  Walk walk = { .layout = &request->layout, .stack = copy->address, .n_stack_bytes = copy->n_bytes,
                .stack_bytes = copy->bytes, .pid = pid, .calls = ret_calls };

  walk_states (&walk, request);
  choose_codes (ret_calls, request->stable);
  if (ret_calls->n_identities > 0)
    read_identities (ret_calls, &request->layout, pid);
}
