/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What every command of `jankwatch` shares: arguments, exit status, the store, the terminal. */

#pragma once

#include <signal.h>
#include <stdio.h>

#include "index/jank-index-private.h"
#include "text/jank-text-private.h"
#include "json/jank-json-private.h"
#include "json/jank-json-text-private.h"
#include "store/jank-store-private.h"

enum
{
  CLI_FINE        = 0,
  CLI_FAILED      = 1,
  CLI_USAGE       = 2,
  CLI_EXCEEDED    = 3, /* diff: a limit of --fail-if is exceeded */
  CLI_CANNOT_TELL = 4, /* diff: too little is known of one */
  CLI_CANNOT_RUN  = 126, /* as env(1): the command is there, but cannot be run */
  CLI_NOT_FOUND   = 127, /* as env(1) */
  CLI_SIGNAL_BASE = 128, /* + number of the signal that ended the command */
};

/* argv[0] is the command's name. Returns: the exit status */
int           command_demo (int argc, char **argv);
int           command_diff (int argc, char **argv);
int           command_export (int argc, char **argv);
int           command_list (int argc, char **argv);
int           command_notify (int argc, char **argv);
int           command_presets (int argc, char **argv);
int           command_report_bug (int argc, char **argv);
int           command_run  (int argc, char **argv);
int           command_send (int argc, char **argv);
int           command_session (int argc, char **argv);
int           command_show (int argc, char **argv);
int           command_summary (int argc, char **argv);
int           command_top  (int argc, char **argv);
int           command_view (int argc, char **argv);
int           command_watch (int argc, char **argv);
int           command_why  (int argc, char **argv);
int           command_dump (int argc, char **argv);

/* usage: what follows "jankwatch COMMAND"; summary: a sentence; filter (nullable): its options are added, which parsing
 * checks. Returns: (transfer full) */
GOptionContext *cli_context_new (const char *command, const char *usage, const char *summary,
                                 const GOptionEntry *entries, JankFilter *filter);

/* Returns: FALSE after printing what is wrong; exit with CLI_USAGE then. */
gboolean      cli_parse        (GOptionContext *context, int *argc, char ***argv);

/* Both at once. n_words: how many words may follow the options, CLI_ANY_WORDS: the command counts them itself */
#define CLI_ANY_WORDS G_MAXINT
gboolean      cli_begin        (int *argc, char ***argv, const char *usage, int n_words, const GOptionEntry *entries,
                                JankFilter *filter, const char *summary);

int           cli_fail_usage   (const char *command, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* The same, of a word that is none of words (NULL-terminated), with the one that was probably meant. */
int           cli_fail_word    (const char *command, const char *word, const char *const *words, const char *format,
                                ...)
                                G_GNUC_PRINTF (4, 5);

/* Returns: the index of word in words (NULL-terminated), -1: it is none of them */
gint          cli_find_word    (const char *const *words, const char *word);

/* Prints "jankwatch: …" and a new line on stderr; no control characters, whatever a report says. */
void          cli_warn         (const char *format, ...) G_GNUC_PRINTF (1, 2);
/* The same of a file that is not believed: as JankLiveReaderFuncs has it. */
void          cli_warn_ignored (gpointer data, const char *path, const char *why);
/* Prints the error so. Returns CLI_FAILED. */
int           cli_fail         (const GError *error);

/* store (nullable): of --store; JANKWATCH_CONFIG cannot hold a comma. Returns: FALSE after printing that */
gboolean      cli_check_store  (const char *command, const char *store);

/* folder (nullable): of --store; without it the folder comes from program's settings. Returns: (transfer full) */
JankStore    *cli_open_store   (const char *folder, const char *program);

/* The index of store; prints a line for each file that is no report. Returns: (transfer full) (nullable) */
JankIndex    *cli_open_index   (JankStore *store, GError **error);

/* What a maintainer reads in another country is not in the user's language. */
void          cli_speak_english (void);

/* What a command reads of a store. */
typedef struct
{
  JankStore *store; /* (owned) */
  JankIndex *index; /* (owned) */
  GPtrArray *rows;  /* (owned) (element-type JankRow) */
} CliReports;

/* folder (nullable): of --store. Returns: FALSE with an error */
gboolean      cli_reports_find  (CliReports *self, const char *folder, JankFilter *filter, GError **error);
void          cli_reports_clear (CliReports *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CliReports, cli_reports_clear)

/* That no row was found. */
void          cli_warn_none    (JankStore *store, const JankFilter *filter);

/* As jank_rows_name(). */
void          cli_name_culprits (JankStore *store, GPtrArray *rows);

/* A terminal as wide as this has room for whole dates and IDs. */
#define CLI_WIDE_COLUMNS 110

/* Returns: (transfer full): "2026-11-21 15:30:12", or "11-21 15:30" where there is no room */
char         *cli_time          (gint64 real_us, const JankTextStyle *style);

/* What `--redact` leaves of rows, and of files (element-type JankSessionSummary) (nullable) that go with them. */
void          cli_redact       (GPtrArray *rows, GPtrArray *files);

/* On a terminal, a line on stderr of what takes more than a second, which is erased afterwards. One at a time; main
 * thread. what: translated, "Reading reports"; lives until the end. */
void          progress_begin (const char *what);
void          progress_step  (guint n_done, guint n);
/* Before anything else is printed; the next step draws again. */
void          progress_erase (void);
void          progress_end   (void);

/* The style of a stream's terminal; default_columns wide where the stream is none. */
JankTextStyle cli_text_style   (FILE *stream, guint default_columns);

/* Lines of a stream's terminal; 0: it is none. */
guint         cli_count_lines  (FILE *stream);

/* On stdout, and a new line. */
void          cli_print_json   (JsonNode *node);
void          cli_print_json_text (const GString *text);

/* path: (nullable): standard output, as is "-" */
gboolean      cli_is_stdout    (const char *path);
/* Returns: FALSE where it cannot be written, after printing that */
gboolean      cli_write        (const char *path, const char *data, gsize n_bytes);
/* A file of jankwatch's own, which only the user may read, as are folders that are made for it. */
gboolean      cli_write_own    (const char *path, const char *text, GError **error);

/* For the whole process: signals that are blocked in one thread reach another. One that was ignored when we started
 * stays so, as under nohup(1). */
void          cli_set_handler  (int signal_number, void (*handler) (int), struct sigaction *ret_before);

/* Where the other parts of jankwatch are: beside this command in the build folder it was built in, else where they were
 * installed. */

/* The folder that holds libgiojankwatch.so. Returns: (transfer full) (nullable) */
char         *locate_module_folder (GError **error);

/* The folders of the modules of GTK 3 and GTK 4, for GTK_PATH. Returns: (transfer full) (nullable): not there */
char         *locate_gtk_path      (void);

/* What `run`, or `run --strict`, preloads. Returns: (transfer full) (nullable): it is not there */
char         *locate_preload       (gboolean is_strict);

/* A program; folder: of src. Returns: (transfer full) (nullable) */
char         *locate_program       (const char *folder, const char *name, GError **error);
