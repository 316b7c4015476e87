/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "watch/jank-watcher-private.h"

#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/jank-clock-private.h"
#include "guest/jank-errands-private.h"
#include "base/jank-memory-private.h"
#include "guest/jank-own-files-private.h"
#include "guest/jank-own-thread-private.h"
#include "guest/jank-rest-private.h"
#include "watch/jank-finders-private.h"

/* At the end of the program, for messages that its log takes slowly. */
#define FLUSH_US (100 * 1000)

/* Between two attempts to get memory. */
#define ROOM_RETRY_NS JANK_NS_PER_S

/* A calm loop needs no more of most parts of the watcher. */
#define ROUND_NS (100 * JANK_NS_PER_MS)

/* What other threads want of the watcher. */
typedef struct
{
  JankThreadInfo          info;
  gboolean                has_info; /* since it was last looked at */
  JankDispatchSlot        slot;
  const JankSourceLedger *ledger;
  JankRule                rule;
  JankPing               *ping;
  gboolean                paused, stopping, exiting;
} Orders;

struct _JankWatcher
{
  /* set at construction */
  JankBeat           *beat;
  int                 signal;
  char               *task_folder; /* (owned) */
  pthread_t           thread;
  gboolean            has_thread;

  /* any thread, under mutex, which is never held across a call */
  pthread_mutex_t     mutex; /* no GMutex: a thread sanitizer does not see GLib's */
  pthread_cond_t      exited; /* by CLOCK_MONOTONIC */
  Orders              orders;
  gboolean            has_exited;

  /* watcher thread only */
  JankWatchPost       post;
  gpointer            found[JANK_N_FINDERS]; /* (owned): what each finder remembers */
  gboolean            paused;
  guint32             rung;   /* at the last round of all finders */
  gint64              rounded_ns, next_ns; /* when that was; when one of them has something to do */
};

static void
jank_watcher_stop_all (JankWatcher *self, gboolean exiting)
{
  for (guint i = 0; i < JANK_N_FINDERS; i++)
    if (jank_finders[i]->stop != NULL)
      jank_finders[i]->stop (self->found[i], &self->post, exiting);
}

/* What was reported ends now; what happens while paused is ignored. */
static void
jank_watcher_apply_paused (JankWatcher *self, gboolean paused)
{
  if (paused == self->paused)
    return;
  self->paused = paused;
  if (jank_strict_slot_is_of (self->beat))
    jank_strict_slot_set_on (!paused);
  jank_watcher_stop_all (self, FALSE);
  self->post.ignored_until_ns = paused ? G_MAXINT64 : jank_clock_now_ns ();
}

static void
jank_watcher_take_rule (JankWatcher *self, const Orders *orders)
{
  JankWatchPost *post = &self->post;

  post->rule = orders->rule;
  jank_rule_state_init (&post->rule_state, &post->rule, jank_clock_now_ns ());
  post->view = (JankLoopView) { .busy = false };
  post->calm = (JankCalm) { 0 };
  post->has_new_rule = TRUE;
  /* Paused, no period is long. */
  jank_beat_set_report (self->beat, orders->paused ? G_MAXINT64 : orders->rule.threshold_ns);
}

/* Takes over what other threads have set. Returns: FALSE to end */
static gboolean
jank_watcher_take_orders (JankWatcher *self, gboolean *ret_exiting)
{
  JankWatchPost *post = &self->post;
  Orders orders;

  pthread_mutex_lock (&self->mutex);
  orders = self->orders;
  self->orders.has_info = FALSE;
  pthread_mutex_unlock (&self->mutex);

  post->ledger = orders.ledger;
  if (orders.paused != self->paused || memcmp (&orders.rule, &post->rule, sizeof orders.rule) != 0)
    jank_watcher_take_rule (self, &orders);
  post->ping = orders.ping;
  jank_watcher_apply_paused (self, orders.paused);
  if (orders.has_info || (post->has_followed && jank_beat_word_state (jank_beat_load (self->beat)) < JANK_BEAT_STARTUP))
    jank_watch_post_set_thread (post, &orders.info, &orders.slot);
  *ret_exiting = orders.exiting;
  return !orders.stopping && !orders.exiting;
}

