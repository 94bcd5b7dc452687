#!/bin/bash
# failures.sh PM [KILLS]: jobs of processes whose processes are killed, are stopped, fail, or are at different places. The others end
# with an error that names the process and the place, within the time of docs/processes.md, and no process is left. KILLS processes
# are killed at moments that are spread over a run.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
pm=$1 kills=${2:-4}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PM_CACHE=$work/cache
failed=0 checked=0

fail() {
    [ -s "$work/err" ] || echo "(standard error is empty)" >"$work/err"
    echo "FAIL $1: $2"
    sed 's/^/  /' "$work/err" | head -20
    failed=$((failed + 1))
}

# left NAME: no process of a job is left.
left() {
    for _ in $(seq 30); do
        pgrep -f "$work/.*\.pm" >/dev/null || return 0
        sleep 0.1
    done
    fail "$1" "a process is left"
    pkill -9 -f "$work/.*\.pm"
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
    left "$name"
}

program() { cat >"$work/p.pm"; }

# ---- a process is killed or stopped

cat >"$work/loop.pm" <<'END'
fn step(x) = psum(x * 0.999, "i") / 3.0
fn many(x) {
    mut y = x
    for i in range(20000) { y = step(y) }
    y
}
mut x = ones((3, 100))
for round in range(100000) { x = pmap(many, axis_name="i")(x) }
END
ranks() { pgrep -f "^$pm run .*$work/loop.pm"; }

# lost NAME SIGNAL DELAY LIMIT: one rank gets the signal. All processes are gone LIMIT seconds later.
lost() {
    local name=$1 signal=$2 delay=$3 limit=$4
    checked=$((checked + 1))
    "$pm" run --processes=3 --patience=1.5 "$work/loop.pm" >"$work/out" 2>"$work/err" &
    local job=$!
    sleep "$delay"
    local all victim begin
    mapfile -t all < <(ranks | grep -v "^$job$")
    if [ ${#all[@]} = 0 ]; then # not started yet
        kill -9 $job
        wait $job 2>/dev/null
        left "$name"
        return
    fi
    victim=${all[RANDOM % ${#all[@]}]}
    kill "-$signal" "$victim" 2>/dev/null
    begin=$(date +%s%N)
    wait $job 2>/dev/null
    local code=$? took=$((($(date +%s%N) - begin) / 1000000))
    [ $code != 0 ] || fail "$name" "exit code 0"
    [ $took -le $limit ] || fail "$name" "took $took ms"
    # If a process dies while Open MPI starts, only its signal is known.
    grep -qE "PM0515|ended by signal" "$work/err" || fail "$name" "no PM0515"
    left "$name"
}
for i in $(seq "$kills"); do lost "kill -9, $i" KILL "0.$((RANDOM % 90 + 10))" 4000; done
lost "kill -STOP" STOP 1.2 6000

# ---- a restart: the job that loses a process ends with the bits of an undisturbed one
checked=$((checked + 1))
"$pm" run --devices=cpu:4 "$root/examples/train_resume.pm" "$work/alone" 3000 >"$work/out" 2>"$work/err"
"$pm" run --processes=2 --restarts=3 --devices=cpu:2 "$root/examples/train_resume.pm" "$work/restarted" 3000 >"$work/out" 2>"$work/err" &
job=$!
for _ in $(seq 200); do
    ls "$work/restarted" 2>/dev/null | grep -q step-000005 && break
    sleep 0.05
done
pkill -9 -n -f "$pm run --processes=2 .*$work/restarted"
wait $job || fail "a restart" "exit code $?"
cmp "$work/alone/step-00003000.npz" "$work/restarted/step-00003000.npz" || fail "a restart" "other bits"
grep -q "restart 1 of 3" "$work/err" || fail "a restart" "no restart"
grep -q "goes on at step" "$work/out" || fail "a restart" "no checkpoint was used"

# ---- an error of one process

program <<'END'
let x = pmap(fn(x) = psum(x, "i"), axis_name="i")(arange(3.0))
if process_index() == 1 { assert(x[0] < 0.0, "a check of one process") }
print(pmap(fn(x) = psum(x, "i"), axis_name="i")(x))
END
expect "a check outside of lanes" 'PM0503.*a check of one process.*PM0517.*process 1 .*has stopped.*a check of one|PM0517.*process 1 .*has stopped.*PM0503'

program <<'END'
if process_index() == 2 { print(load_npy("none.npy")) }
print(pmap(fn(x) = psum(x, "i"), axis_name="i")(arange(3.0)))
END
expect "a file that one process does not have" 'PM0517.*process 2 .*has stopped.*PM060|PM060.*PM0517'

program <<'END'
let n = 100000000 * process_index()
let x = sum(ones(n))
print(pmap(fn(x) = psum(x, "i"), axis_name="i")(arange(3.0)))
END
expect "a lack of memory" 'PM0512' --memory=100MB

# ---- processes at different places: a table of programs

apart() { expect "apart: $1" 'PM0516.*process'; }
program <<'END'
if process_index() == 0 { print(pmap(fn(x) = psum(x, "i"), axis_name="i")(arange(3.0))) }
END
apart "a pmap under a condition"
program <<'END'
let n = 3 + 3 * process_index()
print(pmap(fn(x) = psum(x, "i"), axis_name="i")(arange(f32(n))))
END
apart "another number of slices"
program <<'END'
let x = pmap(fn(x) = psum(x * f32(process_index()), "i"), axis_name="i")(arange(3.0))
print(x)
END
apart "another program"
program <<'END'
let x = arange(3.0) + f32(process_index())
print(pmap(fn(x) = psum(x, "i"), axis_name="i")(x))
END
apart "another argument"
grep -q 'they differ in the arguments of `pmap`' "$work/err" || fail "apart: another argument" "no place"
program <<'END'
write_text("file.txt", "one")
let text = if process_index() == 1 { "two" } else { read_text("file.txt") }
print(pmap(fn(x) = psum(x, "i"), axis_name="i")(arange(3.0)))
END
(cd "$work" && apart "a read in some processes")
program <<'END'
if process_index() == 1 { print(time() > 0.0) }
END
apart "the time in one process"
program <<'END'
if process_index() == 1 { write_text("file.txt", "two") }
END
(cd "$work" && apart "a write in one process")
program <<'END'
for i in range(3 + process_index()) { print(pmap(fn(x) = psum(x, "i"), axis_name="i")(arange(3.0))) }
END
apart "more iterations"
program <<'END'
fn f(x) = if process_index() == 2 { pmax(x, "i") } else { psum(x, "i") }
print(pmap(f, axis_name="i")(arange(3.0)))
END
apart "another collective"
program <<'END'
fn f(x) = psum(x, "i")
if process_index() == 2 { print(pmap(fn(x) = 2.0 * x)(arange(3.0))) } else { print(pmap(f, axis_name="i")(arange(3.0))) }
END
apart "another pmap"

echo "$checked jobs, $failed failed"
[ $failed = 0 ]
