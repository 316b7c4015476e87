/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Programs that run now, and whom they wait for: what the files of this room have for each other and for `run`. */

#pragma once

#include <signal.h>
#include <sys/types.h>

#include <gio/gio.h>

#include "chain/jank-chain-private.h"
#include "cli/table.h"
#include "live/jank-live-reader-private.h"
#include "report/jank-report-private.h"

/* Which processes serve the D-Bus names that a program waited for. The reader asks, never the observed program: its own
 * session's bus and the system's, of these only org.freedesktop.DBus, which starts nothing for it. A report's address
 * is compared with theirs and never connected to: it may come from anybody. A bus that takes a second is asked no
 * more. */
typedef struct _BusNames BusNames;

BusNames *bus_names_new  (void);
void      bus_names_free (BusNames *self);

/* Fills peer and peer_pid of the report's waits where they are certain: the report is of this boot, as clocks that were
 * not set and no suspend since tell, and the process that has the name had begun before the stall. */
void      bus_names_fill (BusNames *self, JankReport *report);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (BusNames, bus_names_free)

/* To the session bus, which is never started. Returns: (transfer full) (nullable) */
GDBusConnection *bus_names_connect (guint timeout_ms, GError **error);

/* What watched programs that hang have put into their live files: more than the kernel tells, such as whom a D-Bus
 * call is for and which function computes. One thread. */
typedef struct _WatchedWaits WatchedWaits;

/* reader: outlives it, and has looked */
WatchedWaits    *watched_waits_new  (JankLiveReader *reader);
void             watched_waits_free (WatchedWaits *self);

/* Adds to a stall under way, or one that has ended, what is known here alone: names, lines, who serves a D-Bus name. */
void             watched_waits_fill (WatchedWaits *self, const JankLiveProgram *program, JankReport *gist);

/* Of a process or thread, with what watched programs tell. Returns: (transfer full) (nullable): there is none */
JankReportChain *watched_waits_read (WatchedWaits *self, pid_t pid);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (WatchedWaits, watched_waits_free)

/* Whom watched programs that hang wait for beyond their own border, read anew about once a second while that is shown.
 * One thread. */
typedef struct _ProgramChains ProgramChains;

/* waits: outlives it */
ProgramChains         *program_chains_new  (WatchedWaits *waits);
void                   program_chains_free (ProgramChains *self);

/* The number of the thread whose loop is watched, as the reader has it. */
pid_t                  program_chains_find_thread (const JankLiveProgram *program);
/* Of the stall under way. Returns: (nullable): it does not hang, or went on meanwhile */
const JankReportChain *program_chains_look (ProgramChains *self, const JankLiveProgram *program);
/* What was seen of a stall when it was found; it may have ended. Returns: (nullable) */
JankReportChain       *program_chains_get_first (ProgramChains *self, const JankLiveProgram *program,
                                                 const JankReport *gist);
/* The program is gone. */
void                   program_chains_drop (ProgramChains *self, const JankLiveProgram *program);

/* Watched programs, those that hang first. One thread. */
typedef struct
{
  JankLiveProgram *program;    /* borrowed */
  gboolean         is_stopped; /* by a signal or a debugger: so is its watcher */
  guint            rank;       /* 0: it hangs; 1: something else is wrong; 2: nothing is */
  gint64           lasts_ns;   /* what it does, unless it is calm or stopped */
  guint64          n_stalls;   /* these with the one under way */
  gint64           longest_ns;
  double           hang_rate;  /* seconds per hour */
  gboolean         has_rate;   /* it was watched for long enough to say so */
  double           overhead;   /* share of a CPU that jankwatch takes in it */
  double           weight;     /* more comes first, among equals */
  const JankReportChain *chain; /* borrowed (nullable): whom else it waits for */
} ProgramRow;

/* Names of orders, ends with NULL. In each of them programs that hang are first, the longest on top. */
extern const char *const program_rows_orders[];

/* Of all programs whose name, ID or file has filter in it. Returns: (transfer full) (element-type ProgramRow) */
GArray     *program_rows_new    (JankLiveReader *reader, ProgramChains *chains, const char *filter, guint order);

/* "load_settings() (ledger.c:14), waiting for a lock"; with whom that chain (nullable) leads to. Returns: (transfer
 * full) (nullable): nobody knows */
char       *program_row_say     (const JankReport *stall, const JankReportChain *chain);

/* Programs as lines of a table, the first has the titles. chosen: that row is shown as such, and ret_lines set to the
 * number of lines before it, and with it; or G_MAXUINT. Single-threaded. Returns: (transfer full) */
char *program_table_draw   (const GArray *rows, const JankTextStyle *style, guint chosen, guint ret_lines[2]);

/* The whole terminal, drawn in place with a few escape sequences, and its keys. However this process ends, but for
 * SIGKILL, the terminal is then as it was. One at a time; single-threaded. */
typedef struct
{
  /* to be polled */
  int        signals;  /* (owned) */
  int        keys;     /* standard input if it is a terminal, else -1 */

  int        end;      /* the signal that it is time to end for, 0: not yet */

  GPtrArray *drawn;    /* private: (owned) of (owned) lines */
} Screen;

/* What screen_read_key() returns beside characters, which are themselves. */
enum { SCREEN_NO_KEY, SCREEN_ENTER = '\n', SCREEN_ESCAPE = 0x1b, SCREEN_ERASE = 0x7f, SCREEN_UP = 256, SCREEN_DOWN };

/* Whether standard output is a terminal that can be drawn on. */
gboolean screen_can_draw     (void);

/* Takes the signals that are about the terminal or the end: screen_take_signals() carries them out. */
Screen  *screen_new          (void);
void     screen_free         (Screen *self);

void     screen_take_signals (Screen *self);
int      screen_read_key     (Screen *self);

guint    screen_count_rows   (void);
/* lines: (transfer full) (element-type utf8): each at most as wide as the terminal. Only those that differ are sent. */
void     screen_draw         (Screen *self, GPtrArray *lines);

/* Gives the terminal to a command until it ends. argv: ends with NULL */
void     screen_lend         (Screen *self, char *const *argv);
