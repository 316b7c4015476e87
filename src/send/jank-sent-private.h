/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What one server has got, in a database of the store: a row for each report and each process of a session, and what
 * counted in those that are gone. Who is killed repeats what the server got since the last jank_sent_keep(). One
 * process at a time has it. */

#pragma once

#include <glib.h>

#define JANK_SENT_FOLDER  "sent"
#define JANK_SENT_PROCESS "process/" /* before the key of a process */

/* Sums that only grow, of a program's version, and of a problem where there is one. */
typedef enum
{
  JANK_SUM_HANG_NS,
  JANK_SUM_WATCHED_NS,
  JANK_SUM_FRAMES,
  JANK_SUM_LATE_PROGRAM,
  JANK_SUM_LATE_COMPOSITOR,
  JANK_SUM_TIMES_NS, /* of all times below */
} JankSum;
#define JANK_N_SUMS (JANK_SUM_TIMES_NS + 1)

/* Buckets of times, as an exponential histogram has them: bucket i is of times above 2^(i/8) s, up to 2^((i+1)/8) s. */
#define JANK_TIMES_SCALE 3
#define JANK_TIMES_FIRST (-240)
#define JANK_TIMES_N     400

/* The sums; behind them, how many times there are in the buckets from JANK_TIMES_FIRST on. */
#define JANK_N_FIGURES (JANK_N_SUMS + JANK_TIMES_N)
typedef struct
{
  gint64 n[JANK_N_FIGURES];
} JankFigures;

void   jank_figures_add_time    (JankFigures *self, gint64 length_ns, guint64 count);
gint64 jank_figures_count_times (const JankFigures *self);

/* One report, or one process of a session, on its way; or all of those in a series. Its texts are borrowed. */
typedef struct
{
  const char *key;
  gint64      stamp_ns;
  const char *app, *version; /* "": unknown */
  const char *fingerprint;   /* "": of a process, not of a problem */
  JankFigures figures;
  gboolean    is_held; /* it is not sent because of the limit of the day, and may be sent when that is raised */

  /* Of jank_sent_look_up(): */
  gint64 n_counted; /* occurrences of what has key that were counted */
  gint64 n_held;    /* occurrences of the problem in what was not sent, since the last one that told so */
  gint64 n_of_day;  /* reports of the problem that were sent of the day with which key begins */
} JankItem;

typedef struct
{
  char           *path;    /* (owned) */
  struct sqlite3 *db;      /* (owned) */
  gint64          start_us;
  gboolean        is_allowed; /* a person has allowed that server */
  gboolean        has_news;   /* something has counted since the server got all totals */
  gboolean        failed;
} JankSent;

/* Tells machines apart and says nothing else of this one. The store keeps its salt unless keeps is FALSE.
 * Returns: (transfer full) (nullable): the salt cannot be kept */
char     *jank_sent_get_identity (const char *store, gboolean keeps, GError **error);

/* url: of the server; keeps: else nothing is ever written. Returns: (transfer full) (nullable): somebody else has it,
 * or it cannot be written */
JankSent *jank_sent_open    (const char *store, const char *url, gboolean keeps, GError **error);
void      jank_sent_close   (JankSent *self);

/* key: of a report or a process that exists, so jank_sent_tidy() keeps it; ret_same: stamp_ns is that of what was
 * counted; ret_held: it was held back. Returns: whether it is there */
gboolean  jank_sent_has     (JankSent *self, const char *key, gint64 stamp_ns, gboolean *ret_same, gboolean *ret_held);

void      jank_sent_look_up (JankSent *self, JankItem *item);

/* Puts what is known of item, after jank_sent_look_up(). n_bytes: of the record that the server has got, 0: none.
 * Nothing is kept before jank_sent_keep(). */
void      jank_sent_add     (JankSent *self, const JankItem *item, gsize n_bytes);
/* What cannot be kept is forgotten: it is sent once more. */
gboolean  jank_sent_keep    (JankSent *self, GError **error);

/* Forgets what jank_sent_has() was not asked for but for its figures; the last two days stay, for n_of_day. */
gboolean  jank_sent_tidy    (JankSent *self, GError **error);

/* Visits all that was added since the first send, an item a series. Series of a program's version follow each other,
 * first the one without a fingerprint. */
typedef void (*JankSeriesFunc)  (const JankItem *series, gpointer data);
void      jank_sent_each_series (JankSent *self, JankSeriesFunc visit, gpointer data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankSent, jank_sent_close)
