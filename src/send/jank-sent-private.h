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

typedef struct
{
  gint64  sums[JANK_N_SUMS];
  guint64 times[JANK_TIMES_N]; /* bucket JANK_TIMES_FIRST + i */
} JankFigures;

void    jank_figures_add_time  (JankFigures *self, gint64 length_ns, guint64 count);
guint64 jank_figures_get_count (const JankFigures *self);

typedef struct
{
  char *app, *version; /* "": unknown */
  char *fingerprint;   /* "": of a process, not of a problem */
} JankSeries;

/* One report, one process of a session, or the totals of a program's version, on its way. Totals have no key, no
 * fingerprint and no figures. */
typedef struct
{
  char       *key;
  gint64      stamp_ns;
  JankSeries  series;
  JankFigures figures;
  GBytes     *record; /* (nullable): it only counts */
  guint64     n_held; /* occurrences that record includes beside its own: of reports that were not sent */
  gboolean    is_held; /* it is not sent because of the limit of the day, and may be sent when that is raised */
} JankItem;

/* Returns: (transfer full); texts (nullable): unknown */
JankItem *jank_item_new  (const char *key, gint64 stamp_ns, const char *app, const char *version,
                          const char *fingerprint);
void      jank_item_free (gpointer item);

typedef struct _JankSent JankSent;

/* Tells machines apart and says nothing else of this one. The store keeps its salt unless keeps is FALSE.
 * Returns: (transfer full) (nullable): the salt cannot be kept */
char     *jank_sent_get_identity (const char *store, gboolean keeps, GError **error);

/* url: of the server; keeps: else nothing is ever written. Returns: (transfer full) (nullable): somebody else has it,
 * or it cannot be written */
JankSent *jank_sent_open    (const char *store, const char *url, gboolean keeps, GError **error);
void      jank_sent_close   (JankSent *self);

/* Whether a person has allowed that server. */
gboolean  jank_sent_is_allowed (const JankSent *self);
gboolean  jank_sent_allow      (JankSent *self, GError **error);

/* key: of a report or a process that exists, so jank_sent_tidy() keeps it; ret_same: stamp_ns is that of what was
 * counted; ret_held: it was held back. Returns: whether it is there */
gboolean  jank_sent_has     (JankSent *self, const char *key, gint64 stamp_ns, gboolean *ret_same, gboolean *ret_held);
/* How many reports with that fingerprint were sent of the day with which key begins. */
guint     jank_sent_count   (JankSent *self, const char *key, const char *fingerprint);
/* How many of the occurrences of what has key were counted. */
guint64   jank_sent_get_counted (JankSent *self, const char *key);

/* How often the problem occurred in what was not sent, since the last one that told so. */
guint64   jank_sent_get_held (JankSent *self, const JankSeries *series);

/* Puts what is known of item. is_told: the server has its record. Nothing is kept before jank_sent_keep(). */
void      jank_sent_add     (JankSent *self, const JankItem *item, gboolean is_told);
/* What cannot be kept is forgotten: it is sent once more. */
gboolean  jank_sent_keep    (JankSent *self, GError **error);

/* Forgets what jank_sent_has() was not asked for but for its figures; the last two days stay, for jank_sent_count(). */
gboolean  jank_sent_tidy    (JankSent *self, GError **error);

/* Whether something has counted since jank_sent_told(). */
gboolean  jank_sent_has_news    (const JankSent *self);
/* The server has got all totals. */
gboolean  jank_sent_told        (JankSent *self, GError **error);

/* figures: of all that was added in that series since since_us, the first send. Series of a program's version follow
 * each other, first the one without a fingerprint. */
typedef void (*JankSeriesFunc)  (const JankSeries *series, const JankFigures *figures, gint64 since_us, gpointer data);
void      jank_sent_each_series (JankSent *self, JankSeriesFunc visit, gpointer data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankItem, jank_item_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankSent, jank_sent_close)
