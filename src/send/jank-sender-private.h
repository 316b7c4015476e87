/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sends what a store has and a server has not, oldest first, one report at a time. One thread; reads the store, and
 * writes what was sent. */

#pragma once

#include "index/jank-filter-private.h"
#include "send/jank-protocol-private.h"
#include "store/jank-store-private.h"

typedef enum
{
  JANK_DELIVERY_TAKEN,
  JANK_DELIVERY_REFUSED, /* the server will never take these bytes */
  JANK_DELIVERY_FAILED,  /* with an error: what was not taken is sent another time */
} JankDelivery;

/* ret_answer: (transfer full) (nullable): to a body that was taken */
typedef JankDelivery (*JankDeliverFunc) (const char *path, const char *type, GBytes *body, gpointer data,
                                         GBytes **ret_answer, GError **error);

typedef struct
{
  const JankTarget *target;
  const char       *identity; /* of the machine */
  gboolean          redact;
  guint             per_day; /* reports of a fingerprint; what is above only counts */
  JankDeliverFunc   deliver;
  gpointer          data;
} JankSendOptions;

typedef struct
{
  guint    n_sent, n_refused, n_held; /* n_held: for the first time, by the limit of the day */
  GString *refused; /* (owned) (nullable): the programs whose totals the server refuses, in one line */
  guint64  n_points_refused; /* of totals that it has taken but for these, it does not say which */
  char    *words;   /* (owned) (nullable): the first words of the server about a body that it took, not cleaned */
} JankSendResult;

void jank_send_result_clear (JankSendResult *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (JankSendResult, jank_send_result_clear)

/* filter: of reports; processes count where their sessions pass. *ret_result is set also on failure. */
gboolean jank_sender_run (JankStore *store, JankFilter *filter, JankSent *sent, const JankSendOptions *options,
                          JankSendResult *ret_result, GError **error);

/* Delivers over HTTP, as a server under load wants it: compressed, with time-outs, and with patience that grows.
 * Redirects are not followed: reports go where the user said. One thread, with the default main context. */
typedef struct _JankPost JankPost;

/* target: borrowed. All tries and waits together take timeout_s at most. */
JankPost    *jank_post_new  (const JankTarget *target, guint timeout_s);
void         jank_post_free (JankPost *self);

/* A JankDeliverFunc; data: JankPost. */
JankDelivery jank_post_send (const char *path, const char *type, GBytes *body, gpointer data, GBytes **ret_answer,
                             GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankPost, jank_post_free)
