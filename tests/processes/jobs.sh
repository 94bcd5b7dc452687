# For scripts with jobs of several processes: sourced with PM, the program, as first argument.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
pm=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PM_CACHE=$work/cache OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
failed=0 checked=0

# fail NAME REASON: counts a failure, and shows standard error of the last job, $work/err.
fail() {
    [ -s "$work/err" ] || echo "(standard error is empty)" >"$work/err"
    echo "FAIL $1: $2"
    sed 's/^/  /' "$work/err" | head -20
    failed=$((failed + 1))
}

# running: the processes of a job, whose command lines have a program in $work. The launcher is the first.
running() { pgrep -f "^$pm run .*$work/[^ ]*\.pm"; }

# none_left NAME: no process of a job is left.
none_left() {
    for _ in $(seq 30); do
        running >/dev/null || return 0
        sleep 0.1
    done
    fail "$1" "a process is left"
    pkill -9 -f "^$pm run .*$work/"
}

# wait_for_output FILE: until a job has written something, which shows that it runs.
wait_for_output() {
    for _ in $(seq 300); do
        [ -s "$1" ] && return 0
        sleep 0.1
    done
    fail "a job" "no output"
}

# expect NAME PATTERN [OPTION...]: $work/p.pm ends with exit code 1 and PATTERN in standard error.
expect() {
    local name=$1 pattern=$2
    shift 2
    checked=$((checked + 1))
    timeout 60 "$pm" run --processes=3 --patience=20 "$@" "$work/p.pm" >"$work/out" 2>"$work/err"
    local code=$?
    [ $code = 1 ] || fail "$name" "exit code $code"
    tr '\n' ' ' <"$work/err" | grep -qE "$pattern" || fail "$name" "no $pattern"
    none_left "$name"
}

program() { cat >"$work/p.pm"; }

# finish: the result of the script.
finish() {
    echo "$checked jobs, $failed failed"
    [ $failed = 0 ]
}
