/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "index/jank-filter-private.h"

#include <stdio.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "base/jank-error.h"
#include "base/jank-nearest-private.h"
#include "json/jank-json-private.h"
#include "store/jank-folder-private.h"

#define LAST_LOOK "last-look" /* a file in the store */

enum { APP, APP_VERSION, SESSION, FINGERPRINT, CULPRIT, REASON, TAG, KIND, SEVERITY, SINCE, UNTIL, N_OPTIONS };

struct _JankFilter
{
  char       **values[N_OPTIONS]; /* (owned) (nullable): as they were given */

  /* of those, once checked */
  guint        kinds; /* bits; 0: all */
  JankSeverity severity;
  gint64       since_us, until_us;
  gboolean     is_since_last_look;
};

static const char *const jank_filter_names[] = {
  [APP] = "app", [APP_VERSION] = "app-version", [SESSION] = "session", [FINGERPRINT] = "fingerprint",
  [CULPRIT] = "culprit", [REASON] = "reason", [TAG] = "tag", [KIND] = "kind", [SEVERITY] = "severity",
  [SINCE] = "since", [UNTIL] = "until", [N_OPTIONS] = NULL,
};

/* Values may hold * and ?; of several one is enough. */
static const struct { const char *summary, *argument; } options[N_OPTIONS] = {
  [APP] = { N_("Only this program (name, application ID or file); can be repeated"), N_("NAME") },
  [APP_VERSION] = { N_("Only this version or build-id of the program"), N_("VERSION") },
  [SESSION] = { N_("Only this session of “jankwatch run”"), N_("SESSION") },
  [FINGERPRINT] = { N_("Only this problem (ID from “jankwatch summary”)"), N_("ID") },
  [CULPRIT] = { N_("Only stalls caused by FUNCTION"), N_("FUNCTION") },
  [REASON] = { N_("Only stalls with this main reason: computing, file, lock, dbus …"), N_("REASON") },
  [TAG] = { N_("Only stalls with this tag, or this tag and value"), N_("NAME[=VALUE]") },
  [KIND] = { N_("Only this kind: stall, startup, frame, spin, cpu, input or dump; can be repeated"),
             N_("KIND") },
  [SEVERITY] = { N_("Only this severity or worse: minor, microhang, hang or frozen"), N_("LEVEL") },
  [SINCE] = { N_("Only stalls since TIME: “2026-11-21”, “2026-11-21 15:30”, “15:30”, “yesterday”, “2h”, “last-look”"),
              N_("TIME") },
  [UNTIL] = { N_("Only stalls until TIME (a date includes that day)"), N_("TIME") },
};

JankFilter *
jank_filter_new (void)
{
  JankFilter *self = g_new0 (JankFilter, 1);

  self->until_us = G_MAXINT64;
  return self;
}

void
jank_filter_free (JankFilter *self)
{
  for (guint i = 0; i < N_OPTIONS; i++)
    g_strfreev (self->values[i]);
  g_free (self);
}

static gint64
to_us (GDateTime *time)
{
  return g_date_time_to_unix (time) * G_USEC_PER_SEC + g_date_time_get_microsecond (time);
}

/* "90min", "2h". Returns: in µs, 0: it is none */
static gint64
parse_ago (const char *text)
{
  static const struct { const char *unit; gint64 s; } units[] = {
    { "s", 1 }, { "m", 60 }, { "min", 60 }, { "h", 3600 }, { "d", 86400 }, { "w", 7 * 86400 },
  };
  char *end;
  guint64 n = g_ascii_strtoull (text, &end, 10);

  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    if (g_ascii_isdigit (*text) && n > 0 && n < 1000000 && strcmp (end, units[i].unit) == 0)
      return (gint64) n * units[i].s * G_USEC_PER_SEC;
  return 0;
}

/* Days by name: when they begin and end, in days from today's beginning. */
static const struct { const char *name; gint begin, end; } days[] = { { "today", 0, 1 }, { "yesterday", -1, 0 } };

