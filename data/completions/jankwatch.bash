# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

# Completes jankwatch in bash: the command itself says with what.

_jankwatch ()
{
  local i

  # What run watches has words of its own.
  for ((i = 2; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[1]} == run && ${COMP_WORDS[i]} == -- ]] && declare -F _command_offset >/dev/null; then
      _command_offset $((i + 1))
      return
    fi
  done
  mapfile -t COMPREPLY < <("$1" --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  for i in "${!COMPREPLY[@]}"; do
    printf -v "COMPREPLY[$i]" %q "${COMPREPLY[i]}"
  done
  # What a value follows.
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then
    compopt -o nospace 2>/dev/null
  fi
}

complete -o bashdefault -o default -F _jankwatch jankwatch
