#!/bin/sh
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

# check-records.sh SOURCE_ROOT VERSION: no record in tests/platforms is older than the last release. NEWS
# begins with the newest, which may be the next one.
set -eu
cd "$1"

is_older () {
  [ "$1" != "$2" ] && [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]
}

for release in $(sed -n 's/^Version //p' NEWS); do
  is_older "$2" "$release" || break
done
status=0
for record in tests/platforms/debian*.txt; do
  recorded=$(sed -n 's/^jankwatch //p' "$record")
  ! is_older "${recorded:-0}" "$release" || {
    name=$(basename "$record" .txt)
    echo "$record is older than $release: renew it by \`sh tests/platforms/run $name --record\`" >&2
    status=1
  }
done
exit $status
