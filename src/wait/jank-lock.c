/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: glibc's locks. */

#include "wait/jank-lock-private.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/jank-held-locks-private.h"
#include "base/jank-memory-private.h"
#include "elf/jank-exports-private.h"
#include "elf/jank-known-functions-private.h"
#include "elf/jank-loaded-private.h"
#include "proc/jank-proc-private.h"

/* Frames of the C library between the system call and the function that a program calls. */
#define MAX_DEPTH 8

/* Bits of __kind in glibc's pthread_mutex_t, in the order of its ABI. */
#define MUTEX_TYPE_BITS   0x003
#define MUTEX_ROBUST      0x010
#define MUTEX_PI          0x020
#define MUTEX_PROTECT     0x040
#define MUTEX_SHARED      0x080
#define MUTEX_ELISION     0x300
#define MUTEX_ALL_BITS    (MUTEX_TYPE_BITS | MUTEX_ROBUST | MUTEX_PI | MUTEX_PROTECT | MUTEX_SHARED | MUTEX_ELISION)

/* pthread_barrier_t is opaque: the word that is waited on is its second. */
#define BARRIER_ROUND_OFFSET 4

#define MAX_DESCRIPTOR_BYTES 2304 /* of a thread: struct pthread */

#define PRELOADED "/libjankwatch-preload" /* or -strict */

static const char *const nicks[JANK_N_LOCKS] = {
  [JANK_LOCK_UNKNOWN] = "unknown", [JANK_LOCK_MUTEX] = "mutex",     [JANK_LOCK_RWLOCK] = "rwlock",
  [JANK_LOCK_COND] = "cond",       [JANK_LOCK_SEM] = "sem",         [JANK_LOCK_BARRIER] = "barrier",
  [JANK_LOCK_JOIN] = "join",       [JANK_LOCK_GMUTEX] = "GMutex",   [JANK_LOCK_GRWLOCK] = "GRWLock",
  [JANK_LOCK_GCOND] = "GCond",     [JANK_LOCK_ONCE] = "once",      [JANK_LOCK_GIL] = "GIL",
  [JANK_LOCK_PYTHON] = "threading.Lock", [JANK_LOCK_PYTHON_RLOCK] = "threading.RLock",
};

/* (nullable): of the preloaded library in this process */
static JankHeldLocks *own_record;

/* The function that waits, and the one that called it. */
typedef struct
{
  JankRole role, caller;
} Waiter;

/* A library that intercepts calls may stand between a GRWLock and its lock. Other callbacks run the program's code. */
static JankRole
jank_lock_find_caller (const JankCall *calls, guint n_calls)
{
  for (guint i = 0; i < MIN (n_calls, 2); i++)
    {
      JankKnownFunction known;

      jank_known_function_look (calls[i].function, &known);
      if (i == 0 ? known.role != JANK_ROLE_NONE : known.role == JANK_ROLE_GRWLOCK)
        return known.role;
    }
  return JANK_ROLE_NONE;
}

static Waiter
jank_lock_find_waiter (const JankCall *calls, guint n_calls)
{
  Waiter waiter = { JANK_ROLE_NONE, JANK_ROLE_NONE };
  guint64 innermost_library = 0;

  for (guint i = 0; i < MIN (n_calls, MAX_DEPTH); i++)
    {
      JankKnownFunction known;

      jank_known_function_look (calls[i].function, &known);
      if (i == 0)
        innermost_library = known.library;
      /* GLib's locks call syscall() directly; the C library's have only their own functions inside them. */
      if (known.role == JANK_ROLE_NONE && (known.library == 0 || known.library != innermost_library))
        break;
      if (known.role == JANK_ROLE_NONE)
        continue;
      if (known.library != innermost_library && i != 1)
        break;
      waiter.role = known.role;
      waiter.caller = jank_lock_find_caller (calls + i + 1, n_calls - i - 1);
      break;
    }
  return waiter;
}

/* Returns: where that of the process that this thread reads is, 0: nothing is written down there */
static guint64
jank_lock_find_record (void)
{
  guint64 start, found = 0;

  for (guint i = 0; found == 0 && (start = jank_loaded_get (i)) != 0; i++)
    {
      const char *path = jank_loaded_get_path (start);
      struct dl_find_object file;
      JankExports exports;

      if (path != NULL && strstr (path, PRELOADED) != NULL && jank_loaded_find (start, &file) &&
          jank_exports_open ((guint64) (gsize) file.dlfo_link_map, &exports))
        found = jank_exports_find_data (&exports, JANK_HELD_LOCKS, NULL);
    }
  return found;
}

/* What a foreign process wrote down is as true as its locks' memory. ret_copy (out): (owned) of another's. Returns:
 * (nullable) */
