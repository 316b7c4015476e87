/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which reports a command is about. Every command that reads many takes the same options: one row each in
 * jank-filter.c.
 *
 *   g_autoptr (JankFilter) filter = jank_filter_new ();
 *   if (!cli_begin (&argc, &argv, NULL, 0, entries, filter, _("…")))      also says what is wrong with a filter
 *     return CLI_USAGE;
 *   rows = jank_index_find (index, filter);        see index/jank-index-private.h
 *
 * One thread at a time. */

#pragma once

#include "index/jank-row-private.h"
#include "store/jank-session-private.h"

typedef struct _JankFilter JankFilter;

/* Lets every report pass. */
JankFilter   *jank_filter_new       (void);
void          jank_filter_free      (JankFilter *self);

/* The options, for the main group of a context; parsing checks what they were given. self must outlive the group.
 * Returns: (transfer full) */
GOptionGroup *jank_filter_new_group (JankFilter *self);

/* One option without its dashes: "app" and "gedit". Further values of one option that takes several add to it.
 * JANK_ERROR_INVALID names the option and what it takes. */
gboolean      jank_filter_set       (JankFilter *self, const char *option, const char *value, GError **error);

/* "app=gedit,app-version=1.2": for a set that is given as one word. Returns: (transfer full) (nullable) */
JankFilter   *jank_filter_from_text (const char *text, GError **error);

/* Whether it lets everything pass. */
gboolean      jank_filter_is_empty  (const JankFilter *self);

/* "since" is "last-look", when a person last looked at what was new in a store. ret_alone (nullable): it has no other
 * option */
gboolean      jank_filter_is_since_last_look (const JankFilter *self, gboolean *ret_alone);
/* What it is, if that is so. Returns: µs since the Unix epoch; 0: nobody has looked */
gint64        jank_filter_load_last_look     (JankFilter *self, const char *store);
gboolean      jank_filter_save_last_look     (const char *store, gint64 real_us, GError **error);

gboolean      jank_filter_matches   (const JankFilter *self, const JankRow *row);

/* Whether a process of a session can have reports that pass. */
gboolean      jank_filter_matches_session (const JankFilter *self, const JankSessionSummary *file);

/* Of "2026-11-21", "2026-11-21 15:30", "15:30", "today", "yesterday", "90min", "2h", "3d", "1w" (ago); at_end: of a
 * day that is named whole, its end. JANK_ERROR_INVALID. now: local. Returns: µs since the Unix epoch */
gint64        jank_filter_parse_time (const char *text, gboolean at_end, GDateTime *now, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankFilter, jank_filter_free)
