/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* When is a busy period a stall, and what is due at a moment of it? Pure functions of times: no clock,
 * no thread, no state. All times are CLOCK_MONOTONIC nanoseconds. */

#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct
{
  int64_t threshold_ns;    /* a busy period at least this long is a stall */
  int64_t first_sample_ns; /* into a busy period: the first stack */
  int64_t interval_ns;     /* between stacks */
  int64_t record_ns;       /* shorter busy periods than stalls are told from this length on; 0: none */
  int64_t park_ns;         /* waiting for this long, the loop is idle */
  int64_t spin_turns;      /* a second, without waiting: more is a spin; 0: not looked for */
  int64_t spin_ns;         /* for at least so long */
  int64_t cpu_percent;     /* of one CPU, of the process or a thread: more is reported; 0: not looked for */
  int64_t cpu_ns;          /* for at least so long */
} JankStallRule;

/* The shortest busy period whose end must be told. */
int64_t jank_stall_rule_shortest    (const JankStallRule *rule);

/* The loop has been busy since began_ns, excluded_ns of that do not count. */
bool    jank_stall_rule_is_stall    (const JankStallRule *rule, int64_t began_ns, int64_t now_ns, int64_t excluded_ns);

/* When to look next at a loop that is busy since began_ns; last_sample_ns is 0 before the first stack. After fifty
 * intervals they grow with the stall, to four times their length: each stack stands for a fiftieth of it, or less. */
int64_t jank_stall_rule_next_sample (const JankStallRule *rule, int64_t began_ns, int64_t last_sample_ns);

/* Whether a loop that is neither idle nor late, in n_calm looks in a row, needs no look every first_sample_ns. */
bool    jank_stall_rule_is_calm     (uint32_t n_calm);

/* How long after a busy period of a calm loop has begun the first look at it is due: with the first sample as late as
 * that the threshold is not missed, and a look costs the watcher 20 to 60 us, all but 2 of it the kernel's for waking it. */
int64_t jank_stall_rule_calm_look   (const JankStallRule *rule);

bool    jank_stall_rule_may_park    (const JankStallRule *rule, int64_t waiting_since_ns, int64_t now_ns);

/* A thread meant to wake at deadline_ns, woke at now_ns, and for run_delay_ns in between it was runnable
 * without a CPU. What is left of its lateness it spent stopped (SIGSTOP, cgroup freezer, debugger);
 * lateness under 20 ms is noise. */
int64_t jank_stall_rule_stopped     (int64_t deadline_ns, int64_t now_ns, int64_t run_delay_ns);

/* Whether that stop of stopped_ns was one of the observed thread, too, which computed for computed_ns (-1: not known) since
 * the watcher fell asleep at slept_ns. Where the host takes one CPU of a virtual machine away, the watcher stands still and
 * a thread that computes on the other one does not; one that sleeps wakes when it would have without that, and is not
 * believed a stop under 100 ms: who stops a program stops it for longer. */
bool    jank_stall_rule_is_shared   (int64_t slept_ns, int64_t deadline_ns, int64_t now_ns, int64_t stopped_ns,
                                     int64_t computed_ns);
