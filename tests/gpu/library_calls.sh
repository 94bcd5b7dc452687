# To be sourced, with PM FOLDER, by tests of the calls of NVIDIA's libraries. FOLDER has the driver that interprets PTX and stand-ins of the
# libraries, which print their calls.
# shellcheck shell=bash
set -uo pipefail
pm=$1
export LD_LIBRARY_PATH=$2 PM_INTERPRETER_VERBOSE=1
failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# fail NAME TEXT: reports a failure, with the output of the last program.
fail() {
    echo "FAIL $1: $2"
    cat "$work/out" "$work/err"
    failed=1
}
# run NAME ARGUMENTS...: `pm run`, which must succeed.
run() {
    local name=$1
    shift
    timeout 600 "$pm" run "$@" >"$work/out" 2>"$work/err" || fail "$name" "exit code $?"
}
# counted NAME NUMBER PATTERN: checks the number of calls of a library by the last program.
counted() {
    local found
    found=$(grep -c "$3" "$work/err")
    [ "$found" = "$2" ] || fail "$1" "the library was asked $found times, expected $2"
}
# same NAME EXPECTED FOUND: checks that two files are equal.
same() {
    diff "$2" "$3" || fail "$1" "$3 is not $2"
}
