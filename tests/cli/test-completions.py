# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""bash, zsh and fish offer every command, option and value that there is, and none that is not."""

import os
import re
import shlex
import subprocess

import command
import tap
from tap import equal

program, completions = tap.arguments(2)

# compadd alone tells what zsh would show.
ZSH = """
words=({words})
CURRENT={n}
compadd () {{ [[ $1 == -S ]] && shift 2; [[ $1 == -- ]] && shift; print -rl -- "$@" }}
_files () {{ }}
source {file}
"""
BASH = """
source {file}
COMP_WORDS=({words})
COMP_CWORD={last}
_jankwatch {program}
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
FISH = """
source {file}
complete -C {line}
"""


def offered(jankwatch, shell, *words):
    """What the shell offers for the last word. The command is the first of the path."""
    folder = os.path.dirname(os.path.abspath(program))
    words = ["jankwatch", *words]
    name = {"bash": "jankwatch", "zsh": "_jankwatch", "fish": "jankwatch.fish"}[shell]
    script = {"bash": BASH, "zsh": ZSH, "fish": FISH}[shell].format(
        file=shlex.quote(os.path.join(completions, name)), words=" ".join(map(shlex.quote, words)), n=len(words),
        last=len(words) - 1, program="jankwatch", line=shlex.quote(" ".join(words)))
    arguments = {"bash": ["--norc", "--noprofile"], "zsh": ["-f"], "fish": ["--no-config"]}[shell]
    result = subprocess.run([shell, *arguments, "-c", script], capture_output=True, text=True, timeout=100,
                            cwd=jankwatch.home,
                            env={**jankwatch.environment, "PATH": folder + os.pathsep + os.environ["PATH"]})
    equal((shell, result.returncode, result.stderr), (shell, 0, ""))
    found = {line.split("\t")[0] for line in result.stdout.splitlines()}
    if shell == "bash":
        found = {part for line in found for part in shlex.split(line)}
    # bash and fish leave out what does not fit, which zsh's compadd does by itself; fish offers folders, too.
    return {word for word in found if word.startswith(words[-1]) and not word.endswith("/")}


def commands_of(jankwatch):
    lines = jankwatch.run("--help").stdout.splitlines()
    begin = lines.index("Commands:") + 1
    return [line.split()[0] for line in lines[begin:lines.index("", begin)]]


def check_words(jankwatch, shell):
    commands = commands_of(jankwatch)
    equal(offered(jankwatch, shell, ""), {*commands, "--help", "--version"})
    equal(offered(jankwatch, shell, "sh"), {"show"})
    equal(offered(jankwatch, shell, "help", ""), set(commands))
    for name in commands:
        options = set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", jankwatch.run(name, "--help").stdout, re.MULTILINE))
        equal((name, offered(jankwatch, shell, name, "--")), (name, options))


def check_values(jankwatch, shell):
    equal(offered(jankwatch, shell, "list", "--kind", "s"), {"stall", "startup", "spin"})
    equal(offered(jankwatch, shell, "summary", "--since", "l"), {"last-look"})
    equal(offered(jankwatch, shell, "session", "o"), {"on", "off"})
    equal(offered(jankwatch, shell, "list", "--severity", "m"), {"minor", "microhang"})
    equal(offered(jankwatch, shell, "list", "--sort", "t"), {"time", "total"})
    equal(offered(jankwatch, shell, "top", "--sort", "t"), {"trouble"})
    equal(offered(jankwatch, shell, "summary", "--by", ""), {"problem", "app", "extension", "window", "tag", "source"})
    equal(offered(jankwatch, shell, "run", "--annotate", "git"), {"github", "gitlab"})
    equal(offered(jankwatch, shell, "run", "--set", "ping"), {"ping-interval=", "ping-timeout="})
    equal(offered(jankwatch, shell, "export", "--format", "s") - {"sysprof"}, {"speedscope"})
    equal(offered(jankwatch, shell, "show", "l"), {"latest"})


def check(jankwatch, shell):
    check_words(jankwatch, shell)
    check_values(jankwatch, shell)


def test_bash(jankwatch):
    check(jankwatch, "bash")


def test_zsh(jankwatch):
    check(jankwatch, "zsh")


def test_fish(jankwatch):
    check(jankwatch, "fish")


def test_parted(jankwatch):
    """bash makes three words of “--format=sp”, and wants the last."""
    equal(offered(jankwatch, "bash", "export", "--format", "=", "sp"), {"speedscope"})


command.add_all(globals(), program)
tap.main("/cli/completions")
