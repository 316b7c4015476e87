/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* JankReport's boxed type belongs to the library, so the plug-in must not register it. GTK's thread only. */

#include "gtk/inspector/jank-inspector-parts-private.h"

#include "text/jank-text-report-private.h"

G_DEFINE_FINAL_TYPE (JankInspectorStall, jank_inspector_stall, G_TYPE_OBJECT)

enum
{
  PROP_BEGAN_NS = 1, PROP_DURATION_NS, PROP_SEVERITY, PROP_CULPRIT, PROP_WAIT, PROP_TIME, PROP_LENGTH, PROP_HEADLINE,
  PROP_KIND, PROP_FINGERPRINT, PROP_COUNT, PROP_LEVEL, N_PROPS
};
static GParamSpec *properties[N_PROPS];

static char *
jank_inspector_stall_time_text (JankReport *report)
{
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_local (report->stall.began_real_us / G_USEC_PER_SEC);

  return time != NULL ? g_date_time_format (time, "%H:%M:%S") : g_strdup ("");
}

static void
jank_inspector_stall_get_string (JankInspectorStall *self, guint id, GValue *value)
{
  switch (id)
    {
    case PROP_SEVERITY:    g_value_set_string (value, jank_severity_to_nick (self->report->stall.severity)); break;
    case PROP_CULPRIT:     g_value_set_string (value, self->culprit); break;
    case PROP_WAIT:        g_value_set_string (value, self->wait); break;
    case PROP_TIME:        g_value_take_string (value, jank_inspector_stall_time_text (self->report)); break;
    case PROP_LENGTH:      g_value_take_string (value, jank_text_duration (self->report->stall.duration_ns)); break;
    case PROP_HEADLINE:    g_value_set_string (value, jank_inspector_stall_get_headline (self)); break;
    case PROP_KIND:        g_value_set_string (value, jank_report_kind_to_nick (self->report->kind)); break;
    case PROP_FINGERPRINT: g_value_set_string (value, self->report->fingerprint); break;
    default:               break;
    }
}

static void
jank_inspector_stall_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  JankInspectorStall *self = JANK_INSPECTOR_STALL (object);

  switch (id)
    {
    case PROP_BEGAN_NS:    g_value_set_int64 (value, self->report->stall.began_monotonic_ns); break;
    case PROP_DURATION_NS: g_value_set_int64 (value, self->report->stall.duration_ns); break;
    case PROP_COUNT:       g_value_set_uint (value, MAX (self->report->repeats.count, 1)); break;
    case PROP_LEVEL:       g_value_set_uint (value, self->report->stall.severity); break;
    default:               jank_inspector_stall_get_string (self, id, value);
    }
}

static void
jank_inspector_stall_finalize (GObject *object)
{
  JankInspectorStall *self = JANK_INSPECTOR_STALL (object);

  jank_report_unref (self->report);
  g_free (self->culprit);
  g_free (self->wait);
  g_free (self->headline);
  G_OBJECT_CLASS (jank_inspector_stall_parent_class)->finalize (object);
}

static void
jank_inspector_stall_class_init (JankInspectorStallClass *klass)
{
  static const struct { guint id; const char *name; } strings[] = {
    { PROP_SEVERITY, "severity" }, { PROP_CULPRIT, "culprit" }, { PROP_WAIT, "wait" }, { PROP_TIME, "time" },
    { PROP_LENGTH, "length" }, { PROP_HEADLINE, "headline" }, { PROP_KIND, "kind" },
    { PROP_FINGERPRINT, "fingerprint" },
  };
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GParamFlags read = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->get_property = jank_inspector_stall_get_property;
  object_class->finalize = jank_inspector_stall_finalize;

  for (guint i = 0; i < G_N_ELEMENTS (strings); i++)
    properties[strings[i].id] = g_param_spec_string (strings[i].name, NULL, NULL, NULL, read);
  properties[PROP_BEGAN_NS] = g_param_spec_int64 ("began-ns", NULL, NULL, G_MININT64, G_MAXINT64, 0, read);
  properties[PROP_DURATION_NS] = g_param_spec_int64 ("duration-ns", NULL, NULL, G_MININT64, G_MAXINT64, 0, read);
  properties[PROP_COUNT] = g_param_spec_uint ("count", NULL, NULL, 0, G_MAXUINT, 1, read);
  properties[PROP_LEVEL] = g_param_spec_uint ("level", NULL, NULL, 0, G_MAXUINT, 0, read);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
jank_inspector_stall_init (JankInspectorStall *self)
{
}

JankInspectorStall *
jank_inspector_stall_new (JankReport *report)
{
  JankInspectorStall *self = g_object_new (JANK_TYPE_INSPECTOR_STALL, NULL);

  self->report = report;
  self->culprit = jank_report_name_culprit (report->culprit.function, report->culprit.callee,
                                            report->culprit.callee_share);
  self->wait = jank_text_doing (report);
  return self;
}

/* Labels wrap it: none ends a line between a number and its unit. Returns: (transfer full) */
static char *
jank_inspector_stall_keep_units (const char *sentence)
{
  GString *text = g_string_new (NULL);

  for (const char *at = sentence; *at != '\0'; at++)
    if (*at == ' ' && at > sentence && g_ascii_isdigit (at[-1]) && !g_ascii_isdigit (at[1]) && at[1] != '(')
      g_string_append (text, "\u00a0");
    else
      g_string_append_c (text, *at);
  return g_string_free (text, FALSE);
}

const char *
jank_inspector_stall_get_headline (JankInspectorStall *self)
{
  if (self->headline == NULL)
    {
      g_autofree char *headline = jank_text_headline (self->report);

      self->headline = jank_inspector_stall_keep_units (headline);
    }
  return self->headline;
}

void
jank_inspector_stall_get_range (JankInspectorStall *self, gint64 *ret_began_ns, gint64 *ret_ended_ns)
{
  JankReport *report = self->report;

  *ret_began_ns = report->stall.began_monotonic_ns;
  *ret_ended_ns = *ret_began_ns + jank_report_get_length_ns (report);
}
