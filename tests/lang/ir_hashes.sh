#!/bin/bash
# ir_hashes.sh PM: prints a hash of the text of the IR of every program of tests/lang and examples after `stage`, `optimize` and `plan`, one
# per line. A change that must not change programs must not change a line: compare the outputs before and after with `diff`.
set -euo pipefail
pm=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

hash_of() { # PM FILE STEP
    printf '%s %s %s\n' "$2" "$3" "$({ PM_CACHE='' timeout 60 "$1" ir --after="$3" "$2" </dev/null 2>&1 || true; } | md5sum | cut -c1-12)"
}
export -f hash_of
find tests/lang examples -name '*.pm' | sort | while read -r file; do
    for step in stage optimize plan; do printf '%s %s\n' "$file" "$step"; done
done | xargs -P "$(nproc)" -L 1 bash -c 'hash_of "$0" "$1" "$2"' "$pm" | sort
