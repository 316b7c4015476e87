/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A GTK program that is as busy as programs are, and never stalls: busy-use SEED SECONDS. No turn of its loop is meant
 * to last 98 ms; where one does, by what the machine does, that is printed with its time, as are jankwatch's reports.
 * What is done follows from the seed; when, in part from how fast the machine is.
 *
 * The truth is taken in the context's poll function, through which every turn of every loop goes, also of those inside
 * callbacks, and of which jankwatch makes no use: a turn lasts from where polling returned to where it begins again. The
 * poll function is the program's to set, no library's; this program may. Where only sources of high priority are ready
 * and no file descriptor has one as high, GLib polls nothing; one that never becomes ready is there for that. */

#include "config.h"

#include <sys/eventfd.h>
#include <gtk/gtk.h>

#include "base/jank-clock-private.h"
#include "busy-acts.h"
#include "random-work.h"
#include "reports.h"

#define STALL_NS     (98 * JANK_NS_PER_MS)
#define ROOM_NS      (65 * JANK_NS_PER_MS) /* of a turn, for acts; the rest is GTK's */
#define LONG_NS      (40 * JANK_NS_PER_MS)
#define SETTLE_MS    1000
#define LAST_WORD_MS 500                   /* reports that are still under way */

typedef struct
{
  gint64 began_ns;  /* of this turn */
  gint64 prepared_ns; /* when sources were last asked whether they are ready: the end of its dispatches */
  gint64 longest_ns, busy_ns, watched_began_ns;
  guint64 n_turns, n_long, n_stalls;
} Truth;

typedef struct _Busy Busy;

typedef struct
{
  Busy          *busy;
  const BusyAct *act;
  GRand         *random; /* (owned) */
  guint64        n_done;
  gboolean       is_on;
} Actor;

struct _Busy
{
  GtkApplication *application;
  BusyStage       stage;
  Actor          *actors; /* (owned) */
  guint           n_actors;
  GRand          *random; /* (owned): of phases */
  guint32         seed;
  gint64          length_ns, end_ns;
};

static Truth truth;
static GPollFD never = { .events = G_IO_IN };

static void
end_turn (gint64 now_ns)
{
  gint64 length_ns = now_ns - truth.began_ns;

  if (length_ns >= STALL_NS)
    g_print ("{\"stall\": %" G_GUINT64_FORMAT ", \"began_ns\": %" G_GINT64_FORMAT ", \"ended_ns\": %" G_GINT64_FORMAT
             ", \"prepare_ns\": %" G_GINT64_FORMAT "}\n",
             truth.n_stalls++, truth.began_ns, now_ns, now_ns - truth.prepared_ns);
  if (truth.watched_began_ns == 0)
    return;
  truth.n_turns++;
  truth.n_long += length_ns >= LONG_NS;
  truth.busy_ns += length_ns;
  truth.longest_ns = MAX (truth.longest_ns, length_ns);
}

static gint
poll_cb (GPollFD *fds, guint n_fds, gint timeout)
{
  gint result;

  if (truth.began_ns != 0)
    end_turn (jank_clock_now_ns ());
  result = g_poll (fds, n_fds, timeout);
  truth.began_ns = jank_clock_now_ns ();
  return result;
}

/* Before all other sources' prepare. */
static gboolean
prepare_cb (GSource *source, gint *ret_timeout_ms)
{
  truth.prepared_ns = jank_clock_now_ns ();
  *ret_timeout_ms = -1;
  return FALSE;
}

static void
watch_prepare (void)
{
  static GSourceFuncs funcs = { .prepare = prepare_cb };
  g_autoptr (GSource) source = g_source_new (&funcs, sizeof (GSource));

  g_source_set_priority (source, G_MININT);
  g_source_attach (source, NULL);
}

gint64
busy_get_room_ns (void)
{
  return truth.began_ns + ROOM_NS - jank_clock_now_ns ();
}

static gboolean act_cb (gpointer data);

static void
schedule (Actor *self)
{
  guint delay_ms = (guint) g_rand_int_range (self->random, (gint32) self->act->shortest_ms, (gint32) self->act->longest_ms);

  g_timeout_add_full (self->act->priority, delay_ms, act_cb, self, NULL);
}

