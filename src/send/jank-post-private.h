/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* HTTP, as a server under load wants it: compressed, with time-outs, and with patience that grows. Redirects are not
 * followed: reports go where the user said. One thread, with the default main context. */

#pragma once

#include "send/jank-sender-private.h"

typedef struct _JankPost JankPost;

/* url: of the server, to which paths are added; headers: names and values in turns */
JankPost    *jank_post_new  (const char *url, const char *const *headers, guint timeout_s);
void         jank_post_free (JankPost *self);

/* A JankDeliverFunc; data: JankPost. */
JankDelivery jank_post_send (const char *path, const char *type, GBytes *body, gpointer data, GBytes **ret_answer,
                             GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankPost, jank_post_free)
