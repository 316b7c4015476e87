/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What redaction leaves of the texts that may say more of the user than of the program. What is not known to be
 * harmless goes. Pure; any thread that has the report for itself. */

#include "config.h"

#include "report/jank-report-private.h"

#include <string.h>

/* "GtkButton", "app.save-as": a name that somebody gave in the source, not text of the user's. */
static gboolean
is_name (const char *text)
{
  return text[0] != '\0' && strspn (text, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_.-") == strlen (text);
}

char *
jank_redact_path (const char *text, gconstpointer self)
{
  return g_path_get_basename (text);
}

/* Names are the program's; what a description says of a widget may be text of the user's. */
char *
jank_redact_function (const char *text, gconstpointer self)
{
  const char *quote = strstr (text, " “"), *on = quote != NULL && quote - text >= 3 ? quote - 3 : NULL;

  return g_strndup (text, on != NULL && g_str_has_prefix (on, " on ") ? (gsize) (on - text)
                          : quote != NULL ? (gsize) (quote - text) : strlen (text));
}

/* Only the platform's own, as "[gtk] gdk_frame_clock_paint_idle": another may hold a file's name or a person's. */
char *
jank_redact_source (const char *text, gconstpointer self)
{
  static const char *const prefixes[] = { "[glib] ", "[gio] ", "[gdk] ", "[gtk] " };

  if (text[0] == '[' && strchr (text, ']') == text + strlen (text) - 1)
    return g_strdup (text);
  for (guint i = 0; i < G_N_ELEMENTS (prefixes); i++)
    if (g_str_has_prefix (text, prefixes[i]) && is_name (text + strlen (prefixes[i])))
      return g_strdup (text);
  return g_strdup ("");
}

/* Only the platform's own. Others are often the program's name, or say what is worked on. */
char *
jank_redact_thread (const char *text, gconstpointer self)
{
  static const char *const names[] = { "gmain", "gdbus", "dconf worker", "pool-spawner", NULL };

  return g_strv_contains (names, text) ? g_strdup (text) : NULL;
}

char *
jank_redact_title (const char *text, gconstpointer self)
{
  return g_strdup ("");
}

/* Titles of windows are text of the user's; types of widgets and names of actions are not. */
char *
jank_redact_tag (const char *text, gconstpointer self)
{
  const JankReportTag *tag = self;
  gboolean kept = (g_str_equal (tag->name, "focus") || g_str_equal (tag->name, "action")) && is_name (text);

  return g_strdup (kept ? text : "");
}

/* Who is at the other end, by the family of the socket. */
static const char *
get_peer_kind (const char *family)
{
  if (g_strcmp0 (family, "unix") == 0)
    return "unix socket";
  if (family != NULL && g_str_has_prefix (family, "tcp"))
    return "TCP peer";
  if (family != NULL && g_str_has_prefix (family, "udp"))
    return "UDP peer";
  return "peer";
}

char *
jank_redact_target (const char *text, gconstpointer self)
{
  static const char *const paths[] = { "file", "device", "page", "child", NULL };
  const JankReportWait *wait = self;
  const char *kind = wait->kind != NULL ? wait->kind : "";

  if (g_strv_contains (paths, kind))
    return g_path_get_basename (text);
  if (g_str_equal (kind, "pipe"))
    return g_strdup ("pipe");
  if (g_str_equal (kind, "socket"))
    return g_strdup (get_peer_kind (wait->filesystem));
  return g_str_equal (kind, "dbus") && is_name (text) ? g_strdup (text) : NULL;
}
