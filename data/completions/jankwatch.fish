# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

# Completes jankwatch in fish: the command itself says with what.

function __jankwatch_words
    set -l words (commandline -opc)

    $words[1] --complete $words[2..] (commandline -ct) 2>/dev/null
end

complete -c jankwatch -a '(__jankwatch_words)'
