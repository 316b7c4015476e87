# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A stall inside one system call that computes names that call and who made it."""

import json
import os

import command
import tap

program, kernel = map(os.path.abspath, tap.arguments(2))


def test_c(jankwatch):
    result = jankwatch.run("run", "--", kernel)
    assert result.returncode == 0, result
    report = json.loads(jankwatch.run("show", "--json").stdout)
    samples = [sample for sample in report["samples"] if sample.get("kernel", "").startswith("mmap")]
    assert samples, report
    names = [report["frames"][frame].get("symbol") for frame in report["stacks"][samples[0]["stack"]]]
    assert "open_image" in names, names
    assert report["culprit"]["function"] == "open_image", report["culprit"]
    assert f"in the kernel ({samples[0]['kernel']})" in command.unwrapped(jankwatch.run("show").stdout), report


command.add_all(globals(), program)
tap.main("/cli/kernel")