static JankHeldLocks *
jank_lock_read_record (JankHeldLocks **ret_copy)
{
  guint64 at;

  *ret_copy = NULL;
  if (jank_memory_get_other () == 0)
    return own_record;
  at = jank_lock_find_record ();
  if (at == 0)
    return NULL;
  *ret_copy = aligned_alloc (_Alignof (JankHeldLocks), sizeof **ret_copy);
  return jank_memory_read_all (at, *ret_copy, sizeof **ret_copy) ? *ret_copy : NULL;
}

static pid_t
jank_lock_find_recorded (guint64 address, pid_t waiter, gboolean is_shared)
{
  g_autofree JankHeldLocks *copy = NULL;
  JankHeldLocks *record = jank_lock_read_record (&copy);

  if (record == NULL)
    return 0;
  return jank_proc_find_thread (0, jank_held_find_holder (record, GSIZE_TO_POINTER (address), waiter, is_shared));
}

gboolean
jank_lock_read_mutex (pid_t pid, guint64 address, guint32 *ret_bits, pid_t *ret_owner)
{
  pthread_mutex_t mutex;
  guint32 bits, word;
  pid_t owner;

  if (!jank_memory_read_all_of (pid, address, &mutex, sizeof mutex))
    return FALSE;
  bits = (guint32) mutex.__data.__kind;
  word = (guint32) mutex.__data.__lock;
  if ((bits & ~MUTEX_ALL_BITS) != 0)
    return FALSE;

  owner = mutex.__data.__owner;
  if ((bits & (MUTEX_PI | MUTEX_ROBUST)) != 0)
    owner = (pid_t) (word & FUTEX_TID_MASK);
  *ret_bits = bits;
  *ret_owner = word != 0 ? owner : 0;
  return TRUE;
}

static gboolean
jank_lock_look_at_mutex (guint64 address, guint32 *ret_bits, pid_t *ret_owner)
{
  if (!jank_lock_read_mutex (0, address, ret_bits, ret_owner))
    return FALSE;
  *ret_owner = jank_proc_find_thread (0, *ret_owner);
  return TRUE;
}

/* A thread waits on one of three words; the addresses distinguish two of them from the third. */
static void
jank_lock_look_at_rwlock (guint64 word, pid_t waiter, JankLock *lock)
{
  guint64 offset = word % 8 == 4 ? offsetof (pthread_rwlock_t, __data.__writers_futex) :
                                   offsetof (pthread_rwlock_t, __data.__wrphase_futex);
  pthread_rwlock_t rwlock;

  /* Readers of a lock that prefers writers wait on its first word. */
  if (word % 8 == 0 && jank_memory_read_all (word, &rwlock, sizeof rwlock) &&
      rwlock.__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP)
    return;
  if (word % 4 != 0 || !jank_memory_read_all (word - offset, &rwlock, sizeof rwlock) ||
      rwlock.__data.__flags > PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP || (guint) rwlock.__data.__shared > 1)
    return;
  lock->address = word - offset;
  lock->owner = jank_proc_find_thread (0, rwlock.__data.__cur_writer);
  if (rwlock.__data.__cur_writer == 0)
    lock->owner = jank_lock_find_recorded (lock->address, waiter, TRUE);
}

/* Threads wait on two words in turn, whose place differs between versions of the C library. We know it for the
 * version we were compiled with; with any other the word itself is shown. */
static guint64
jank_lock_get_cond_address (guint64 word)
{
  g_autofree char *version = g_strdup_printf ("%d.%d", __GLIBC__, __GLIBC_MINOR__);

  if (strcmp (gnu_get_libc_version (), version) != 0)
    return word;
  return (word & ~G_GUINT64_CONSTANT (7)) - offsetof (pthread_cond_t, __data.__g_signals);
}

/* Whatever library made it, the kernel itself reads the owner there. */
static void
jank_lock_look_at_pi (guint64 address, JankLock *lock)
{
  guint32 word, bits;
  pid_t owner;

  if (jank_memory_read_all (address, &word, sizeof word))
    lock->owner = jank_proc_find_thread (0, (pid_t) (word & FUTEX_TID_MASK));
  if (lock->owner != 0 && jank_lock_look_at_mutex (address, &bits, &owner) && (bits & MUTEX_PI) != 0 &&
      owner == lock->owner)
    lock->kind = JANK_LOCK_MUTEX;
}

/* On x86-64 a thread's descriptor begins with its own address, which is there once more two words later. */
static guint64
jank_lock_find_descriptor (guint64 inside)
{
  guint64 words[MAX_DESCRIPTOR_BYTES / sizeof (guint64)], from = (inside & ~G_GUINT64_CONSTANT (7)) - sizeof words;
  gsize n_words = jank_memory_read (from, words, sizeof words) / sizeof *words;

  for (gsize i = n_words; i-- > 2;)
    {
      guint64 descriptor = from + (i - 2) * sizeof *words;

      if (words[i] == descriptor && words[i - 2] == descriptor)
        return descriptor;
    }
  return 0;
}