/* now_ns: when that was decided; from then on all time but the sleep is a gap. deadline_ns: 0 for none. */
static void
jank_watcher_park_or_sleep (JankWatcher *self, gboolean may_park, gint64 now_ns, gint64 deadline_ns)
{
  JankRecord *record = &self->post.sinks->record;

  jank_watch_post_before_sleep (&self->post);
  if (may_park)
    record->has_rung |= jank_beat_park (self->beat, self->rung, deadline_ns, &record->bell);
  else
    {
      jank_beat_sleep (self->beat, self->rung, deadline_ns);
      /* Even when the ring ended the sleep: after a stop the observed thread may run first. */
      jank_watch_post_note_gap (&self->post, MAX (deadline_ns, now_ns), jank_clock_now_ns ());
    }
  record->counts.n_wakeups++;
}

/* Nothing is late. began_ns: the loop is busy since then; 0: it waits */
static void
jank_watcher_look_later (JankWatcher *self, gint64 began_ns, gint64 now_ns)
{
  gint64 next_ns = (began_ns != 0 ? began_ns : now_ns) + jank_rule_count_calm (&self->post.rule,
                                                                               &self->post.calm, began_ns != 0);

  jank_watcher_park_or_sleep (self, FALSE, now_ns, MIN (next_ns, self->next_ns));
}

static void
jank_watcher_ask_finders (JankWatcher *self, gboolean all)
{
  for (guint i = 0; i < JANK_N_FINDERS; i++)
    if (all || jank_finders[i]->is_eager)
      {
        gint64 due_ns = jank_finders[i]->look (self->found[i], &self->post);

        self->next_ns = MIN (self->next_ns, due_ns);
      }
}

/* Between two rounds, nothing but the beat of a calm loop, and what an eager finder looks for, is looked at.
 * Returns: whether that will do */
static gboolean
jank_watcher_look_at_beat (JankWatcher *self)
{
  JankWatchPost *post = &self->post;
  uint64_t word = jank_beat_load (self->beat);
  gint64 now_ns = jank_clock_now_ns (), since_ns = jank_beat_word_ns (word);
  gboolean waits = jank_beat_word_state (word) == JANK_BEAT_WAITING;
  gboolean is_calm = waits ? !jank_rule_may_park (&post->rule, since_ns, now_ns)
                           : now_ns < since_ns + post->rule.first_stack_ns;

  /* After the word: what has ended before is in the ring, and whoever put it there has rung. */
  if (!is_calm || !jank_rule_is_calm (&post->calm) || now_ns >= MIN (self->next_ns, self->rounded_ns + ROUND_NS) ||
      jank_beat_get_rung (self->beat) != self->rung)
    return FALSE;
  post->word = word;
  jank_watcher_ask_finders (self, FALSE);
  jank_watcher_look_later (self, waits ? 0 : since_ns, now_ns);
  return TRUE;
}

static void
jank_watcher_look (JankWatcher *self)
{
  const JankRule *rule = &self->post.rule;
  gint64 now_ns, since_ns;
  gboolean waits;

  self->next_ns = G_MAXINT64;
  jank_watcher_ask_finders (self, TRUE);
  now_ns = jank_clock_now_ns ();
  since_ns = jank_beat_word_ns (self->post.word);
  waits = jank_beat_word_state (self->post.word) == JANK_BEAT_WAITING;
  if (self->next_ns == 0)
    g_thread_yield ();
  else if (waits && jank_rule_may_park (rule, since_ns, now_ns) && !self->post.is_restless)
    {
      self->post.calm = (JankCalm) { 0 };
      jank_watcher_park_or_sleep (self, TRUE, now_ns, self->next_ns != G_MAXINT64 ? self->next_ns : 0);
    }
  else if (jank_rule_is_frames (rule))
    jank_watcher_park_or_sleep (self, FALSE, now_ns, MIN (self->next_ns, now_ns + rule->first_stack_ns));
  else if (waits || now_ns < since_ns + rule->first_stack_ns)
    jank_watcher_look_later (self, waits ? 0 : since_ns, now_ns);
  else
    jank_watcher_park_or_sleep (self, FALSE, now_ns, self->next_ns);
}

