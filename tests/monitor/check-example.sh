#!/bin/sh
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

# The README's example starts and stays in its main loop until it is told to end.

home=$(mktemp -d) || exit 1
trap 'rm -rf "$home"' EXIT
HOME=$home XDG_STATE_HOME=$home XDG_CONFIG_HOME=$home timeout 2 "$1"
status=$?
[ $status -eq 124 ] || { echo "the example ended with status $status"; exit 1; }
