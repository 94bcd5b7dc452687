#!/bin/bash
# failures.sh PM FOLDER: what users are told when a GPU is not there, is full or fails. FOLDER has the driver that interprets PTX
# (tests/gpu/driver), which fails as it is told to.
set -uo pipefail
pm=$1
export LD_LIBRARY_PATH=$2
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/sums.pm" <<'TEXT'
let f = jit(fn(x) = sum(x * 2.0))
print(f(ones(1000)))
print(f(ones(2000)))
print(f([1.0, 2.0, 3.0]))
TEXT
cat >"$work/large.pm" <<'TEXT'
let f = jit(fn(x) = (x + 1.0, x * 2.0))
print(sum(f(ones(100))[0]))
print(sum(f(ones(1000000))[0]))
TEXT

echo "save_npy(\"$work/data.npy\", reshape(arange(1000000) % 10, (100, 10000)) * 1.0)" | "$pm" run - >/dev/null
cat >"$work/quiet.pm" <<'TEXT'
let f = jit(fn(x) = sum(x * 2.0))
let unread = f(ones(1000))
TEXT
cat >"$work/rows.pm" <<TEXT
let f = jit(fn(x) = sum(x))
mut seen = 0.0
let data = load_npy("$work/data.npy")
for epoch in 0..3 {
    for i in 0..10 { seen = seen + f(data[i * 10:(i + 1) * 10]) }
}
print(seen)
TEXT

# expect NAME CODE PATTERN COMMAND...: it exits with CODE and says something that matches.
expect() {
    local name=$1 code=$2 pattern=$3 got
    shift 3
    timeout 60 "$@" >"$work/out" 2>&1
    got=$?
    if [ $got != "$code" ] || ! grep -qE "$pattern" "$work/out"; then
        echo "FAIL $name: exit code $got (expected $code), without /$pattern/:"
        cat "$work/out"
        failed=1
    fi
}

expect 'all is well' 0 '^12.0$' "$pm" run --devices=gpu "$work/sums.pm"
expect 'no GPU' 1 'PM0513.*no GPU: this machine has none' env PM_INTERPRETER_DEVICES=0 "$pm" run --devices=gpu "$work/sums.pm"
expect 'an old driver' 1 'PM0513.*12\.3 is needed' env PM_INTERPRETER_VERSION=12010 "$pm" run --devices=gpu "$work/sums.pm"
for attribute in '115:memory pools' '95:launches whose blocks wait'; do
    expect "a GPU without ${attribute#*:}" 1 "PM0513.*PTX interpreter has no ${attribute#*:}" \
        env PM_INTERPRETER_ATTRIBUTES="${attribute%%:*}:0" "$pm" run --devices=gpu "$work/sums.pm"
done
# What was printed before stands there, and the place in the program.
expect 'a full GPU' 1 'PM0512.*no memory for' env PM_INTERPRETER_MEMORY=1000000 "$pm" run --devices=gpu "$work/large.pm"
expect 'what came before' 1 '^200.0$' env PM_INTERPRETER_MEMORY=1000000 "$pm" run --devices=gpu "$work/large.pm"
expect 'the place' 1 'large.pm:3:' env PM_INTERPRETER_MEMORY=1000000 "$pm" run --devices=gpu "$work/large.pm"
# What does not fit is used by rows.
expect 'rows' 0 '^13500000.0$' env PM_INTERPRETER_MEMORY=3500000 "$pm" run --devices=gpu "$work/rows.pm"
for function in cuLaunchKernel cuMemcpyHtoDAsync_v2 cuMemcpyDtoHAsync_v2 cuStreamSynchronize cuModuleLoadDataEx cuModuleGetFunction; do
    expect "a failing $function" 1 'PM0514.*CUDA_ERROR_ILLEGAL_ADDRESS' env PM_INTERPRETER_FAIL="$function:1:700" "$pm" run --devices=gpu "$work/sums.pm"
done
# What nobody reads is waited for too: at the end, and where time is measured.
failing_wait=PM_INTERPRETER_FAIL=cuStreamSynchronize:1:700
expect 'an end that waits' 1 'PM0514' env "$failing_wait" "$pm" run --devices=gpu "$work/quiet.pm"
for command in ':time let y = jit(fn(x) = x + 1.0)(ones(9))' ':bench jit(fn(x) = x + 1.0)(ones(9))'; do
    echo "$command" | expect "$command waits" 1 'PM0514' env "$failing_wait" "$pm" repl --devices=gpu
done
expect 'a failing cuInit' 1 'PM0513.*CUDA_ERROR' env PM_INTERPRETER_FAIL=cuInit:1:999 "$pm" run --devices=gpu "$work/sums.pm"
# What is queued does not keep a program that is to end (one signal: a second would end it at once), though the GPU is slow and the host was ahead of it.
for endless in 'while true { x = step(x) }' 'print(sorted(x[0:3000])[0])'; do
    cat >"$work/endless.pm" <<TEXT
let step = jit(fn(x) = sin(x) * 0.5 + 1.0)
let sorted = jit(fn(x) {
    mut y = x
    for i in 0..1000000 { y = sort(-y) }
    y
})
mut x = ones(20000)
$endless
TEXT
    expect "Ctrl-C in $endless" 130 'PM0510' env PM_INTERPRETER_DEFER=1 \
        timeout --foreground --preserve-status -k 3 -s INT 1 "$pm" run --devices=gpu "$work/endless.pm"
done
# A session goes on after a full GPU.
expect 'a session' 1 '^2000000.0$' env PM_INTERPRETER_MEMORY=30000000 "$pm" repl --devices=gpu <<'TEXT'
let g = jit(fn(x) = x + 1.0)
sum(g(ones(10000000)))
sum(g(ones(1000000)))
TEXT
exit $failed
