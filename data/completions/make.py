# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""make.py JANKWATCH bash|zsh|fish: prints a completion of the commands, options and values that its --help lists."""

import os
import re
import subprocess
import sys

program, shell = sys.argv[1:]
ENVIRONMENT = {**os.environ, "LC_ALL": "C.UTF-8", "LANGUAGE": ""}
HEAD = "# SPDX-FileCopyrightText: the jankwatch authors\n# SPDX-License-Identifier: LGPL-2.1-or-later\n"


def ask(*words):
    return subprocess.run([program, *words], env=ENVIRONMENT, text=True, check=True, capture_output=True).stdout


def values_of(option, text, whole):
    """What an option takes, by its description and the list below all options."""
    if option == "--format":
        return re.findall(r"^  (\w+) ", whole.partition("\nFormats:\n")[2], re.MULTILINE)
    if option == "--set":
        return re.findall(r"([a-z0-9-]+=)[^,\s]*(?:,|$)", whole.partition("defaults:\n")[2], re.MULTILINE)
    if option in ("--kind", "--severity"):
        return re.split(r", | or ", re.sub(r".*?: |;.*", "", text))
    return re.findall(r"“([a-z-]+)”", text)


commands = re.findall(r"^  (\S+)", ask("--help").partition("Commands:\n")[2].partition("\n\n")[0], re.MULTILINE)
options, values = {}, {}
for command in commands:
    said = ask(command, "--help")
    found = re.findall(r"^  (?:(-\w), )?(--[a-z-]+)(=\S+)?\s+(.*)$", said.partition("Settings in")[0], re.MULTILINE)
    options[command] = [name for _, name, *_ in found]
    for short, name, takes, text in found:
        words = values_of(name, text, said) if takes else []
        if words:
            values[command, name] = values[command, short or name] = words
options[""] = ["--help", "--version"]
arguments = {"session": ["on", "off", "status"], **dict.fromkeys(["show", "export", "report-bug"], ["latest"])}


def cases(word):
    """Of what stands before the word; in bash and zsh alike."""
    yield f"    {word},*) found='{' '.join(commands + options[''])}' ;;"
    for (command, option), words in values.items():
        yield f"    *,{command},{option}) found='{' '.join(words)}' ;;"
    yield f"    *,help,*) found='{' '.join(commands)}' ;;"
    for command in commands:
        yield f"    *,{command},*) found='{' '.join(arguments.get(command, []))}'"
        yield f"      [[ $part == -* ]] && found='{' '.join(options[command])}' ;;"


if shell == "bash":
    print(HEAD + """
_jankwatch ()
{
  local part=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} found= i

  # What run watches has words of its own.
  for ((i = 2; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[1]} == run && ${COMP_WORDS[i]} == -- ]] && declare -F _command_offset >/dev/null; then
      _command_offset $((i + 1))
      return
    fi
  done
  # bash parts “--format=brief” into three words.
  [[ $previous == = ]] && previous=${COMP_WORDS[COMP_CWORD - 2]}
  [[ $part == = ]] && part=
  case $COMP_CWORD,${COMP_WORDS[1]},$previous in""", *cases("1"), """  esac
  COMPREPLY=($(compgen -W "$found" -- "$part"))
  if [[ ${COMPREPLY[0]} == *= ]]; then
    compopt -o nospace 2>/dev/null
  fi
}

complete -o bashdefault -o default -F _jankwatch jankwatch""", sep="\n")
elif shell == "zsh":
    print("#compdef jankwatch\n" + HEAD + """
_jankwatch ()
{
  local found= part=${words[CURRENT]}

  if [[ ${words[2]} == run && ${words[(i)--]} -lt $CURRENT ]]; then
    shift ${words[(i)--]} words
    ((CURRENT -= ${#words}))
    _normal
    return
  fi
  case $CURRENT,${words[2]},${words[CURRENT - 1]} in""", *cases("2"), """  esac
  [[ -n $found ]] && compadd -- ${=found} || _files
}

_jankwatch "$@\"""", sep="\n")
else:
    print(HEAD)
    print(f"complete -c jankwatch -n __fish_use_subcommand -a '{' '.join(commands + options[''])}'")
    print(f"complete -c jankwatch -n '__fish_seen_subcommand_from help' -a '{' '.join(commands)}'")
    for command in commands:
        condition = f"-n '__fish_seen_subcommand_from {command}'"
        if command in arguments:
            print(f"complete -c jankwatch {condition} -a '{' '.join(arguments[command])}'")
        for name in options[command]:
            words = values.get((command, name))
            print(f"complete -c jankwatch {condition} -l {name[2:]}" + (f" -xa '{' '.join(words)}'" if words else ""))