gint64
jank_filter_parse_time (const char *text, gboolean at_end, GDateTime *now, GError **error)
{
  gint year, month, day, hour = 0, minute = 0, second = 0, n_read = 0;
  gint64 ago_us = parse_ago (text);
  gint begin = 0, end = 0; /* of what time becomes, in days from it */
  g_autoptr (GDateTime) time = NULL, exact = NULL, next = NULL;

  if (ago_us > 0)
    return MAX (to_us (now) - ago_us, 0);
  exact = strchr (text, 'T') != NULL ? g_date_time_new_from_iso8601 (text, g_date_time_get_timezone (now)) : NULL;
  if (exact != NULL)
    return MAX (to_us (exact), 0);
  g_date_time_get_ymd (now, &year, &month, &day);
  for (guint i = 0; i < G_N_ELEMENTS (days); i++)
    if (strcmp (text, days[i].name) == 0)
      {
        begin = days[i].begin;
        end = days[i].end;
      }
  if (end == begin && sscanf (text, "%4d-%2d-%2d%n", &year, &month, &day, &n_read) == 3 && text[n_read] == '\0')
    end = 1;
  if (end > begin ||
      (sscanf (text, "%4d-%2d-%2d %2d:%2d%n:%2d%n", &year, &month, &day, &hour, &minute, &n_read, &second,
               &n_read) >= 5 && text[n_read] == '\0'))
    time = g_date_time_new (g_date_time_get_timezone (now), year, month, day, hour, minute, second);
  else
    {
      g_date_time_get_ymd (now, &year, &month, &day);
      if (sscanf (text, "%2d:%2d%n:%2d%n", &hour, &minute, &n_read, &second, &n_read) >= 2 && text[n_read] == '\0')
        time = g_date_time_new (g_date_time_get_timezone (now), year, month, day, hour, minute, second);
    }
  if (time == NULL)
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID,
                   _("‘%s’ is not a time; use, for example, “2026-11-21”, “2026-11-21 15:30”, “15:30”, “yesterday”, "
                     "“2h” or “3d”"), text);
      return 0;
    }
  next = g_date_time_add_days (time, at_end ? end : begin);
  return MAX (to_us (next), 0);
}

static gint
find_nick (const char *const *nicks, guint n, const char *nick)
{
  for (guint i = 0; i < n; i++)
    if (strcmp (nicks[i], nick) == 0)
      return (gint) i;
  return -1;
}

static void
set_no_nick (guint option, const char *value, GError **error)
{
  const char *words[JANK_N_REPORT_KINDS + 1] = { NULL };
  g_autofree char *sentence = NULL, *text = NULL;

  if (option == KIND)
    memcpy (words, jank_report_kind_nicks, sizeof jank_report_kind_nicks);
  else
    memcpy (words, jank_severity_nicks, sizeof jank_severity_nicks);
  sentence = g_strdup_printf (option == KIND
                              ? _("--kind: ‘%s’ is not one of stall, startup, frame, spin, cpu, input, dump")
                                             : _("--severity: ‘%s’ is not one of minor, microhang, hang, frozen"),
                                             value);
  text = jank_nearest_explain (sentence, value, words);
  g_set_error_literal (error, JANK_ERROR, JANK_ERROR_INVALID, text);
}

