# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Runs the subtests of one script and prints the Test Anything Protocol.

After a script's own arguments, NAME=VALUE on the command line changes one of its settings; any other word selects the
subtests whose names contain it."""

import concurrent.futures
import sys
import traceback

_subtests = []
_words = sys.argv[1:]


class Skip(Exception):
    """Raised by a subtest that this machine or this user cannot run; its text says why."""


def arguments(n):
    """The first n words of the command line."""
    taken = _words[:n]
    del _words[:n]
    return taken


def rest():
    """All words that are left, of a script without settings."""
    return arguments(len(_words))


def setting(name, default):
    """The number given as NAME=VALUE on the command line."""
    for word in _words:
        key, equals, value = word.partition("=")
        if equals and key == name:
            return type(default)(value)
    return default


def add(name, function, *arguments):
    """Runs function(*arguments) as the subtest NAME. The text it returns, if any, is printed beside it."""
    _subtests.append((name, function, arguments))


def add_all(namespace):
    """Adds each test_some_name() of a script's globals() that takes nothing as some-name."""
    for name, value in namespace.items():
        if name.startswith("test_") and value.__code__.co_argcount == 0:
            add(name.removeprefix("test_").replace("_", "-"), value)


def check(holds, *what):
    if not holds:
        raise AssertionError(" ".join(str(part) for part in what))


def check_equal(value, expected, what="it"):
    check(value == expected, f"{what} is {value!r}, not {expected!r}")


equal = check_equal


def check_between(value, low, high, what):
    check(low <= value <= high, f"{what} is {value!r}, not from {low!r} to {high!r}")


def contains(text, part):
    check(part in text, f"no {part!r} in {text!r}")


def _run(function, arguments):
    """Returns whether it passed, what follows the name, and the lines that explain."""
    try:
        remark = function(*arguments)
    except Skip as skip:
        return True, f" # SKIP {skip}", []
    except Exception as error:
        lines = traceback.format_exception_only(error) + traceback.format_tb(error.__traceback__)
        return False, "", "".join(lines).rstrip("\n").split("\n")
    return True, "", remark.split("\n") if remark else []


def main(prefix, n_at_once=1):
    """Runs what was added as PREFIX/NAME, so many at a time, and prints the results in order. Does not return."""
    words = [word for word in _words if "=" not in word]
    chosen = [(f"{prefix}/{name}", *rest) for name, *rest in _subtests
              if not words or any(word in f"{prefix}/{name}" for word in words)]
    all_passed = True

    sys.stdout.reconfigure(line_buffering=True, errors="backslashreplace")
    print("TAP version 13")
    print(f"1..{len(chosen)}")
    with concurrent.futures.ThreadPoolExecutor(n_at_once) as executor:
        results = executor.map(lambda entry: _run(*entry[1:]), chosen)
        for number, ((name, *_), (passed, directive, lines)) in enumerate(zip(chosen, results), 1):
            print("ok" if passed else "not ok", number, name + directive)
            # Of a test that fails, Meson shows the standard error only.
            for line in lines:
                print("#", line, file=sys.stdout if passed else sys.stderr)
            all_passed = all_passed and passed
    sys.exit(0 if all_passed else 1)
