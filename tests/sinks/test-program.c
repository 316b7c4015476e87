/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "folder.h"
#include "sinks/jank-program-private.h"
#include "test.h"

/* Words of a command line behind the interpreter, with blanks in place of the zeros; %s: an own file. */
TEST (script)
{
  static const struct { const char *interpreter, *words, *name; } lines[] = {
    { "python3.11", "%s", "a.py" }, { "python3.11", "-u %s -c x", "a.py" }, { "python3.11", "-X dev %s", "a.py" },
    { "python3.11", "-Xdev -Werror %s", "a.py" }, { "python3.11", "-W error -BE %s", "a.py" },
    { "python3.11", "--check-hash-based-pycs always %s", "a.py" },
    { "python3.11", "-m http.server %s", "http.server" }, { "python3.11", "-um http.server", "http.server" },
    { "python3.11", "-mhttp.server", "http.server" }, { "python3.11", "-m", NULL }, { "python3.11", "-m a;b", NULL },
    { "python3.11", "-c token=1", NULL }, { "python3.11", "-uc token %s", NULL }, { "python3.11", "-Ic token", NULL },
    { "python3.11", "-ctoken %s", NULL }, { "python3.11", "- %s", NULL }, { "python3.11", "token %s", NULL },
    { "python3.11", "/etc", NULL }, { "python3.11", "", NULL }, { "python3.11", "-X", NULL },
    { "gjs", "-m %s", "a.py" }, { "gjs", "-I /etc --include-path /etc %s", "a.py" }, { "gjs", "-c token %s", NULL },
    { "gjs", "--command=token %s", NULL }, { "gjs-console", "--command token %s", NULL }, { "perl", "-w %s", "a.py" },
    { "perl", "-ne token %s", NULL }, { "ruby", "-etoken %s", NULL },
  };
  g_autofree char *folder = folder_new ("jank-program"), *path = g_build_filename (folder, "a.py", NULL);

  g_assert_true (g_file_set_contents (path, "", 0, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_auto (GStrv) parts = g_strsplit (lines[i].words, "%s", -1);
      g_autofree char *words = g_strjoinv (path, parts), *line = g_strconcat (lines[i].interpreter, " ", words, NULL);
      g_autofree char *name = NULL;

      g_strchomp (line);
      name = jank_program_find_script (lines[i].interpreter, g_strdelimit (line, " ", '\0'),
                                       strlen (lines[i].interpreter) + (*words != '\0' ? 1 + strlen (words) : 0));
      g_test_message ("%s %s", lines[i].interpreter, words);
      g_assert_cmpstr (name, ==, lines[i].name);
    }
  folder_remove (folder);
}

TESTS ("/sinks/program")
