/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What redaction leaves of the texts that may say more of the user than of the program. What is not known to be
 * harmless goes, as do the names of this user and this machine. Any thread that has the report for itself. */

#include "report/jank-report-private.h"

#include <string.h>

#define IN_NAMES G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS

/* Of a program's name. */
#define MAX_NAME 64

/* "GtkButton", "app.save-as": a name that somebody gave in the source, not text of the user's. */
static gboolean
jank_report_redact_is_name (const char *text)
{
  return text[0] != '\0' && strspn (text, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_.-") == strlen (text);
}

/* Whether the path's parent has a folder a user, or the path is root's. */
static gboolean
jank_report_redact_is_home (const char *path)
{
  static const char *const parents[] = { "/home", "/Users", "/var/home", "/export/home", "/media",
                                        "/run/media", "/run/user", NULL };
  g_autofree char *parent = g_path_get_dirname (path);

  return g_strv_contains (parents, parent) || g_strv_contains (parents, path) || g_str_equal (path, "/root") ||
         (path[0] == '~' && strchr (path, '/') == NULL);
}

static char *
jank_redact_path (const char *text, gconstpointer self)
{
  g_autofree char *path = g_strdup (text);
  char *name, *end;

  for (gsize n = strlen (path); n > 1 && path[n - 1] == '/'; n--)
    path[n - 1] = '\0';
  if (jank_report_redact_is_home (path))
    return g_strdup ("~");
  name = g_path_get_basename (path);
  /* A mount of GVfs's, as “smb-share:server=…,user=…”, and the rest of a URL. */
  end = name + strcspn (name, strchr (name, '=') != NULL ? ":?#" : "?#");
  if (end > name)
    *end = '\0';
  return name;
}

/* A program's or a process's: a sentence or code is none. */
static char *
jank_redact_name (const char *text, gconstpointer self)
{
  char *name = jank_redact_path (text, self);

  if (strlen (name) <= MAX_NAME && strspn (name, IN_NAMES "._+-") == strlen (name))
    return name;
  g_free (name);
  return g_strdup ("removed");
}

/* Of jankwatch, of the system or of the program's version: never a sentence, a path or a title. */
static gboolean
jank_report_redact_is_word (const char *text)
{
  return strspn (text, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_.-+:~@<>()") == strlen (text);
}

static char *
jank_redact_word (const char *text, gconstpointer self)
{
  return jank_report_redact_is_word (text) ? g_strdup (text) : NULL;
}

/* What is told from others by it stays there. */
static char *
jank_redact_id (const char *text, gconstpointer self)
{
  return g_strdup (jank_report_redact_is_word (text) ? text : "removed");
}

/* Our own, which is translated where it is shown. */
static char *
jank_redact_sentence (const char *text, gconstpointer self)
{
  return strspn (text, G_CSET_a_2_z " ,;'") == strlen (text) ? g_strdup (text) : NULL;
}

/* A path within a text begins at a slash or “~name/” that is no part of a word. Blanks may be part of it: it ends with
 * the text, or where the quotes or brackets around it do. Returns: (transfer full) */
static char *
jank_report_redact_shorten_paths (const char *text)
{
  static const char opening[] = "\"'`<([{", closing[] = "\"'`>)]}";
  GString *left = g_string_new (NULL);

  for (const char *at = text; *at != '\0';)
    if ((*at == '/' || (*at == '~' && at[1 + strspn (at + 1, IN_NAMES "._-")] == '/')) &&
        (at == text || strchr (" =:\"'`,;<>()[]{}", at[-1]) != NULL))
      {
        const char *bracket = at > text ? strchr (opening, at[-1]) : NULL;
        const char *end = bracket != NULL ? strchr (at, closing[bracket - opening]) : NULL;
        gsize n = end != NULL ? (gsize) (end - at) : strlen (at);
        g_autofree char *path = g_strndup (at, n), *name = jank_redact_path (path, NULL);

        g_string_append (left, name);
        at += n;
      }
    else
      g_string_append_c (left, *at++);
  return g_string_free (left, FALSE);
}

/* Names are the program's; what a description says of a widget may be text of the user's. */
static char *
jank_redact_function (const char *text, gconstpointer self)
{
  const char *quote = strstr (text, "“");
  g_autofree char *name = g_strndup (text, quote != NULL ? (gsize) (quote - text) : strlen (text));

  if (quote != NULL && g_str_has_suffix (name, " on "))
    name[strlen (name) - strlen (" on ")] = '\0';
  return jank_report_redact_shorten_paths (quote != NULL ? g_strchomp (name) : name);
}

/* Only the platform's own, as "[gtk] gdk_frame_clock_paint_idle", and ours for GLib's sources without a name: another
 * may hold a file's name or a person's. */
static char *
jank_redact_source (const char *text, gconstpointer self)
{
  static const char *const prefixes[] = { "[glib] ", "[gio] ", "[gdk] ", "[gtk] " };
  static const char *const kinds[] = {
    "[timeout]", "[idle]", "[I/O watch]", "[child watch]", "[Unix signal]", "[file descriptor]", NULL,
  };

  if (g_strv_contains (kinds, text))
    return g_strdup (text);
  for (guint i = 0; i < G_N_ELEMENTS (prefixes); i++)
    if (g_str_has_prefix (text, prefixes[i]) && jank_report_redact_is_name (text + strlen (prefixes[i])))
      return g_strdup (text);
  return g_strdup ("");
}

/* Only the platform's own. Others are often the program's name, or say what is worked on. */
static char *
jank_redact_thread (const char *text, gconstpointer self)
{
  return jank_report_is_thread_of_platform (text) ? g_strdup (text) : NULL;
}

static char *
jank_redact_title (const char *text, gconstpointer self)
{
  return g_strdup ("");
}

/* Titles of windows are text of the user's; types of widgets and names of actions are not. */
static char *
jank_redact_tag (const char *text, gconstpointer self)
{
  const JankReportTag *tag = self;
  gboolean kept = (g_str_equal (tag->name, "focus") ||
                   g_str_equal (tag->name, "action")) && jank_report_redact_is_name (text);

  return g_strdup (kept ? text : "");
}

/* Each in a line of its own, "NAME=VALUE". */
static char *
jank_redact_tags (const char *text, gconstpointer self)
{
  g_autoptr (GString) left = g_string_new (NULL);
  g_auto (GStrv) tags = g_strsplit (text, "\n", -1);

  for (guint i = 0; tags[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (tags[i], "=", 2);
      const JankReportTag tag = { .name = parts[0], .value = parts[0] != NULL ? parts[1] : NULL };
      g_autofree char *value = tag.value != NULL ? jank_redact_tag (tag.value, &tag) : NULL;
      g_autofree char *name = value != NULL ? jank_redact_id (tag.name, &tag) : NULL;

      if (value != NULL)
        g_string_append_printf (left, "%s%s=%s", left->len > 0 ? "\n" : "", name, value);
    }
  return g_string_free (g_steal_pointer (&left), FALSE);
}

/* Who is at the other end, by the family of the socket. */
static const char *
jank_report_redact_get_peer_kind (const char *family)
{
  if (g_strcmp0 (family, "unix") == 0)
    return "unix socket";
  if (family != NULL && g_str_has_prefix (family, "tcp"))
    return "TCP peer";
  return family != NULL && g_str_has_prefix (family, "udp") ? "UDP peer" : "peer";
}

static char *
jank_redact_target (const char *text, gconstpointer self)
{
  static const char *const paths[] = { "file", "device", "page", NULL };
  /* The kernel's own: what a descriptor is that has no name. */
  static const char *const objects[] = { "eventfd", "eventpoll", "fanotify", "inotify", "io_uring", "pidfd", "signalfd",
                                        "timerfd", "userfaultfd", NULL };
  const JankReportWait *wait = self;
  const char *kind = wait->kind != NULL ? wait->kind : "";

  if (g_strv_contains (paths, kind))
    return jank_redact_path (text, self);
  if (g_str_equal (kind, "pipe") && wait->peer_pid <= 0)
    return g_strdup ("pipe");
  if (g_str_equal (kind, "child") || g_str_equal (kind, "pipe"))
    return jank_redact_name (text, self);
  if (g_strv_contains (objects, text))
    return g_strdup (text);
  if (g_str_equal (kind, "socket"))
    return g_strdup (jank_report_redact_get_peer_kind (wait->filesystem));
  return g_str_equal (kind, "dbus") && jank_report_redact_is_name (text) ? g_strdup (text) : NULL;
}

/* "org.example.Printers.ListAll", ":1.7", "org.example.Printers.*" */
static char *
jank_redact_bus_name (const char *text, gconstpointer self)
{
  return strspn (text, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_.-:*") == strlen (text) ? g_strdup (text) : NULL;
}

static char *
jank_redact_link_target (const char *text, gconstpointer self)
{
  const JankReportLink *link = self;

  if (link->kind == JANK_HOP_DBUS)
    return jank_redact_bus_name (text, self);
  return text[0] == '/' && link->kind != JANK_HOP_SOCKET ? jank_redact_path (text, self) : NULL;
}

char *
jank_redact_text (const char *text, JankRedactRule rule, gconstpointer self)
{
  static char *(*const rules[]) (const char *text, gconstpointer self) = {
    [JANK_REDACT_TITLE] = jank_redact_title,
    [JANK_REDACT_WORD] = jank_redact_word,
    [JANK_REDACT_ID] = jank_redact_id,
    [JANK_REDACT_SENTENCE] = jank_redact_sentence,
    [JANK_REDACT_NAME] = jank_redact_name,
    [JANK_REDACT_PATH] = jank_redact_path,
    [JANK_REDACT_FUNCTION] = jank_redact_function,
    [JANK_REDACT_SOURCE] = jank_redact_source,
    [JANK_REDACT_THREAD] = jank_redact_thread,
    [JANK_REDACT_TAG] = jank_redact_tag,
    [JANK_REDACT_TAGS] = jank_redact_tags,
    [JANK_REDACT_TARGET] = jank_redact_target,
    [JANK_REDACT_LINK_TARGET] = jank_redact_link_target,
    [JANK_REDACT_BUS_NAME] = jank_redact_bus_name,
  };

  return rule != JANK_REDACT_ALL ? rules[rule] (text, self) : NULL;
}

/* What a user's name stands behind. */
#define RUN_USER "/run/user/"
static const char *const user_folders[] = { "/home/", "/Users/", "/media/", RUN_USER, "user=", "~" };

/* A report names few; each is looked for in every text. Of one that names more nothing is left. */
#define MAX_USERS 256

/* Names that are too short or too common to tell anything. */
static const char *const common_names[] = { "", "/", "root", "home", "user", "localhost", NULL };

/* text: (nullable) */
static void
jank_report_redact_find_users (GHashTable *users, const char *text)
{
  for (guint i = 0; text != NULL && i < G_N_ELEMENTS (user_folders); i++)
    for (const char *at = text; (at = strstr (at, user_folders[i])) != NULL;)
      {
        gsize n = strcspn (at += strlen (user_folders[i]), "/ \"'`,;:<>()[]{}");
        /* The first user's everywhere is 1000, as may be a process in an ID. */
        gboolean is_number = g_str_equal (user_folders[i], RUN_USER) && strspn (at, G_CSET_DIGITS) == n;

        if (at[-1] == '~' && at[n] != '/')
          n = 0; /* a destructor */
        if (n > 1 && !is_number && g_hash_table_size (users) <= MAX_USERS)
          g_hash_table_add (users, g_strndup (at, n));
      }
}

/* This user's and this machine's. */
static void
jank_report_redact_add_own (GHashTable *users)
{
  const char *host = g_get_host_name (), *user = g_getenv ("USER"), *login = g_getenv ("LOGNAME"),
      *home = g_getenv ("HOME");
  /* The user database may ask the network. */
  char *const own[] = { g_strdup (user != NULL ? user : ""), g_strdup (login != NULL ? login : ""),
                        g_path_get_basename (home != NULL ? home : ""), g_strdup (host),
                        g_strndup (host, strcspn (host, ".")) };

  for (guint i = 0; i < G_N_ELEMENTS (own); i++)
    if (strlen (own[i]) > 1 && !g_strv_contains (common_names, own[i]))
      g_hash_table_add (users, own[i]);
    else
      g_free (own[i]);
}

/* Returns: (transfer full) */
static char *
jank_report_redact_hide (const char *text, const char *user)
{
  GString *left = g_string_new (NULL);
  const char *from = text;
  gsize n = strlen (user);

  for (const char *at; (at = strstr (from, user)) != NULL; from = at + n)
    {
      gboolean is_word = (at == text || strchr (IN_NAMES, at[-1]) == NULL) &&
                         (at[n] == '\0' || strchr (IN_NAMES, at[n]) == NULL);

      g_string_append_len (left, from, at - from);
      g_string_append (left, is_word ? "~" : user);
    }
  g_string_append (left, from);
  return g_string_free (left, FALSE);
}

static void
jank_report_redact_find_users_cb (const JankField *field, gpointer place, gconstpointer owner, gpointer users)
{
  jank_report_redact_find_users (users, jank_field_get_text (field, place));
}

/* What the rule of a text leaves, without those names. */
static void
jank_report_redact_cb (const JankField *field, gpointer place, gconstpointer owner, gpointer users)
{
  const char *text = jank_field_get_text (field, place);
  char *left = text != NULL ? jank_redact_text (text, field->redact, owner) : NULL;
  GHashTableIter iter;
  gpointer user;

  if (left != NULL && g_hash_table_size (users) > MAX_USERS)
    {
      g_free (left);
      left = g_strdup ("removed");
    }
  g_hash_table_iter_init (&iter, users);
  while (left != NULL && g_hash_table_iter_next (&iter, &user, NULL))
    {
      g_autofree char *before = left;

      left = jank_report_redact_hide (before, user);
    }
  if (text != NULL)
    jank_field_set_text (field, place, left);
  g_free (left);
}

void
jank_table_redact (const JankTable *self, gpointer object)
{
  g_autoptr (GHashTable) users = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  jank_report_redact_add_own (users);
  jank_table_each_text (self, object, jank_report_redact_find_users_cb, users);
  jank_table_each_text (self, object, jank_report_redact_cb, users);
}

void
jank_report_redact (JankReport *self)
{
  jank_table_redact (&jank_report_table, self);
}
