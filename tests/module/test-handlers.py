# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""What reports say of a stripped program's callbacks: what each is called for, or nothing where that is not certain."""

import tap
import watched


def find_descriptions(program):
    """What the reports say of each function of the program, by its offset."""
    found = {}
    for report in program.reports:
        for call in report["frames"]:
            if "module" in call and report["modules"][call["module"]]["path"] == f"{watched.HANDLERS}":
                found.setdefault(call["offset"] - call["symbol_offset"], set()).add(call.get("symbol"))
    return found


def test_described():
    program = watched.run(watched.HANDLERS, display=True, timeout_s=120)
    tap.check_equal(program.status, 0, "the exit status")
    found = find_descriptions(program)
    wrong = {offset: (expected, found.get(int(offset))) for offset, expected in program.truth.items()
             if expected is not None and found.get(int(offset)) != {expected}
             or expected is None and not found.get(int(offset), set()) <= {None, *BOTH}}
    tap.check_equal(wrong, {}, "descriptions, as expected and as found")
    sources = {report["source"].get("name") for report in program.reports if "source" in report}
    for end in ["callback of GTask “load the ledger”", ": D-Bus method org.example.Ledger.Load",
                ": D-Bus signal org.example.Ledger.Loaded"]:
        tap.check(any(f"{name}".endswith(end) for name in sources), end, "sources:", sources)
    tap.check(any(f"{name}".startswith("GFileMonitorSource: monitor of “/") and name.endswith("/ledger.txt”")
                  for name in sources), "sources:", sources)


# Two signals have one handler: a stall is of one of them.
BOTH = ("handler of GtkWidget::move-focus on #the_box", "handler of GtkWidget::hide on #the_box")

tap.add("described", test_described)
tap.main("/module/handlers")