/* Where descriptors have a thread's ID, as ours shows. 0: not found */
static gsize
jank_lock_find_id_offset (void)
{
  guint32 words[MAX_DESCRIPTOR_BYTES / sizeof (guint32)], own = (guint32) gettid ();
  gsize n_words = jank_memory_read_of (getpid (), (guint64) pthread_self (), words, sizeof words) / sizeof *words;

  for (gsize i = 0; i < n_words; i++)
    if (words[i] == own)
      return i * sizeof *words;
  return 0;
}

/* What is waited for is the thread's ID in its descriptor; from glibc 2.43 on its state, which is there, too. */
static void
jank_lock_look_at_join (guint64 address, JankLock *lock)
{
  guint32 word;
  guint64 descriptor;
  gsize id_offset;

  lock->kind = JANK_LOCK_JOIN;
  if (jank_memory_read_all (address, &word, sizeof word))
    lock->owner = jank_proc_find_thread (0, (pid_t) word);
  if (lock->owner == 0 && (descriptor = jank_lock_find_descriptor (address)) != 0 &&
      (id_offset = jank_lock_find_id_offset ()) != 0 &&
      jank_memory_read_all (descriptor + id_offset, &word, sizeof word))
    lock->owner = jank_proc_find_thread (0, (pid_t) word);
}

static void
jank_lock_look_by_role (Waiter waiter, pid_t tid, guint32 command, JankLock *lock)
{
  guint32 bits;

  /* Once woken, a condition's waiter takes the mutex again: its only plain wait. */
  if (waiter.role == JANK_ROLE_MUTEX || (waiter.role == JANK_ROLE_COND && command == FUTEX_WAIT))
    {
      if (jank_lock_look_at_mutex (lock->address, &bits, &lock->owner))
        lock->kind = JANK_LOCK_MUTEX;
    }
  else if (waiter.role == JANK_ROLE_COND)
    {
      lock->kind = JANK_LOCK_COND;
      lock->address = jank_lock_get_cond_address (lock->address);
    }
  else if (waiter.role == JANK_ROLE_READ_LOCK || waiter.role == JANK_ROLE_WRITE_LOCK)
    {
      lock->kind = waiter.caller == JANK_ROLE_GRWLOCK ? JANK_LOCK_GRWLOCK : JANK_LOCK_RWLOCK;
      jank_lock_look_at_rwlock (lock->address, tid, lock);
    }
  else if (waiter.role == JANK_ROLE_SEM || waiter.role == JANK_ROLE_GMUTEX)
    {
      lock->kind = waiter.role == JANK_ROLE_SEM ? JANK_LOCK_SEM : JANK_LOCK_GMUTEX;
      lock->owner = jank_lock_find_recorded (lock->address, tid, FALSE);
    }
  else if (waiter.role == JANK_ROLE_BARRIER)
    {
      lock->kind = JANK_LOCK_BARRIER;
      lock->address -= BARRIER_ROUND_OFFSET;
    }
  else if (waiter.role == JANK_ROLE_JOIN)
    jank_lock_look_at_join (lock->address, lock);
  else if (waiter.role == JANK_ROLE_ONCE || waiter.caller == JANK_ROLE_GONCE)
    lock->kind = JANK_LOCK_ONCE;
  else if (waiter.role == JANK_ROLE_GCOND)
    {
      lock->kind = JANK_LOCK_GCOND;
      lock->address -= G_STRUCT_OFFSET (GCond, i);
    }
}

void
jank_lock_prepare (gboolean is_recorded)
{
  void (*forget) (void);

  own_record = is_recorded ? dlsym (RTLD_DEFAULT, JANK_HELD_LOCKS) : NULL;
  *(void **) &forget = is_recorded ? NULL : dlsym (RTLD_DEFAULT, "jank_preload_forget_holders");
  if (forget != NULL)
    forget ();
}

void
jank_lock_look (guint64 address, guint32 operation, pid_t waiter, const JankCall *calls, guint n_calls,
                JankLock *ret_lock)
{
  guint32 command = operation & FUTEX_CMD_MASK;
  JankLock lock = { .address = address };

  if (command == FUTEX_LOCK_PI || command == FUTEX_LOCK_PI2)
    jank_lock_look_at_pi (address, &lock);
  else if (calls != NULL && (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET))
    jank_lock_look_by_role (jank_lock_find_waiter (calls, n_calls), waiter, command, &lock);
  *ret_lock = lock;
}

gboolean
jank_lock_has_owner (const JankLock *self)
{
  g_autofree JankHeldLocks *copy = NULL;
  JankHeldLocks *record = self->kind == JANK_LOCK_SEM ? jank_lock_read_record (&copy) : NULL;

  return self->owner > 0 && (record == NULL || jank_held_read_lock (record, GSIZE_TO_POINTER (self->address)) != 0);
}

const char *
jank_lock_kind_to_nick (JankLockKind kind)
{
  return kind < JANK_N_LOCKS ? nicks[kind] : nicks[JANK_LOCK_UNKNOWN];
}
