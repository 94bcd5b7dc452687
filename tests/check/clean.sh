#!/bin/bash
# clean.sh PM FILE...: `pm check` finds no error in correct programs, may warn, and does not run them. It uses the first number of `#
# devices:`.
set -u
pm=$(realpath "$1")
shift
passed=0 failed=0
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
for file in "$@"; do
    file=$(realpath "$file")
    devices=$(sed -n 's/^# devices: \([0-9][0-9]*\).*/cpu:\1/p' "$file")
    if out=$(cd "$folder" && timeout 60 "$pm" check --devices="${devices:-cpu}" "$file" 2>&1 </dev/null) && [[ "$(tail -n 1 <<<"$out")" =~ ^"$file: no errors"(, [0-9]+ warnings?)?$ ]]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf '%s\n%s\n' "$file" "$out"
    fi
done
if [ -n "$(ls -A "$folder")" ]; then
    echo "files were written: $(ls "$folder")"
    failed=$((failed + 1))
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
