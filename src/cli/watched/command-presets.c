/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch presets`: lists the rules of other monitors. */

#include "cli/cli.h"

#include <glib/gi18n.h>

#include "rules/jank-rule-private.h"

#define NAME_COLUMNS 13

/* Prints text on lines of its own, indented below the names. */
static void
append_text (GString *out, const JankTextStyle *style, const char *text, const char *sgr)
{
  jank_text_append_left (out, style, "", NAME_COLUMNS, NULL);
  jank_text_append_wrapped (out, style, text, NAME_COLUMNS, NAME_COLUMNS, sgr);
}

static void
append_preset (GString *out, const JankTextStyle *style, const JankPreset *preset)
{
  g_auto (GStrv) settings = g_strsplit (preset->settings, ",", -1);
  g_autofree char *spaced = g_strjoinv (" ", settings);

  jank_text_append_left (out, style, preset->nick, NAME_COLUMNS, JANK_TEXT_BOLD);
  jank_text_append (out, style, preset->system, NULL);
  jank_text_end_line (out);
  append_text (out, style, _(preset->rule), NULL);
  if (preset->differs != NULL)
    append_text (out, style, _(preset->differs), NULL);
  if (*spaced != '\0')
    append_text (out, style, spaced, JANK_TEXT_DIM);
}

static void
print_list (void)
{
  JankTextStyle style = cli_text_style (stdout, 80);
  g_autoptr (GString) out = g_string_new (NULL);

  for (guint i = 0; jank_preset_get (i) != NULL; i++)
    append_preset (out, &style, jank_preset_get (i));
  g_print ("%s", out->str);
}

static void
add_number (GString *out, const char *name, gint64 n)
{
  if (n > 0)
    jank_json_put (out, "%s:%li", name, n);
}

static void
print_json (void)
{
  static const char *const kinds[] = { "busy", "waits", "ping", "gap", "fps" };
  static const char *const picks[] = { "path", "last20", "same", "none" };
  g_autoptr (GString) out = g_string_new ("[");

  for (guint i = 0; jank_preset_get (i) != NULL; i++)
    {
      const JankPreset *preset = jank_preset_get (i);
      JankRule rule;

      jank_rule_init_preset (&rule, i);
      jank_json_put (out, "{'preset':%s,'system':%s,'rule':%s", preset->nick, preset->system, _(preset->rule));
      jank_json_put_text (out, "differs", preset->differs != NULL ? _(preset->differs) : NULL);
      jank_json_put (out, "'settings':%s,'kind':%s,'threshold_ns':%li", preset->settings, kinds[rule.kind],
                     rule.threshold_ns);
      add_number (out, "check_interval_ns", rule.check_ns);
      add_number (out, "n_waits", rule.n_waits);
      add_number (out, "n_refresh_intervals", rule.n_refreshes);
      add_number (out, "ping_interval_ns", rule.kind == JANK_RULE_KIND_PING ? rule.ping_interval_ns : 0);
      jank_json_put (out, "'pick':%s", picks[rule.pick]);
      add_number (out, "n_stacks", rule.n_stacks);
      jank_json_put (out, "}");
    }
  jank_json_put (out, "]");
  cli_print_json_text (out);
}

int
command_presets (int argc, char **argv)
{
  gboolean json = FALSE;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_("Print JSON"), NULL },
    { NULL },
  };

  if (!cli_begin (&argc, &argv, NULL, 0, entries, NULL,
                  _("Lists the stall detectors whose rules the setting “preset” can apply.")))
    return CLI_USAGE;
  if (json)
    print_json ();
  else
    print_list ();
  return CLI_FINE;
}
