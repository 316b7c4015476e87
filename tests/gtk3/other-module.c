/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A module of somebody else's. */

#include <stdio.h>

void gtk_module_init (int *argc, char ***argv);

void
gtk_module_init (int *argc, char ***argv)
{
  puts ("the other module is here");
}