static void
jank_watcher_note_exited (JankWatcher *self)
{
  pthread_mutex_lock (&self->mutex);
  self->has_exited = TRUE;
  pthread_cond_broadcast (&self->exited);
  pthread_mutex_unlock (&self->mutex);
}

static void
jank_watcher_say_goodbye (JankWatcher *self)
{
  jank_watcher_stop_all (self, TRUE);
  if (jank_memory_has_room (JANK_REPORT_BYTES))
    jank_watch_post_tell_exiting (&self->post);
  jank_errands_flush (FLUSH_US);

  jank_watcher_note_exited (self);
}

static void
jank_watcher_watch (JankWatcher *self)
{
  gboolean exiting = FALSE;

  jank_watch_post_init (&self->post, self->signal);
  JANK_SINKS_TELL (self->post.sinks, started);
  for (;;)
    {
      if (jank_watcher_look_at_beat (self))
        continue;
      self->rung = jank_beat_get_rung (self->beat);
      self->rounded_ns = jank_clock_now_ns ();
      if (!jank_watcher_take_orders (self, &exiting))
        break;
      if (self->paused)
        jank_beat_sleep (self->beat, self->rung, G_MAXINT64);
      else
        jank_watcher_look (self);
    }
  if (jank_strict_slot_is_of (self->beat))
    jank_strict_slot_set_on (false);
  if (exiting)
    jank_watcher_say_goodbye (self);
  else
    jank_watch_post_tell_exiting (&self->post);

  for (guint i = 0; i < JANK_N_FINDERS; i++)
    if (jank_finders[i]->drop != NULL)
      jank_finders[i]->drop (self->found[i], &self->post, FALSE);
  jank_watch_post_clear (&self->post);
}

/* Waits until memory is available: GLib aborts the program if an allocation fails. Asks early, because the kernel lets
 * other threads wait while the program maps or frees much. Returns: FALSE if the watcher is to end before */
static gboolean
jank_watcher_await_room (JankWatcher *self)
{
  gboolean ends = FALSE;

  while (!ends && !jank_memory_has_room (JANK_REPORT_BYTES))
    {
      uint32_t rung = jank_beat_get_rung (self->beat);

      pthread_mutex_lock (&self->mutex);
      ends = self->orders.stopping || self->orders.exiting;
      pthread_mutex_unlock (&self->mutex);
      if (!ends)
        jank_beat_sleep (self->beat, rung, jank_clock_now_ns () + ROOM_RETRY_NS);
    }
  return !ends;
}

static gpointer
jank_watcher_run (gpointer data)
{
  JankWatcher *self = data;
  g_autoptr (GError) error = NULL;

  prctl (PR_SET_NAME, "jankwatch", 0, 0, 0);
  jank_memory_set_pid (getpid ());
  if (!jank_watcher_await_room (self))
    {
      jank_watcher_note_exited (self);
      return NULL;
    }
  if (jank_errands_begin (&error))
    {
      if (jank_own_files_begin (&error))
        {
          jank_rest_join ();
          jank_watcher_watch (self);
          jank_rest_leave ();
        }
      else
        JANK_SINKS_TELL (self->post.sinks, failed, error);
      jank_errands_end ();
    }
  else
    JANK_SINKS_TELL (self->post.sinks, failed, error);
  jank_watcher_note_exited (self);
  return NULL;
}