static gboolean
check (JankFilter *self, guint option, const char *value, GError **error)
{
  g_autoptr (GDateTime) now = g_date_time_new_now (jank_json_time_zone ());
  g_autoptr (GError) failure = NULL;
  gint nick = 0;

  if (option == KIND && (nick = find_nick (jank_report_kind_nicks, JANK_N_REPORT_KINDS, value)) >= 0)
    self->kinds |= 1u << nick;
  else if (option == SEVERITY &&
           (nick = find_nick (jank_severity_nicks, JANK_SEVERITY_FROZEN + 1, value)) >= 0)
    self->severity = (JankSeverity) nick;
  else if (option == SINCE && strcmp (value, "last-look") == 0)
    self->is_since_last_look = TRUE;
  else if (option == SINCE)
    self->since_us = jank_filter_parse_time (value, FALSE, now, &failure);
  else if (option == UNTIL)
    self->until_us = jank_filter_parse_time (value, TRUE, now, &failure);
  if (failure != NULL)
    g_propagate_prefixed_error (error, g_steal_pointer (&failure), "--%s: ", jank_filter_names[option]);
  else if (nick < 0)
    set_no_nick (option, value, error);
  else
    return TRUE;
  return FALSE;
}

static gboolean
post_parse (GOptionContext *context, GOptionGroup *group, gpointer data, GError **error)
{
  JankFilter *self = data;

  for (guint i = 0; i < N_OPTIONS; i++)
    for (guint k = 0; self->values[i] != NULL && self->values[i][k] != NULL; k++)
      if (!check (self, i, self->values[i][k], error))
        return FALSE;
  return TRUE;
}

GOptionGroup *
jank_filter_new_group (JankFilter *self)
{
  GOptionGroup *group = g_option_group_new ("filter", "", "", self, NULL);
  GOptionEntry entries[N_OPTIONS + 1] = { 0 };

  for (guint i = 0; i < N_OPTIONS; i++)
    entries[i] = (GOptionEntry) { jank_filter_names[i], 0, 0, G_OPTION_ARG_STRING_ARRAY, &self->values[i],
                                  options[i].summary, options[i].argument };
  g_option_group_add_entries (group, entries);
  g_option_group_set_translation_domain (group, GETTEXT_PACKAGE);
  g_option_group_set_parse_hooks (group, NULL, post_parse);
  return group;
}

gboolean
jank_filter_set (JankFilter *self, const char *option, const char *value, GError **error)
{
  g_autofree char *sentence = NULL, *text = NULL;

  for (guint i = 0; i < N_OPTIONS; i++)
    if (strcmp (jank_filter_names[i], option) == 0)
      {
        guint n = self->values[i] != NULL ? g_strv_length (self->values[i]) : 0;

        self->values[i] = g_renew (char *, self->values[i], n + 2);
        self->values[i][n] = g_strdup (value);
        self->values[i][n + 1] = NULL;
        return check (self, i, value, error);
      }
  sentence = g_strdup_printf (_("‘%s’ is not a filter"), option);
  text = jank_nearest_explain (sentence, option, jank_filter_names);
  g_set_error_literal (error, JANK_ERROR, JANK_ERROR_INVALID, text);
  return FALSE;
}

JankFilter *
jank_filter_from_text (const char *text, GError **error)
{
  g_autoptr (JankFilter) self = jank_filter_new ();
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);

  for (guint i = 0; parts[i] != NULL; i++)
    {
      char *equals = strchr (parts[i], '=');

      if (equals != NULL)
        *equals = '\0';
      if (!jank_filter_set (self, parts[i], equals != NULL ? equals + 1 : "", error))
        return NULL;
    }
  return g_steal_pointer (&self);
}

gboolean
jank_filter_is_empty (const JankFilter *self)
{
  for (guint i = 0; i < N_OPTIONS; i++)
    if (self->values[i] != NULL)
      return FALSE;
  return TRUE;
}

gboolean
jank_filter_is_since_last_look (const JankFilter *self, gboolean *ret_alone)
{
  if (ret_alone != NULL)
    {
      *ret_alone = TRUE;
      for (guint i = 0; i < N_OPTIONS; i++)
        *ret_alone = *ret_alone && (self->values[i] == NULL || i == SINCE);
    }
  return self->is_since_last_look;
}

