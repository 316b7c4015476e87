/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions to find: exported, static, under several names, with a version. Nothing calls them. */

__attribute__ ((visibility ("default"))) int   jank_fixture_exported   (int x);
__attribute__ ((visibility ("default"))) void *jank_fixture_get_static (void);
__attribute__ ((visibility ("default"))) int   __jank_fixture_alias    (int x);
__attribute__ ((visibility ("default"))) int   jank_fixture_alias      (int x);
__attribute__ ((visibility ("default"))) int   jank_fixture_other_alias (int x);
__attribute__ ((visibility ("default"))) int   versioned_implementation (int x);

static __attribute__ ((noinline, used)) int
fixture_static (int x)
{
  volatile int y = x;

  return y * 3 + 1;
}

int
jank_fixture_exported (int x)
{
  volatile int y = x;

  return y * 5 + 2;
}

void *
jank_fixture_get_static (void)
{
  return (void *) fixture_static;
}

int
__jank_fixture_alias (int x)
{
  volatile int y = x;

  return y * 7 + 3;
}

int jank_fixture_alias (int x) __attribute__ ((weak, alias ("__jank_fixture_alias")));
int jank_fixture_other_alias (int x) __attribute__ ((alias ("__jank_fixture_alias")));

__asm__ (".symver versioned_implementation, jank_fixture_versioned@@JANK_FIXTURE_1");

int
versioned_implementation (int x)
{
  volatile int y = x;

  return y * 11 + 4;
}
