/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "watch/jank-finders-private.h"

extern const JankFinder jank_strict_watch, jank_spin_watch, jank_cpu_watch, jank_watch_post_ticks, jank_loop_watch,
  jank_frame_watch, jank_starved_watch;

const JankFinder *const jank_finders[] = {
  &jank_strict_watch, /* before anything else is looked at, which may forget what the engine was asked */
  &jank_spin_watch,
  &jank_cpu_watch,
  &jank_watch_post_ticks,
  &jank_loop_watch,
  &jank_frame_watch,
  &jank_starved_watch, /* a stall in the turn that gave an answer has been told by then */
};
