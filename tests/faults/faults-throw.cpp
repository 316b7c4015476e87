/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "faults.h"

#include <stdexcept>

static guint
go_down (guint depth)
{
  if (depth == 0)
    throw std::runtime_error ("the bottom");
  return go_down (depth - 1) + 1;
}

guint
faults_throw (guint n, guint depth)
{
  guint n_caught = 0;

  for (guint i = 0; i < n; i++)
    try
      {
        go_down (depth);
      }
    catch (const std::exception &)
      {
        n_caught++;
      }
  return n_caught;
}
