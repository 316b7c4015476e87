# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

# Completes jankwatch in fish, from what the command itself says of its commands and options.

function __jankwatch_words
    set -l words (commandline -opc)
    set -l jankwatch $words[1]

    switch $words[-1]
        case --kind
            printf '%s\n' stall startup frame spin cpu
            return
        case --severity
            printf '%s\n' minor microhang hang frozen
            return
        case --sort
            if test "$words[2]" = top
                printf '%s\n' trouble program stalls hangs overhead
            else
                printf '%s\n' time length count total program culprit
            end
            return
        case --annotate
            printf '%s\n' github gitlab
            return
        case --format -f
            LC_ALL=C $jankwatch export --help 2>/dev/null | awk '/^Formats:/ { on = 1; next } on { print $1 }'
            return
        case --since --until
            printf '%s\n' today yesterday 2h 1d 1w
            return
    end
    if test (count $words) -eq 1
        LC_ALL=C $jankwatch --help 2>/dev/null | awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }'
        printf '%s\n' --help --version
    else if string match -q -- '-*' (commandline -ct)
        LC_ALL=C $jankwatch $words[2] --help 2>/dev/null | awk '{ for (i = 1; i <= 2; i++) if ($i ~ /^--[a-z]/) { sub (/=.*/, "", $i); print $i } }'
    else if contains -- $words[2] show resolve
        LC_ALL=C $jankwatch list --all 2>/dev/null | awk 'NR > 1 { print $NF }'
    else if test $words[2] = why
        ps -U (id -u) -o pid= -o ucomm= | string split -n ' '
    end
end

complete -c jankwatch -a '(__jankwatch_words)'
