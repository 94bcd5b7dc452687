#!/bin/bash
# covered.sh ROOT: every public function and constant of stdlib/ has documentation, and a test, an example or a page names it.
set -u
cd "$1"
shopt -s globstar
words=$(cat tests/**/*.pm tests/**/*.cpp tests/oracle/*.txt examples/**/*.pm docs/*.md <(sed -n '/^test "/,$p' stdlib/*.pm) | grep -oE '[A-Za-z_][A-Za-z0-9_]*' | sort -u)
failed=0 checked=0
while IFS=: read -r file name documented; do
    checked=$((checked + 1))
    if [ "$documented" = no ]; then
        echo "$file: $name has no documentation"
        failed=$((failed + 1))
    fi
    if ! grep -qx "$name" <<<"$words"; then
        echo "$file: nothing tries $name"
        failed=$((failed + 1))
    fi
done < <(awk '/^(fn|let) [A-Za-z]/ { name = $2; sub(/[^A-Za-z0-9_].*/, "", name); print FILENAME ":" name ":" (before ~ /^##/ ? "yes" : "no") } { before = $0 }' stdlib/*.pm stdlib/prelude/*.pm)
echo "$checked names, $failed failed"
[ "$failed" = 0 ] && [ "$checked" -gt 500 ]