gint64
jank_filter_load_last_look (JankFilter *self, const char *store)
{
  gsize n_bytes;
  g_autofree char *text = self->is_since_last_look ? jank_folder_read_file (store, NULL, LAST_LOOK, &n_bytes, NULL)
                                                   : NULL;

  if (self->is_since_last_look)
    self->since_us = text != NULL ? MAX (g_ascii_strtoll (text, NULL, 10), 0) : 0;
  return self->since_us;
}

gboolean
jank_filter_save_last_look (const char *store, gint64 real_us, GError **error)
{
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT "\n", real_us);

  return jank_folder_write_file (store, NULL, LAST_LOOK, text, strlen (text), error);
}

/* text: (nullable) */
static gboolean
fits (char **patterns, const char *text)
{
  for (guint i = 0; text != NULL && patterns[i] != NULL; i++)
    if (g_pattern_match_simple (patterns[i], text))
      return TRUE;
  return FALSE;
}

static gboolean
fits_culprit (char **patterns, const JankRow *row)
{
  g_autofree char *name = jank_row_dup_culprit (row);

  return fits (patterns, row->culprit) || fits (patterns, name);
}

static gboolean
fits_tag (char **patterns, const char *tags)
{
  g_auto (GStrv) all = g_strsplit (tags != NULL ? tags : "", "\n", -1);

  for (guint i = 0; all[i] != NULL; i++)
    {
      if (fits (patterns, all[i]))
        return TRUE;
      all[i][strcspn (all[i], "=")] = '\0';
      if (fits (patterns, all[i]))
        return TRUE;
    }
  return FALSE;
}

/* A build-id may be cut short. */
static gboolean
fits_version (char **patterns, const JankRow *row)
{
  for (guint i = 0; row->build != NULL && patterns[i] != NULL; i++)
    if (strlen (patterns[i]) >= 7 && g_str_has_prefix (row->build, patterns[i]))
      return TRUE;
  return fits (patterns, row->version) || fits (patterns, row->build);
}

/* Any of the three may be NULL. */
static gboolean
has_app (const JankFilter *self, const char *name, const char *id, const char *exe)
{
  char **apps = self->values[APP];
  const char *slash = exe != NULL ? strrchr (exe, '/') : NULL;

  return apps == NULL || fits (apps, name) || fits (apps, id) || fits (apps, exe) ||
         fits (apps, slash != NULL ? slash + 1 : NULL);
}

gboolean
jank_filter_matches (const JankFilter *self, const JankRow *row)
{
  char **const *values = (char **const *) self->values;

  /* A dump is no problem: only who asks for dumps is shown them. */
  guint kinds = self->kinds != 0 ? self->kinds : ~(1u << JANK_REPORT_DUMP);

  return row->last_us >= self->since_us && row->first_us < self->until_us && row->severity >= self->severity &&
         (kinds & 1u << row->kind) != 0 &&
         has_app (self, row->app, row->app_id, row->exe) &&
         (values[APP_VERSION] == NULL || fits_version (values[APP_VERSION], row)) &&
         (values[SESSION] == NULL || fits (values[SESSION], row->session)) &&
         (values[FINGERPRINT] == NULL || fits (values[FINGERPRINT], row->fingerprint)) &&
         (values[CULPRIT] == NULL || fits_culprit (values[CULPRIT], row)) &&
         (values[REASON] == NULL || fits (values[REASON], row->reason)) &&
         (values[TAG] == NULL || fits_tag (values[TAG], row->tags));
}

gboolean
jank_filter_matches_session (const JankFilter *self, const JankSessionSummary *file)
{
  char **const *values = (char **const *) self->values;

  return file->began_real_us < self->until_us &&
         file->began_real_us + file->hangs.watched_ns / JANK_NS_PER_US >= self->since_us &&
         has_app (self, file->app.name, file->app.id, file->app.exe) &&
         (values[APP_VERSION] == NULL || file->app.version == NULL || fits (values[APP_VERSION], file->app.version)) &&
         (values[SESSION] == NULL || fits (values[SESSION], file->session));
}
