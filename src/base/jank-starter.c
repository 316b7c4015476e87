/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/jank-starter-private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
jank_starter_read_marks (char *ret_marks)
{
  const char *bus = getenv ("DBUS_STARTER_ADDRESS"), *service = getenv ("SYSTEMD_EXEC_PID");

  snprintf (ret_marks, JANK_STARTER_BYTES, "%s %s", bus != NULL ? bus : "", service != NULL ? service : "");
}

bool
jank_starter_is_service (void)
{
  const char *run = getenv (JANK_STARTER_VARIABLE);
  char marks[JANK_STARTER_BYTES];

  if (run == NULL)
    return false;
  jank_starter_read_marks (marks);
  return strcmp (marks, run) != 0;
}
