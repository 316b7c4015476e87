#!/bin/sh
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later
# Every message of the sources of today is translated in every language: check-translations.sh SOURCE_FOLDER
set -eu
cd "$1"
template=$(mktemp)
trap 'rm -f "$template"' EXIT

xgettext --from-code=UTF-8 --files-from=po/POTFILES --output="$template" \
  --keyword=_ --keyword=N_ --keyword=C_:1c,2 --keyword=NC_:1c,2 \
  --keyword=g_dcgettext:2 --keyword=g_dngettext:2,3 --keyword=g_dpgettext2:2c,3 --keyword=ngettext:1,2

for language in $(cat po/LINGUAS); do
  msgfmt --check --output-file=/dev/null "po/$language.po"
  msgcmp "po/$language.po" "$template"
done