JankWatcher *
jank_watcher_new (JankBeat *beat, const JankRule *rule, int signal, const char *task_folder,
                  JankSinks *sinks, GError **error)
{
  pthread_condattr_t attributes;
  JankWatcher *self;

  if (!jank_own_files_can (error))
    return NULL;
  self = g_new0 (JankWatcher, 1);
  self->beat = beat;
  self->signal = signal;
  self->task_folder = g_strdup (task_folder);
  self->orders.rule = *rule;
  self->post.beat = beat;
  self->post.rule = *rule;
  jank_rule_state_init (&self->post.rule_state, rule, jank_clock_now_ns ());
  self->post.sinks = sinks;
  self->post.task_folder = self->task_folder;
  for (guint i = 0; i < JANK_N_FINDERS; i++)
    self->found[i] = g_malloc0 (jank_finders[i]->size);
  pthread_mutex_init (&self->mutex, NULL);
  pthread_condattr_init (&attributes);
  pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
  pthread_cond_init (&self->exited, &attributes);
  pthread_condattr_destroy (&attributes);

  /* Here, since the watcher may not wait for the loader. */
  jank_unwinder_prepare ();
  jank_dispatch_slot_learn ();
  jank_strict_slot_prepare ();

  self->has_thread = jank_own_thread_start (&self->thread, jank_watcher_run, self, error);
  if (!self->has_thread)
    g_clear_pointer (&self, jank_watcher_free);
  return self;
}

/* Takes the mutex; jank_watcher_give_orders() lets go of it. */
static Orders *
jank_watcher_get_orders (JankWatcher *self)
{
  pthread_mutex_lock (&self->mutex);
  return &self->orders;
}

static void
jank_watcher_give_orders (JankWatcher *self)
{
  pthread_mutex_unlock (&self->mutex);
  jank_beat_ring (self->beat);
}

void
jank_watcher_free (JankWatcher *self)
{
  if (jank_strict_slot_is_of (self->beat))
    jank_strict_slot_set_on (false);
  if (self->has_thread)
    {
      jank_watcher_get_orders (self)->stopping = TRUE;
      jank_beat_close (self->beat);
      jank_watcher_give_orders (self);
      pthread_join (self->thread, NULL);
    }
  pthread_mutex_destroy (&self->mutex);
  pthread_cond_destroy (&self->exited);
  for (guint i = 0; i < JANK_N_FINDERS; i++)
    g_free (self->found[i]);
  g_free (self->task_folder);
  g_free (self);
}

/* The C library opens a file to tell the first thread's stack, so that is asked once: two threads may take turns. */
static const JankThreadInfo *
jank_watcher_describe_this_thread (void)
{
  static _Thread_local JankThreadInfo info;

  /* A forked child's first thread has another ID. */
  if (info.tid != (pid_t) syscall (SYS_gettid))
    jank_thread_describe_self (&info);
  return &info;
}

void
jank_watcher_set_thread (JankWatcher *self)
{
  const JankThreadInfo *info = jank_watcher_describe_this_thread ();
  JankDispatchSlot slot = { 0 };
  Orders *orders;

  jank_dispatch_slot_find (&slot);
  orders = jank_watcher_get_orders (self);
  orders->info = *info;
  orders->has_info = TRUE;
  orders->slot = slot;
  jank_watcher_give_orders (self);
  jank_strict_slot_begin (self->beat, info);
}

/* Sets what the watcher takes over when it looks next. */
#define DEFINE_SETTER(function, type, member, value) \
  void \
  function (JankWatcher *self, type member) \
  { \
    jank_watcher_get_orders (self)->member = value; \
    jank_watcher_give_orders (self); \
  }

DEFINE_SETTER (jank_watcher_set_ledger, const JankSourceLedger *, ledger, ledger)
DEFINE_SETTER (jank_watcher_set_rule, const JankRule *, rule, *rule)
DEFINE_SETTER (jank_watcher_set_ping, JankPing *, ping, ping)
DEFINE_SETTER (jank_watcher_set_paused, gboolean, paused, paused != FALSE)

void
jank_watcher_exit (JankWatcher *self, gint64 timeout_ns)
{
  gint64 deadline_ns = jank_clock_now_ns () + timeout_ns;
  struct timespec deadline = { deadline_ns / JANK_NS_PER_S, deadline_ns % JANK_NS_PER_S };

  jank_watcher_get_orders (self)->exiting = TRUE;
  jank_beat_close (self->beat);
  jank_watcher_give_orders (self);
  pthread_mutex_lock (&self->mutex);
  while (!self->has_exited && pthread_cond_timedwait (&self->exited, &self->mutex, &deadline) == 0)
    ;
  pthread_mutex_unlock (&self->mutex);
}
