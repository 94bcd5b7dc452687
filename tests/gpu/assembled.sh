#!/bin/bash
# assembled.sh PTXAS FILE...: assembles the kernels of each file for each architecture. They must not spill registers.
set -uo pipefail
ptxas=$1
shift
failed=0
for file in "$@"; do
    for architecture in sm_80 sm_90a; do
        said=$("$ptxas" -v -arch="$architecture" -o /dev/null "$file" 2>&1) || failed=1
        if ! grep -q ' 0 bytes spill stores, 0 bytes spill loads' <<<"$said" || grep 'spill' <<<"$said" | grep -qv ' 0 bytes spill stores, 0 bytes spill loads'; then
            failed=1
            printf '%s\n' "$file" "$said"
        fi
    done
done
[ $# -gt 0 ] || failed=1
exit $failed
