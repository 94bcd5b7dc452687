#!/bin/bash
# failures.sh PM: errors that one process has alone, and a job that loses a process and starts again.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/jobs.sh"

# ---- a restart: the job that loses a process ends with the bits of an undisturbed one

# The example, which waits at step 1000 until the test has killed a process.
sed "s|^for step in begin..steps {|&\n    while step == 1000 and not file_exists(\"$work/go\") {}|" "$root/examples/train_resume.pm" >"$work/train.pm"
grep -q while "$work/train.pm" || fail "a restart" "the example has another loop"
checked=$((checked + 1))
touch "$work/go"
"$pm" run --devices=cpu:4 "$work/train.pm" "$work/alone" 1200 >"$work/out" 2>"$work/err"
rm "$work/go"
"$pm" run --processes=2 --restarts=3 --devices=cpu:2 "$work/train.pm" "$work/restarted" 1200 >"$work/out" 2>"$work/err" &
job=$!
for _ in $(seq 600); do
    [ -e "$work/restarted/step-00001000.npz" ] && break
    sleep 0.1
done
pkill -9 -n -f "^$pm run --processes=2 .*$work/restarted"
touch "$work/go"
wait $job || fail "a restart" "exit code $?"
cmp "$work/alone/step-00001200.npz" "$work/restarted/step-00001200.npz" || fail "a restart" "other bits"
grep -q "restart 1 of 3" "$work/err" || fail "a restart" "no restart"
grep -q "goes on at step 1000" "$work/out" || fail "a restart" "no checkpoint was used"

# ---- a slow reader gets all of the output

cat >"$work/p.pm" <<'END'
for i in range(3000) { print(arange(200.0)) }
END
checked=$((checked + 1))
"$pm" run "$work/p.pm" >"$work/one"
"$pm" run --processes=2 "$work/p.pm" 2>"$work/err" | (sleep 6; cat) >"$work/out"
cmp "$work/one" "$work/out" || fail "a slow reader" "other output"

# ---- an error of one process

program <<'END'
let x = pmap(fn(x) = psum(x, "i"), axis_name="i")(arange(3.0))
let first = sum(x)
if process_index() == 1 { assert(first < 0.0, "a check of one process") }
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

# ended NAME SIGNAL CODE PATTERN PROGRAM...: a job ends with CODE after a signal to its launcher.
ended() {
    local name=$1 signal=$2 expected=$3 pattern=$4 code
    shift 4
    checked=$((checked + 1))
    "$@" "$work/p.pm" >"$work/out" 2>"$work/err" &
    wait_for_output "$work/out"
    kill "-$signal" $!
    wait $!
    code=$?
    [ $code = "$expected" ] || fail "$name" "exit code $code"
    grep -qE "$pattern" "$work/err" || fail "$name" "no $pattern"
    none_left "$name"
    rm "$work/out"
}
program <<'END'
let f = pmap(fn(x) = psum(x, "i") / 4.0, axis_name="i")
mut x = f(ones((4, 10)))
print("begins")
for step in range(1, 100000000) { x = f(x) }
END
rm -f "$work/out"
ended "Ctrl-C" INT 130 '^interrupted$' "$pm" run --devices=cpu:2 --processes=2
ended "the end" TERM 143 '' "$pm" run --devices=cpu:2 --processes=2
ended "Ctrl-C of mpirun" USR1 130 '^interrupted$' mpirun -q --oversubscribe --bind-to none --mca btl self,vader -n 2 "$pm" run --devices=cpu:2

finish
