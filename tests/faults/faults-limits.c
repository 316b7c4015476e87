/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Memory that is counted, locked or used up, and an environment that moves. */

#include "faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define N_VARIABLES 200

/* In pages: all addresses, resident, shared, text, none, data. */
static gsize
read_pages (guint field)
{
  gsize pages[7] = { 0 };
  FILE *file = fopen ("/proc/self/statm", "re");

  for (guint i = 0; i < G_N_ELEMENTS (pages); i++)
    if (fscanf (file, "%zu", &pages[i]) != 1)
      break;
  fclose (file);
  return pages[field];
}

/* There is not a page more from now on; the program needs none. */
static void
limit (int resource, guint field)
{
  gsize page = (gsize) sysconf (_SC_PAGESIZE);
  struct rlimit before, now;

  getrlimit (resource, &before);
  now = before;
  now.rlim_cur = read_pages (field) * page;
  printf ("%d\n", setrlimit (resource, &now));
  faults_await_stalls (faults_n_rounds);
  printf ("%d\n", setrlimit (resource, &before));
}

static void limit_addresses (void) { limit (RLIMIT_AS, 0); }
static void limit_data      (void) { limit (RLIMIT_DATA, 5); }

/* What is mapped from now on is locked, and there is room for nothing more. */
static void
lock_all (void)
{
  const struct rlimit enough = { 1 << 30, 1 << 30 }, none = { 4096, 4096 };

  setrlimit (RLIMIT_MEMLOCK, &enough);
  printf ("%d ", mlockall (MCL_CURRENT | MCL_FUTURE));
  setrlimit (RLIMIT_MEMLOCK, &none);
  printf ("%d\n", setresuid (65534, 65534, 65534));
  faults_await_stalls (faults_n_rounds);
}

/* The list of variables moves all the time: another thread that looked for one would find memory that is freed. */
static void
change_environment (void)
{
  for (guint round = 0; round < faults_n_rounds; round++)
    {
      char name[32];

      clearenv ();
      for (guint i = 0; i < N_VARIABLES; i++)
        {
          snprintf (name, sizeof name, "VARIABLE_%u", i);
          setenv (name, "a value that is not so short", 1);
        }
    }
  printf ("%s\n", getenv ("VARIABLE_7"));
}

const FaultsCase faults_limits[] = {
  { "environment", change_environment }, { "limit-addresses", limit_addresses }, { "limit-data", limit_data },
  { "lock-all", lock_all }, { NULL, NULL },
};
