#!/bin/bash
# moments.sh PM COUNT [SEED]: jobs of four processes in which, at a random moment of start, compilation, collectives, reads, writes and
# prints, one process is killed (KILL), ended (TERM) or stopped (STOP), or the user presses Ctrl-C (INT). The others end in time with an
# error that names the process, no process is left, and the output is the begin of that of an undisturbed job.
set -u
if [ "$2" -gt 100 ]; then # two halves at once, because most of the time is waiting
    bash "$0" "$1" $(($2 / 2)) "${3:-1}0" &
    bash "$0" "$1" $(($2 - $2 / 2)) "${3:-1}1"
    code=$?
    wait $! && exit $code
    exit 1
fi
. "$(dirname "${BASH_SOURCE[0]}")/jobs.sh"
count=$2 RANDOM=${3:-1}
cd "$work" || exit 1

cat >loop.pm <<'END'
fn step(x) = psum(x * 0.999, "i") / 4.0
fn many(x) {
    mut y = x
    for i in range(2000) { y = step(y) }
    y
}
mut x = ones((4, 100))
for i in range(30) {
    x = pmap(many, axis_name="i")(x)
    write_text("number.txt", "{i}")
    let sum = pmap(fn(x) = psum(sum(x) + i, "i"), axis_name="i", out_axes=none)(x)
    print(i, read_text("number.txt"), sum)
}
END
"$pm" run --devices=cpu:4 loop.pm >all || exit 1
hits=0

# moment NAME SIGNAL DELAY LIMIT: the job ends at most LIMIT ms after the signal.
moment() {
    local name=$1 signal=$2 delay=$3 limit=$4 job all victim begin code took
    checked=$((checked + 1))
    "$pm" run --processes=4 --patience=1.5 "$work/loop.pm" >out 2>err &
    job=$!
    sleep "$delay"
    mapfile -t all < <(running | grep -vx $job)
    victim=$job
    if [ "$signal" != INT ]; then victim=${all[RANDOM % (${#all[@]} ? ${#all[@]} : 1)]:-}; fi
    begin=$(date +%s%N)
    if ! kill "-$signal" "$victim" 2>/dev/null; then victim=; fi # not begun yet, or over
    wait $job 2>/dev/null
    code=$? took=$((($(date +%s%N) - begin) / 1000000))
    none_left "$name"
    cmp -s -n "$(stat -c %s out)" out all || fail "$name" "other output: $(tail -2 out)"
    if [ $code = 0 ]; then # the signal came too late
        cmp -s out all || fail "$name" "exit code 0"
    elif [ -n "$victim" ]; then
        hits=$((hits + 1))
        [ $took -le "$limit" ] || fail "$name" "took $took ms"
        # If a process dies while Open MPI starts, only its signal is known.
        grep -qE "PM051[57]|ended by signal|interrupted" err || fail "$name" "no message, exit code $code"
    else
        fail "$name" "exit code $code without a signal"
    fi
}
for i in $(seq "$count"); do
    delay=$((RANDOM % 150 + 5))
    delay=$((delay / 100)).$(printf %02d $((delay % 100)))
    case $((RANDOM % 4)) in
    0) moment "$i: KILL after $delay s" KILL $delay 6000 ;;
    1) moment "$i: TERM after $delay s" TERM $delay 6000 ;;
    2) moment "$i: STOP after $delay s" STOP $delay 7000 ;;
    3) moment "$i: INT after $delay s" INT $delay 4000 ;;
    esac
done
# The signals reach the processes, and not only the ends of jobs.
[ $hits -ge $((count / 4)) ] || fail "all" "only $hits of $count signals came while a job ran"
finish
