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
for function in cuLaunchKernel cuMemcpyHtoDAsync_v2 cuMemcpyDtoHAsync_v2 cuStreamSynchronize cuModuleLoadDataEx cuModuleGetFunction; do
    expect "a failing $function" 1 'PM0514.*CUDA_ERROR_ILLEGAL_ADDRESS' env PM_INTERPRETER_FAIL="$function:1:700" "$pm" run --devices=gpu "$work/sums.pm"
done
expect 'a failing cuInit' 1 'PM0513.*CUDA_ERROR' env PM_INTERPRETER_FAIL=cuInit:1:999 "$pm" run --devices=gpu "$work/sums.pm"
# Arrays that checks look at, and that gradients of loops of unknown count keep, stay on the GPU.
cat >"$work/stays.pm" <<'TEXT'
fn until(x) {
    mut y = x
    while sum(y) < 1000000 { y = y + y * x }
    sum(y)
}
fn root(x) = sum(sqrt(x)) / len(x)
fn taken(x, i) = sum(x[i])
let x = where(arange(10000) % 2 == 0, 1.0, 0.5)
print(jit(fn(x) = sum(grad(until)(x)))(x))
print(root(x * 0 + 4))
print(taken(x, arange(20000) // 2))
TEXT
expect 'arrays stay there' 0 '^15000.0$' env PM_INTERPRETER_MOST_TO_HOST=512 "$pm" run --devices=gpu --check-nans "$work/stays.pm"
expect 'and are seen to' 1 'CUDA_ERROR_NOT_PERMITTED' env PM_INTERPRETER_MOST_TO_HOST=2 "$pm" run --devices=gpu --check-nans "$work/stays.pm"
expect 'a failing check' 1 'PM0505.*at .9999.: sqrt.-1' env PM_INTERPRETER_MOST_TO_HOST=512 "$pm" run --devices=gpu --check-nans - <<'TEXT'
fn root(x) = sum(sqrt(x))
print(root(where(arange(10000) == 9999, -1.0, 4.0)))
TEXT
# A session goes on after a full GPU.
expect 'a session' 1 '^2000000.0$' env PM_INTERPRETER_MEMORY=30000000 "$pm" repl --devices=gpu <<'TEXT'
let g = jit(fn(x) = x + 1.0)
sum(g(ones(10000000)))
sum(g(ones(1000000)))
TEXT
exit $failed
