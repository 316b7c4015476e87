/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A command under watch, from its start to its summary: what the files of this room have for each other. */

#pragma once

#include <glib.h>

#include "cli/programs/programs.h"
#include "report/jank-report-private.h"
#include "store/jank-session-private.h"
#include "store/jank-store-private.h"
#include "text/jank-report-lines-private.h"

/* Runs a command as if jankwatch were not there: same terminal, same signals, same exit status. */

/* Waits for the command; one at a time. Keys of the terminal reach the command alone, SIGTERM and SIGHUP are
 * passed on to it. argv and envp end with NULL. Returns the command's exit status, CLI_SIGNAL_BASE + the signal
 * that ended it, or CLI_NOT_FOUND or CLI_CANNOT_RUN after it told the user why; only then ret_why is set. */
int child_run (char **argv, char **envp, char **ret_why);

/* Looks at what the command starts, from outside and until one of these processes is watched, to say why none was. */
typedef struct _Onlooker Onlooker;

/* Before the command starts. module_folder: in its GIO_EXTRA_MODULES. Returns: (transfer full) */
Onlooker *onlooker_start   (const char *module_folder);
void      onlooker_stop    (Onlooker *self);
void      onlooker_free    (Onlooker *self);

/* After it has been stopped. store: where reports were looked for. why (nullable): no library was preloaded.
 * Returns: (transfer full) (nullable): a sentence without a stop; NULL: nothing was seen */
char     *onlooker_explain (const Onlooker *self, const char *store, const char *why);

/* The library that brings jankwatch into programs that use GLib and never GIO, and into those behind a wrapper. */

/* command: as argv[0]. is_strict: the one that sees calls that may block. ret_why: (transfer full) (nullable): why
 * not; NULL otherwise. Returns: (transfer full) (nullable): what to put into LD_PRELOAD */
char *preload_find (const char *command, gboolean is_strict, char **ret_why);

/* Returns: (transfer full) (nullable): why no library can be preloaded into that program, behind its name */
char *preload_explain_foreign (const char *path);

/* What `jankwatch run` prints on stderr while its command hangs: on a terminal one line for each stall, written anew in
 * place as it lasts; elsewhere a line when it is found and one at its end. */
typedef struct _LiveLines LiveLines;

/* waits, chains: outlive it. */
LiveLines *live_lines_new  (WatchedWaits *waits, ProgramChains *chains);
/* The command has ended: so have its stalls. */
void       live_lines_free (LiveLines *self);

/* gist: of a stall under way, or that has ended. process (nullable): whose, if it is not the command's own program */
void       live_lines_take (LiveLines *self, const JankLiveProgram *program, JankReport *gist, const char *process);
/* The program is gone. */
void       live_lines_drop (LiveLines *self, const JankLiveProgram *program);
/* Returns: whether a line has been written anew, and wants to be again soon */
gboolean   live_lines_draw (LiveLines *self);

/* All that is learnt of watched programs while they run, from their live files: stalls, for the live lines, and
 * reports, for on-report and notify. One thread reads. The programs get no child by it. */
typedef struct _News News;

/* From now on. store: where the reports are. session (nullable): of whose programs; NULL: programs without one.
 * live: print the session's stalls. Returns: (transfer full): also with an error, JANK_ERROR_FAILED, after which
 * nothing is told */
News *news_start (const char *store, const char *session, gboolean live, GError **error);

/* After a last look. self: (transfer full) */
void  news_stop  (News *self);

/* One command, run with jankwatch inside it, and what its processes reported: the core of `run` and `demo`. */
typedef struct
{
  int                 exit_status; /* of the command, as `jankwatch run` passes it on */
  JankStore          *store;       /* (owned) */
  JankSessionSummary *summary;     /* (owned) (nullable): NULL after printing why it cannot be read */
  char               *why_not_run; /* (owned) (nullable): why the command was not started */
  gboolean            is_strict;   /* calls that may block were to be listed */
  char               *why_not_all; /* (owned) (nullable): why the library was not preloaded */
  Onlooker           *onlooker;    /* (owned): of why nothing was watched */
  gboolean            can_store;   /* its processes could keep what they saw */
  JankSourceLines    *lines;       /* (owned) */
  BusNames           *names;       /* (owned) */
} WatchedRun;

/* argv: the command, NULL-terminated. store (nullable): of --store. setting (nullable): put behind the user's
 * JANKWATCH_CONFIG. environment (nullable): more variables of the command, "NAME=value". live: print a line the
 * moment it stalls. is_strict: calls that may block are listed, too. Returns: (transfer full) (nullable): NULL after
 * printing that nothing can be watched */
WatchedRun             *watched_run      (char **argv, const char *store, const char *setting,
                                          const char *const *environment, gboolean live, gboolean is_strict);
void                    watched_run_free (WatchedRun *self);

/* The report of stall, with source lines. Returns: (transfer full) (nullable): it is gone */
JankReport             *watched_run_load (WatchedRun *self, const JankSessionStall *stall);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (WatchedRun, watched_run_free)

/* Finds source lines of, and advice on, calls that may block. */
void                    run_calls_resolve (WatchedRun *run);

/* What `jankwatch run` says on stderr when its command has ended. */
void                    run_summary_print (WatchedRun *run);

/* Returns: (transfer full) (nullable): why the program cannot be judged, a sentence without a stop; NULL: it can */
char                   *run_summary_explain_empty (const WatchedRun *run);

/* The longest stall; without one the longest that is something else. Returns: (nullable) */
const JankSessionStall *run_summary_worst (WatchedRun *run);
