/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What `staller hostile throw` repeats: an exception thrown below frames with destructors and caught above them. */

#include <stdexcept>

namespace
{

struct Counter
{
  explicit Counter (unsigned &counted) : counter (counted) {}
  ~Counter () { counter++; }

  unsigned &counter;
};

[[gnu::noinline]] void
descend (unsigned n_left, unsigned &n_destroyed)
{
  Counter counter (n_destroyed);

  if (n_left == 0)
    throw std::runtime_error ("expected");
  descend (n_left - 1, n_destroyed);
}

} // namespace

/* Returns whether the exception came with every frame's destructor run. */
extern "C" int
hostile_throw_and_catch (unsigned depth)
{
  unsigned n_destroyed = 0;

  try
    {
      descend (depth, n_destroyed);
    }
  catch (const std::runtime_error &)
    {
      return n_destroyed == depth + 1;
    }
  return 0;
}
