#!/bin/bash
# Runs every example and compares what it prints: run.sh PM [NAME...]
#
# tests/examples/NAME.out holds the lines expected on any number of devices, NAME.cpuN.out those on N devices; a line that begins with ~ is an
# extended regular expression for one line. Every example runs on 1, 2, 4 and 8 devices (those with only NAME.cpuN.out files on these N), and
# on 2 devices also with one worker, which must give the same bytes but for timings. Files in errors/ must fail with exit code 1; their
# expectations are matched against what they write to stderr. NAME.args holds arguments of the program.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
pm=$(realpath "$1"); shift
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
mkdir -p "$work/examples"
cp -r "$root/examples/." "$work/examples/"
cd "$work" || exit 2
failed=0; count=0

# compare EXPECTED ACTUAL: line by line
compare() {
    local want got line=0 bad=0
    exec 3<"$1" 4<"$2"
    while IFS= read -r want <&3; do
        line=$((line + 1))
        if ! IFS= read -r got <&4; then echo "    line $line is missing: $want"; bad=1; break; fi
        if [[ $want == "~"* ]]; then
            [[ $got =~ ^${want:1}$ ]] || { echo "    line $line: expected ${want:1}"; echo "    line $line: got      $got"; bad=1; }
        elif [[ $got != "$want" ]]; then
            echo "    line $line: expected $want"; echo "    line $line: got      $got"; bad=1
        fi
    done
    if IFS= read -r got <&4; then echo "    more lines than expected: $got"; bad=1; fi
    exec 3<&- 4<&-
    return $bad
}

check() { # NAME DEVICES EXPECTED [OPTIONS...]
    local name=$1 devices=$2 want=$3; shift 3
    count=$((count + 1))
    local arguments=()
    [[ -f $here/$name.args ]] && read -ra arguments <"$here/$name.args"
    timeout 300 "$pm" run --devices "cpu:$devices" "$@" "examples/$name.pm" "${arguments[@]}" >out.txt 2>err.txt
    local rc=$?
    if [[ $rc -ne 0 ]]; then echo "FAIL $name on $devices devices $*: exit code $rc"; head -5 err.txt; failed=$((failed + 1)); return; fi
    compare "$want" out.txt >differences.txt || { echo "FAIL $name on $devices devices $*"; cat differences.txt; failed=$((failed + 1)); }
}

names=("$@")
if [[ ${#names[@]} -eq 0 ]]; then for f in "$root"/examples/*.pm; do names+=("$(basename "$f" .pm)"); done; fi
for name in "${names[@]}"; do
    for devices in 1 2 4 8; do
        want="$here/$name.cpu$devices.out"
        [[ -f $want ]] || want="$here/$name.out"
        [[ -f $want ]] || continue
        check "$name" $devices "$want"
        if [[ $devices -eq 2 ]]; then
            grep -v ' ms' out.txt >first.txt
            check "$name" 2 "$want" --workers 1
            grep -v ' ms' out.txt | cmp -s - first.txt || { echo "FAIL $name: other bytes with one worker"; failed=$((failed + 1)); }
        fi
    done
done
if [[ $# -eq 0 ]]; then
    for f in "$here"/errors/*.pm; do
        name=$(basename "$f" .pm); count=$((count + 1))
        cp "$f" .
        timeout 60 "$pm" run --devices cpu:4 "$name.pm" >out.txt 2>err.txt
        rc=$?
        [[ $rc -eq 1 ]] || { echo "FAIL errors/$name: exit code $rc, not 1"; failed=$((failed + 1)); }
        head -n "$(wc -l <"$here/errors/$name.err")" err.txt >begin.txt # what follows is free
        compare "$here/errors/$name.err" begin.txt >differences.txt || { echo "FAIL errors/$name"; cat differences.txt; failed=$((failed + 1)); }
    done
fi
echo "$count runs, $failed failures"
[[ $failed -eq 0 ]]
