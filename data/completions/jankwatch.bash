# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

# Completes jankwatch in bash, from what the command itself says of its commands and options.

_jankwatch_words ()
{
  local jankwatch=$1 command=$2 previous=$3

  case $previous in
    --kind) echo stall startup frame spin cpu; return ;;
    --severity) echo minor microhang hang frozen; return ;;
    --sort)
      [[ $command == top ]] && echo trouble program stalls hangs overhead || echo time length count total program culprit
      return ;;
    --annotate) echo github gitlab; return ;;
    --format | -f) LC_ALL=C "$jankwatch" export --help 2>/dev/null | awk '/^Formats:/ { on = 1; next } on { print $1 }'; return ;;
    --since | --until) echo today yesterday 2h 1d 1w; return ;;
  esac
  if [[ -z $command ]]; then
    LC_ALL=C "$jankwatch" --help 2>/dev/null | awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }'
    echo --help --version
  elif [[ $4 == -* ]]; then
    LC_ALL=C "$jankwatch" "$command" --help 2>/dev/null | awk '{ for (i = 1; i <= 2; i++) if ($i ~ /^--[a-z]/) { sub (/=.*/, "", $i); print $i } }'
  elif [[ $command == show || $command == resolve ]]; then
    LC_ALL=C "$jankwatch" list --all 2>/dev/null | awk 'NR > 1 { print $NF }'
  elif [[ $command == why ]]; then
    ps -U "$UID" -o pid= -o ucomm=
  fi
}

_jankwatch ()
{
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} i

  # What run watches has words of its own.
  for ((i = 2; i < COMP_CWORD; i++)); do
    if [[ $command == run && ${COMP_WORDS[i]} == -- ]] && declare -F _command_offset >/dev/null; then
      _command_offset $((i + 1))
      return
    fi
  done
  if ((COMP_CWORD == 1)); then
    command=
  fi
  # shellcheck disable=SC2207
  COMPREPLY=($(compgen -W "$(_jankwatch_words "$1" "$command" "$previous" "$current")" -- "$current"))
}

complete -o bashdefault -o default -F _jankwatch jankwatch
