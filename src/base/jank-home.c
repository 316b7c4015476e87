/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/jank-home-private.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <glib/gi18n-lib.h>

#define PASSWD_BYTES (64 * 1024)

/* Returns: (transfer full) (nullable) */
static char *
jank_home_get_home (void)
{
  const char *home = g_getenv ("HOME");
  g_autofree char *buffer = NULL;
  struct passwd entry, *found = NULL;

  if (home == NULL || !g_path_is_absolute (home))
    {
      buffer = g_malloc (PASSWD_BYTES);
      if (getpwuid_r (getuid (), &entry, buffer, PASSWD_BYTES, &found) != 0 || found == NULL)
        return NULL;
      home = found->pw_dir;
    }
  return home != NULL && g_path_is_absolute (home) ? g_strdup (home) : NULL;
}

/* Returns: (transfer full) (nullable) */
static char *
jank_home_get_file (const char *variable, const char *below_home, const char *file)
{
  const char *folder = g_getenv (variable);
  g_autofree char *home = NULL;

  if (folder != NULL && g_path_is_absolute (folder))
    return g_build_filename (folder, file, NULL);
  home = jank_home_get_home ();
  return home != NULL ? g_build_filename (home, below_home, file, NULL) : NULL;
}

char *
jank_home_get_store (void)
{
  char *store = jank_home_get_file ("XDG_STATE_HOME", ".local/state", "jankwatch");

  return store != NULL ? store : g_strdup (JANK_HOME_NO_STORE);
}

const char *
jank_home_explain (const char *folder, int number)
{
  if (folder != NULL && !g_str_has_prefix (folder, JANK_HOME_NO_STORE))
    return number == EPERM ? _("it belongs to another user")
           : number == ELOOP ? _("it is a symbolic link that is not followed") : g_strerror (number);
  return _("neither the variable that names the folder nor HOME is an absolute path, and the user has no home folder");
}

/* Takes fd. Another user's folder may only be read; root may write to every folder. Returns: fd, -1 with errno */
static gint
jank_home_check (gint fd, gboolean writes)
{
  struct stat info;
  uid_t user = geteuid ();

  if (fd < 0 || !writes || user == 0 || (fstat (fd, &info) == 0 && (info.st_uid == user || info.st_uid == 0)))
    return fd;
  close (fd);
  errno = EPERM;
  return -1;
}

gint
jank_home_open_folder (const char *folder, const char *below, JankHomeUse use)
{
  const gint flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  struct stat info;
  gint root, fd, number;

  if (use == JANK_HOME_MAKE && g_mkdir_with_parents (folder, 0700) != 0)
    return -1;
  root = open (folder, flags);
  if (root < 0 && lstat (folder, &info) == 0 && S_ISLNK (info.st_mode))
    {
      if (info.st_uid == geteuid () || info.st_uid == 0)
        root = open (folder, flags & ~O_NOFOLLOW);
      else
        errno = ELOOP;
    }
  root = jank_home_check (root, use != JANK_HOME_READ);
  if (root < 0 || below == NULL)
    return root;
  if (use != JANK_HOME_READ)
    mkdirat (root, below, 0700);
  fd = jank_home_check (openat (root, below, flags), use != JANK_HOME_READ);
  number = fd < 0 && errno == ENOTDIR && fstatat (root, below, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISLNK (info.st_mode) ? ELOOP : errno;
  close (root);
  errno = number;
  return fd;
}

char *
jank_home_get_config (const char *file)
{
  return jank_home_get_file ("XDG_CONFIG_HOME", ".config", file);
}

char *
jank_home_get_settings (void)
{
  return jank_home_get_config ("jankwatch/settings.conf");
}
