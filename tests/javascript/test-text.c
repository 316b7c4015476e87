/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What SpiderMonkey writes of its calls, whole, cut off and as noise. */

#include "javascript/jank-engine-private.h"

#include <string.h>

#include "test.h"

#define MAX_CALLS 8

static const char text[] =
  "0 spin() [\"file:///home/u/an%20app/app.js\":2:31]\n"
  "1 a b(\"x\")() [\"app.js line 8 > eval\":8:17]\n"
  "2 onLoad/<() [\"resource:///org/gnome/gjs/modules/core/_signals.js\":13:29]\n"
  "3 <TOP LEVEL> [\"/home/u/extensions/slow@example.org/extension.js\":4093:93]\n";

static const struct { const char *name, *file; guint line; } expected[] = {
  { "spin", "/home/u/an app/app.js", 2 },
  { "a b(\"x\")", "app.js line 8 > eval", 8 },
  { "onLoad/<", "resource:///org/gnome/gjs/modules/core/_signals.js", 13 },
  { "<TOP LEVEL>", "/home/u/extensions/slow@example.org/extension.js", 4093 },
};

TEST (lines)
{
  JankScripts *scripts = jank_scripts_new ();
  JankCall calls[MAX_CALLS];

  g_assert_cmpuint (jank_javascript_text_read (text, strlen (text), scripts, calls, MAX_CALLS), ==,
                    G_N_ELEMENTS (expected));
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      const JankScript *script = jank_scripts_get (scripts, &calls[i]);

      g_assert_cmpstr (script->name, ==, expected[i].name);
      g_assert_cmpstr (script->file, ==, expected[i].file);
      g_assert_cmpstr (script->language, ==, "javascript");
      g_assert_cmpuint (JANK_SCRIPT_LINE (&calls[i]), ==, expected[i].line);
    }
  g_assert_cmpuint (jank_javascript_text_read (text, strlen (text), scripts, calls, 2), ==, 2);
  jank_scripts_free (scripts);
}

TEST (cut)
{
  JankScripts *scripts = jank_scripts_new ();
  JankCall calls[MAX_CALLS];

  for (gsize n = 0; n < sizeof text; n++)
    {
      guint n_lines = 0;
      g_autofree char *part = g_strndup (text, n);

      for (gsize i = 0; i < n; i++)
        n_lines += text[i] == '\n';
      g_assert_cmpuint (jank_javascript_text_read (part, n, scripts, calls, MAX_CALLS), ==, n_lines);
    }
  jank_scripts_free (scripts);
}

TESTS ("/javascript/text")
