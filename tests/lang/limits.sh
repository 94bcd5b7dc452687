#!/bin/bash
# Runs the programs of tests/lang and the examples with random limits of memory: limits.sh PM [SECONDS [SEED]]
# Under a limit a program has the same result as without, or stops with PM0512. It never crashes, and uses at most the limit and 32 MB more
# than a program that does nothing. `./dev test` does not run this script, which runs as long as requested.
set -uo pipefail
pm=$(realpath "$1")
seconds=${2:-60}
seed=${3:-$RANDOM}
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
export PM_CACHE=
output=$(mktemp) || exit 1
trap 'rm -f "$output"' EXIT
RANDOM=$seed
echo "seed $seed"

# run MEMORY FILE: runs the file. Sets `code` to the exit code, and `peak` to the peak memory in MB.
run() {
    local devices
    devices=$(sed -n 's/^# devices: *\([0-9]*\).*/\1/p' "$2" | head -1)
    code=0
    peak=$(python3 - "$output" "$pm" run --errors=short --memory="$1" --devices=cpu:"${devices:-1}" "$2" <<'PY'
import resource, subprocess, sys
with open(sys.argv[1], "wb") as output:
    try:
        code = subprocess.run(sys.argv[2:], stdin=subprocess.DEVNULL, stdout=output, stderr=output, timeout=60).returncode
    except subprocess.TimeoutExpired:
        code = 124
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
PY
    )
    code=${peak% *}
    peak=${peak#* }
}

nothing=$(mktemp --suffix=.pm)
echo 'print(sum(sin(ones(100))))' >"$nothing"
run 64MB "$nothing"
base=$peak
rm -f "$nothing"
mapfile -t programs < <(ls tests/lang/programs/*.pm tests/lang/diagnostics/*.pm examples/*.pm)

passed=0
refused=0
failed=0
end=$((SECONDS + seconds))
while ((SECONDS < end)); do
    file=${programs[RANDOM % ${#programs[@]}]}
    limit=$((128 << (RANDOM % 8))) # most programs need little memory
    run "${limit}KB" "$file"
    if ((code != 0 && code != 1 && code != 124)) || ((peak > base + limit / 1024 + 32)); then
        failed=$((failed + 1))
        printf 'FAIL --memory=%dKB %s: exit code %d, %d MB (of which %d are of a program that does nothing)\n%.1000s\n' \
            "$limit" "$file" "$code" "$peak" "$base" "$(tail -3 "$output")"
    elif grep -q PM0512 "$output"; then
        refused=$((refused + 1))
    else
        passed=$((passed + 1))
    fi
done
printf '%d ran, %d were refused, %d failed\n' "$passed" "$refused" "$failed"
((failed == 0))
