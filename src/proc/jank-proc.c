/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proc/jank-proc-private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/jank-memory-private.h"

#define ELLIPSIS "…"

/* Of a text that is read whole: of 1,500 mappings, say. */
#define MAX_LONG_BYTES (128 << 10)

void
jank_proc_path (char *ret_path, gsize n_bytes, pid_t pid, const char *format, ...)
{
  va_list arguments;
  gsize n;

  if (pid == 0)
    pid = jank_memory_get_other ();
  n = (gsize) (pid == 0 ? g_snprintf (ret_path, n_bytes, "/proc/self/") :
                          g_snprintf (ret_path, n_bytes, "/proc/%d/", (int) pid));
  va_start (arguments, format);
  if (n < n_bytes)
    g_vsnprintf (ret_path + n, n_bytes - n, format, arguments);
  va_end (arguments);
}

int
jank_proc_open (const char *path)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC);

  return fd >= 0 ? fd : -errno;
}

gboolean
jank_proc_read (const char *path, char *buffer, gsize n_bytes)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd >= 0 ? read (fd, buffer, n_bytes - 1) : -1;

  if (fd >= 0)
    close (fd);
  buffer[MAX (n, 0)] = '\0';
  return n > 0;
}

char *
jank_proc_read_field (pid_t pid, const char *field, const char *format, ...)
{
  g_autofree char *name = NULL;
  char path[64], text[4096];
  va_list arguments;

  va_start (arguments, format);
  name = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  jank_proc_path (path, sizeof path, pid, "%s", name);
  if (!jank_proc_read (path, text, sizeof text))
    return NULL;
  for (char *line = text; line != NULL; line = strchr (line, '\n'))
    {
      line += *line == '\n';
      if (g_str_has_prefix (line, field))
        return g_strstrip (g_strndup (line + strlen (field), strcspn (line + strlen (field), "\n")));
    }
  return NULL;
}

gint64
jank_proc_to_number (char *field)
{
  g_autofree char *text = field;

  return text != NULL && g_ascii_isdigit (*text) ? g_ascii_strtoll (text, NULL, 10) : -1;
}

char
jank_proc_read_state (pid_t pid, pid_t tid)
{
  char path[64], text[512];
  const char *name_end;

  jank_proc_path (path, sizeof path, pid, "task/%d/stat", (int) tid);
  name_end = jank_proc_read (path, text, sizeof text) ? strrchr (text, ')') : NULL;
  return name_end != NULL && name_end[1] == ' ' ? name_end[2] : '\0';
}

char *
jank_proc_read_long (const char *path)
{
  GString *text = g_string_new (NULL);
  int fd = jank_proc_open (path);
  char page[4096];

  for (ssize_t n; fd >= 0 && text->len <= MAX_LONG_BYTES && (n = read (fd, page, sizeof page)) > 0;)
    g_string_append_len (text, page, n);
  if (fd >= 0)
    close (fd);
  if (text->len > MAX_LONG_BYTES)
    g_string_truncate (text, 0);
  return g_string_free (text, FALSE);
}

gboolean
jank_proc_read_link (const char *path, char *buffer, gsize n_bytes)
{
  ssize_t n = readlink (path, buffer, n_bytes - 1);

  buffer[MAX (n, 0)] = '\0';
  return n > 0;
}

void
jank_proc_text (char *ret_text, gsize n_bytes, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  const char *kept = valid;
  gsize n = strlen (valid);

  for (char *p = valid; *p != '\0'; p++)
    if (g_ascii_iscntrl (*p))
      *p = '?';
  if (n < n_bytes)
    {
      memcpy (ret_text, valid, n + 1);
      return;
    }

  kept = valid + n - (n_bytes - 1 - strlen (ELLIPSIS));
  if ((*kept & 0xc0) == 0x80)
    kept = g_utf8_find_next_char (kept, NULL);
  g_snprintf (ret_text, n_bytes, ELLIPSIS "%s", kept);
}

void
jank_proc_get_name (pid_t pid, char *ret_name, gsize n_bytes)
{
  char path[48], name[64];

  g_snprintf (path, sizeof path, "/proc/%d/comm", (int) pid);
  if (pid > 0 && jank_proc_read (path, name, sizeof name))
    jank_proc_text (ret_name, n_bytes, g_strchomp (name));
  else
    ret_name[0] = '\0';
}

pid_t
jank_proc_get_own_number (pid_t pid, pid_t tid)
{
  g_autofree char *numbers = NULL;
  const char *last;

  if (pid == 0 && jank_memory_get_other () == 0)
    return tid;
  numbers = jank_proc_read_field (pid, "NSpid:", "task/%d/status", (int) tid);
  last = numbers != NULL ? strrchr (numbers, '\t') : NULL;
  return last != NULL ? atoi (last + 1) : tid;
}

pid_t
jank_proc_find_thread (pid_t pid, pid_t number)
{
  g_autoptr (GDir) tasks = NULL;
  char path[48];
  const char *name;

  pid = pid != 0 ? pid : jank_memory_get_other ();
  jank_proc_path (path, sizeof path, pid, "task/%d", (int) number);
  if (number <= 0 || pid == 0 || jank_proc_get_own_number (pid, pid) == pid)
    return number > 0 && access (path, F_OK) == 0 ? number : 0;
  jank_proc_path (path, sizeof path, pid, "task");
  tasks = g_dir_open (path, 0, NULL);
  while (tasks != NULL && (name = g_dir_read_name (tasks)) != NULL)
    if (jank_proc_get_own_number (pid, atoi (name)) == number)
      return atoi (name);
  return 0;
}
