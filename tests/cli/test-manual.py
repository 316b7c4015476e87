# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""The manual names every command, option, setting and preset that there is, and none that is not."""

import json
import re

import command
import tap
from tap import contains, equal

program, loop_program, manual, conf, readme = tap.arguments(5)

def read_lines(page):
    with open(page, encoding="utf-8") as file:
        return [line.rstrip("\n").replace("\\-", "-") for line in file]


LINES, CONF = read_lines(manual), read_lines(conf)

OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")


def words(line):
    """A line of the manual without its request, quotes and changes of font."""
    return re.sub(r"\\f.", "", re.sub(r"^\.[A-Z]+ ", "", line)).replace('"', "")


def section(title, lines=LINES):
    begin = lines.index(f".SH {title}") + 1
    end = next((i for i in range(begin, len(lines)) if lines[i].startswith(".SH ")), len(lines))
    return lines[begin:end]


def tags(lines):
    """What is explained: the line after each .TP."""
    return [words(lines[i + 1]) for i in range(len(lines) - 1) if lines[i] == ".TP"]


def help_of(jankwatch, command):
    result = jankwatch.run(command, "--help")
    equal((result.returncode, result.stderr), (0, ""))
    return set(re.findall(r"^  (?:-\w, )?--([a-z-]+)", result.stdout, re.MULTILINE)) - {"help"}


def commands_of(jankwatch):
    lines = jankwatch.run("--help").stdout.splitlines()
    begin = lines.index("Commands:") + 1
    return [line.split()[0] for line in lines[begin:lines.index("", begin)]]


def explained():
    """Options under each command of the section COMMANDS."""
    found, command = {}, None
    for tag in tags(section("COMMANDS")):
        if tag.startswith("-"):
            found[command].add(OPTION.search(tag).group(1))
        else:
            command = tag.split()[0]
            found[command] = set()
    return found


def synopsis():
    found, command = {}, None
    lines = section("SYNOPSIS")
    for i, line in enumerate(lines):
        if line == ".SY jankwatch":
            command = words(lines[i + 1]).strip()
            found.setdefault(command, set())
        elif command is not None:
            found[command].update(OPTION.findall(words(line)))
    return found


def filtered():
    """Commands that take filters."""
    parts = "\n".join(section("SYNOPSIS")).split(".SY jankwatch\n.B ")[1:]
    return {part.split()[0] for part in parts if "FILTER" in part}


def test_commands(jankwatch):
    commands = commands_of(jankwatch)
    assert len(commands) >= 6, commands
    equal(list(explained()), commands)
    equal(list(synopsis()), commands)


def test_options(jankwatch):
    common = {tag.split()[0].removeprefix("--") for tag in tags(section("OPTIONS"))}
    equal(common, {"store", "help", "version"})
    filters = {tag.split()[0].removeprefix("--") for tag in tags(section("FILTERS"))}
    for command in commands_of(jankwatch):
        options = help_of(jankwatch, command)
        equal((command, command in filtered()), (command, options >= filters))
        options -= filters if options >= filters else set()
        equal((command, synopsis()[command]), (command, options))
        equal((command, explained()[command]), (command, options - common))


def test_formats(jankwatch):
    """A build may lack a format; the manual has them all."""
    text = jankwatch.run("export", "--help").stdout
    built = re.findall(r"^  ([a-z]+) ", text[text.index("Formats:"):], re.MULTILINE)
    lines = section("COMMANDS")
    begin = next(i for i, line in enumerate(lines) if line.startswith(".BR -f "))
    listed = [words(line) for line in lines[begin:lines.index(".RE", begin)] if line.startswith(".IP")]
    assert set(built) <= set(listed) and len(listed) == len(set(listed)) == 10, (built, listed)


def test_settings(jankwatch):
    """The manual has the settings that there are; a watched program that meets another one sends there."""
    keys = [re.match(r"([a-z-]+)=", tag.strip()).group(1) for tag in tags(section("SETTINGS", CONF))]
    errors = jankwatch.run("run", "--", loop_program, JANKWATCH_CONFIG="no-such-setting=1").stderr
    contains(errors, "no-such-setting")
    contains(errors, "jankwatch.conf(5)")
    known = defaults_of(jankwatch)
    assert len(known) >= 30, known
    equal(sorted(keys), sorted(known))


def entries(lines):
    """What the manual says of each setting, in words."""
    text = [words(line).strip() for line in lines]
    begins = [i for i, line in enumerate(lines) if line == ".TP"]
    return {re.match(r"([a-z-]+)=", text[i + 1]).group(1): " ".join(text[i + 2:end])
            for i, end in zip(begins, begins[1:] + [len(lines)])}


def defaults_of(jankwatch):
    listed = jankwatch.run("run", "--help").stdout
    listed = re.sub(r"\s+", " ", listed[listed.index("threshold="):])
    return dict(setting.strip().split("=", 1) for setting in listed.split(", "))


# Their defaults are no values.
IN_WORDS = {"signal", "rule", "preset", "observer", "store", "app-version", "on-report", "send-to",
            "frame-log"}


def test_defaults(jankwatch):
    """The program knows its defaults; both pages and the README say the same."""
    defaults = defaults_of(jankwatch)
    chosen, everything = entries(section("SETTINGS")), entries(section("SETTINGS", CONF))
    equal(sorted(defaults), sorted(everything))
    equal(len(chosen), 10)
    for key, text in [*everything.items(), *chosen.items()]:
        contains(text, "default")
        if key not in IN_WORDS:
            said = re.search(r"default ([\d.]+ (?:ms|s|M)\b|[^ .;:,]+(?:\.\d+)?)", text).group(1).replace(" ", "")
            equal((key, said), (key, "0" if defaults[key] == "0s" else defaults[key]))
    with open(readme, encoding="utf-8") as file:
        equal(re.findall(r"`([a-z-]+)=\w+` [^`]*\(`(\w+)` by default", file.read()),
              [("threshold", defaults["threshold"])])


def test_presets(jankwatch):
    text = "\n".join(section("SETTINGS", CONF))
    entry = text[text.index(".BI preset= NAME"):text.index("A preset sets the settings")]
    named = set(re.findall(r"^\.BR? ([a-z]+)", entry, re.MULTILINE))
    names = {preset["preset"] for preset in json.loads(jankwatch.run("presets", "--json").stdout)}
    equal(named, names)
    assert len(names) >= 9, names


command.add_all(globals(), program)
tap.main("/cli/manual")