static gboolean
act_cb (gpointer data)
{
  Actor *self = data;

  if (jank_clock_now_ns () >= self->busy->end_ns)
    return G_SOURCE_REMOVE;
  if (self->is_on)
    {
      self->n_done++;
      self->act->run (&self->busy->stage, self->random);
    }
  schedule (self);
  return G_SOURCE_REMOVE;
}

/* Some of the acts for some seconds; now and then none at all. */
static gboolean
begin_phase_cb (gpointer data)
{
  Busy *self = data;
  gboolean is_quiet = g_rand_int_range (self->random, 0, 8) == 0;
  double share = g_rand_double_range (self->random, 0.3, 1);

  for (guint i = 0; i < self->n_actors; i++)
    self->actors[i].is_on = g_rand_double (self->random) < share && !is_quiet;
  if (jank_clock_now_ns () < self->end_ns)
    g_timeout_add (is_quiet ? 1500 : (guint) g_rand_int_range (self->random, 2000, 6000), begin_phase_cb, self);
  return G_SOURCE_REMOVE;
}

static void
finish_cb (gpointer data)
{
  Busy *self = data;
  const char *separator = "";

  g_print ("{\"watched_ns\": %" G_GINT64_FORMAT ", \"turns\": %" G_GUINT64_FORMAT ", \"busy_ns\": %" G_GINT64_FORMAT
           ", \"longest_ns\": %" G_GINT64_FORMAT ", \"long_turns\": %" G_GUINT64_FORMAT ", \"cpu_ns\": %" G_GINT64_FORMAT
           ", \"acts\": {",
           jank_clock_now_ns () - truth.watched_began_ns, truth.n_turns, truth.busy_ns, truth.longest_ns, truth.n_long,
           jank_clock_read_ns (CLOCK_PROCESS_CPUTIME_ID));
  for (guint i = 0; i < self->n_actors; i++, separator = ", ")
    g_print ("%s\"%s\": %" G_GUINT64_FORMAT, separator, self->actors[i].act->name, self->actors[i].n_done);
  g_print ("}}\n");
  g_application_quit (G_APPLICATION (self->application));
}

static void
begin_cb (gpointer data)
{
  Busy *self = data;
  const BusyAct *acts = busy_get_acts (&self->n_actors);

  truth.watched_began_ns = jank_clock_now_ns ();
  self->end_ns = truth.watched_began_ns + self->length_ns;
  self->random = g_rand_new_with_seed (self->seed);
  self->actors = g_new0 (Actor, self->n_actors);
  for (guint i = 0; i < self->n_actors; i++)
    {
      self->actors[i] = (Actor) { self, &acts[i], g_rand_new_with_seed (self->seed + 1 + i) };
      schedule (&self->actors[i]);
    }
  begin_phase_cb (self);
  g_timeout_add_once ((guint) (self->length_ns / JANK_NS_PER_MS) + LAST_WORD_MS, finish_cb, self);
}

static void
activate_cb (GtkApplication *application, gpointer data)
{
  Busy *self = data;

  busy_stage_build (&self->stage, application, self->seed + 1000);
  reports_print ();
  g_timeout_add_once (SETTLE_MS, begin_cb, self);
}

int
main (int argc, char **argv)
{
  Busy self = { 0 };

  if (argc != 3)
    {
      g_printerr ("busy-use SEED SECONDS\n");
      return 2;
    }
  self.seed = (guint32) g_ascii_strtoull (argv[1], NULL, 10);
  self.length_ns = (gint64) (g_ascii_strtod (argv[2], NULL) * JANK_NS_PER_S);
  setvbuf (stdout, NULL, _IOLBF, 0);
  work_start ();
  never.fd = eventfd (0, EFD_CLOEXEC);
  g_main_context_add_poll (NULL, &never, G_MININT);
  g_main_context_set_poll_func (NULL, poll_cb);
  watch_prepare ();
  self.application = gtk_application_new (NULL, G_APPLICATION_NON_UNIQUE);
  g_signal_connect (self.application, "activate", G_CALLBACK (activate_cb), &self);
  g_application_run (G_APPLICATION (self.application), 0, NULL);
  busy_stage_free (&self.stage);
  for (guint i = 0; i < self.n_actors; i++)
    g_rand_free (self.actors[i].random);
  g_free (self.actors);
  g_clear_pointer (&self.random, g_rand_free);
  g_object_unref (self.application);
  return 0;
}
