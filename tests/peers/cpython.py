# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""cpython.py MODULE: runs a unittest module, a class of it from each idle callback of GLib's loop, and prints TAP."""

import importlib
import os
import sys
import unittest

from gi.repository import GLib
from test import support


class Tap(unittest.TestResult):
    def say(self, result, test, remark=""):
        line = f"{result} - {test.id()}{remark}\n".encode("utf-8", "backslashreplace")
        # Tests replace sys.stdout.
        os.write(1, line)

    def explain(self, failures):
        os.write(2, failures[-1][1].encode("utf-8", "backslashreplace"))

    def addSuccess(self, test):
        super().addSuccess(test)
        self.say("ok", test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.say("ok", test, " # SKIP")

    def addExpectedFailure(self, test, error):
        super().addExpectedFailure(test, error)
        self.say("not ok", test, " # TODO")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.say("ok", test, " # TODO")

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.say("not ok", test)
        self.explain(self.failures)

    def addError(self, test, error):
        super().addError(test, error)
        self.say("not ok", test)
        self.explain(self.errors)

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self.say("not ok", test)


def split(suite):
    """The innermost suites: a test class each."""
    if any(isinstance(part, unittest.TestCase) for part in suite):
        return [suite]
    return [inner for part in suite for inner in split(part)]


def main(module):
    support.verbose = 0
    support.use_resources = ["cpu", "subprocess"]
    try:
        suites = split(unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(module)))
    except unittest.SkipTest as skip:
        print("1..0 # SKIP", skip)
        return 0
    result = Tap()

    def step():
        suites.pop(0).run(result)
        # Else the next class would find the module's fixtures taken down.
        result._previousTestClass = None
        return GLib.SOURCE_CONTINUE

    GLib.idle_add(step)
    context = GLib.MainContext.default()
    # Not a GLib.MainLoop: it ends at the interrupts that tests send.
    while suites:
        context.iteration(True)
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv.pop()))
