# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""The table of kinds: each way to wait, and what a report must say of it. runs=20 asks for each so many times."""

import kinds
import tap

# These need the machine for themselves: test-computing.py; or are held against other truths: test-unsteady.py,
# test-planted.py, cli/locks.
ELSEWHERE = ("compute", "split", "change", "mixed", "masked", "preempted", "malloc", "major-faults", "dlopen",
             "dl-iterate-phdr", "spin", "calm", "turned", "many", "churn",
             "hung", "slow-dlopen", "kernel", "recorded", "awaited")

N_RUNS = tap.setting("runs", 1)

WAITS = [kind for kind in kinds.all_kinds() if not kind.startswith(ELSEWHERE)]


for name in WAITS:
    tap.add(f"{name}", kinds.run_table, name, N_RUNS)
tap.main("/module/kinds", n_at_once=4)
