#!/bin/bash
# failures.sh PM FOLDER: tests the messages when a GPU is missing, full or failing. FOLDER has the driver that interprets PTX
# (tests/gpu/driver), which fails on request.
set -uo pipefail
pm=$1
export LD_LIBRARY_PATH=$2
failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cat >"$work/sums.pm" <<'TEXT'
let f = jit(fn(x) = sum(x * 2.0))
print(f(ones(1000)))
print(f(ones(2000)))
print(f([1.0, 2.0, 3.0]))
TEXT
cat >"$work/products.pm" <<'TEXT'
let f = jit(fn(a) = (a @ a) @ (a @ a))
print(f(eye(3) * 2.0)[0])
print(f(eye(3) * 3.0)[0])
print(f(eye(3) * 1.0)[0])
TEXT
cat >"$work/large.pm" <<'TEXT'
let f = jit(fn(x) = (x + 1.0, x * 2.0))
print(sum(f(ones(100))[0]))
print(sum(f(ones(1000000))[0]))
TEXT

cat >"$work/devices.pm" <<'TEXT'
let f = pmap(fn(x, y) = sum(x * y), in_axes=(0, none))
print(f(ones((4, 10)), ones(10)))
print(f(ones((4, 1000000)), ones(1000000)))
TEXT
cat >"$work/stays.pm" <<'TEXT'
let f = pmap(fn(x, y) = x * y + 1.0, in_axes=(0, none))
mut x = ones((4, 100000))
let y = 2.0 * ones(100000)
for i in range(3) {
    x = f(x, y)
    print("turn {i}")
}
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

# expect NAME CODE PATTERN COMMAND...: the command must exit with CODE and print a line that matches.
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
# Earlier output is printed, and the message has the position in the program.
expect 'a full GPU' 1 'PM0512.*no memory for' env PM_INTERPRETER_MEMORY=1000000 "$pm" run --devices=gpu "$work/large.pm"
expect 'what came before' 1 '^200.0$' env PM_INTERPRETER_MEMORY=1000000 "$pm" run --devices=gpu "$work/large.pm"
expect 'the place' 1 'large.pm:3:' env PM_INTERPRETER_MEMORY=1000000 "$pm" run --devices=gpu "$work/large.pm"
# An array that does not fit is loaded by rows.
expect 'rows' 0 '^13500000.0$' env PM_INTERPRETER_MEMORY=3500000 "$pm" run --devices=gpu "$work/rows.pm"
for function in cuLaunchKernel cuMemcpyHtoDAsync_v2 cuMemcpyDtoHAsync_v2 cuEventSynchronize cuModuleLoadDataEx cuModuleGetFunction; do
    expect "a failing $function" 1 'PM0514.*CUDA_ERROR_ILLEGAL_ADDRESS' env PM_INTERPRETER_FAIL="$function:1:700" "$pm" run --devices=gpu "$work/sums.pm"
done
# Unread results are waited for too: at the end, and where time is measured.
failing_wait=PM_INTERPRETER_FAIL=cuStreamSynchronize:1:700
expect 'an end that waits' 1 'PM0514' env "$failing_wait" "$pm" run --devices=gpu "$work/quiet.pm"
for command in ':time let y = jit(fn(x) = x + 1.0)(ones(9))' ':bench jit(fn(x) = x + 1.0)(ones(9))'; do
    echo "$command" | expect "$command waits" 1 'PM0514' env "$failing_wait" "$pm" repl --devices=gpu
done
expect 'a failing cuInit' 1 'PM0513.*CUDA_ERROR' env PM_INTERPRETER_FAIL=cuInit:1:999 "$pm" run --devices=gpu "$work/sums.pm"
# Large matrices with libraries that fail, are missing or do not match the driver. LAPACK computes them then.
if [ -e "$LD_LIBRARY_PATH/libcusolver.so.11" ]; then
    # failing FUNCTION STATUS NAME PROGRAM...: the first call of a library's function returns this status.
    failing() {
        local function=$1 status=$2 name=$3
        shift 3
        expect "a failing $function" 1 "PM0514.*the GPU failed in $function: $name" env PM_CUDA_LIBRARIES_FAIL="$function:1:$status" "$@"
    }
    cat >"$work/factors.pm" <<'TEXT'
let a = 300 * eye(110) + sin(arange(12100.0)).reshape(110, 110)
print(max(abs(a @ linalg.inv(a) - eye(110))) < 1e-3)
print(all(linalg.eigh(a + a.T)[0] > 0), isnan(linalg.cholesky(-a)[0, 0]))
TEXT
    factors=("$pm" run --devices=gpu "$work/factors.pm")
    expect 'factors' 0 '^true true$' "${factors[@]}"
    failing cusolverDnSgetrf 6 CUSOLVER_STATUS_EXECUTION_FAILED "${factors[@]}"
    failing cusolverDnSgetrf_bufferSize 3 CUSOLVER_STATUS_INVALID_VALUE "${factors[@]}"
    failing cusolverDnSsyevd 7 CUSOLVER_STATUS_INTERNAL_ERROR "${factors[@]}"
    failing cublasStrsm_v2 13 CUBLAS_STATUS_EXECUTION_FAILED "${factors[@]}"
    expect 'no memory for a library' 1 'PM0512.*no memory left \(cusolverDnSgetrf\)' env PM_CUDA_LIBRARIES_FAIL=cusolverDnSgetrf:1:2,cusolverDnSgetrf:2:2 "${factors[@]}"
    expect 'memory that the pool has kept' 0 '^true true$' env PM_CUDA_LIBRARIES_FAIL=cusolverDnSgetrf:1:2 "${factors[@]}"
    expect 'a library that the driver is too old for' 0 '^true true$' env PM_CUDA_LIBRARIES_FAIL=cusolverDnCreate:1:1,cusolverDnSgetrf:1:6 "${factors[@]}"
    expect 'no memory for a handle' 1 'PM0512.*no memory left \(cublasCreate_v2\)' env PM_CUDA_LIBRARIES_FAIL=cublasCreate_v2:1:3,cublasCreate_v2:2:3 "${factors[@]}"
    echo 'print(sum(abs(fft.fft(ones(65536))) ** 2))' >"$work/transform.pm"
    transform=("$pm" run --devices=gpu "$work/transform.pm")
    expect 'a transform' 0 '^4294967300' "${transform[@]}"
    failing cufftExecC2C 6 CUFFT_EXEC_FAILED "${transform[@]}"
    failing cufftSetWorkArea 1 CUFFT_INVALID_PLAN "${transform[@]}"
    expect 'no memory for a plan' 1 'PM0512.*no memory left \(cufftCreate\)' env PM_CUDA_LIBRARIES_FAIL=cufftCreate:2:2,cufftCreate:3:2 "${transform[@]}"
    expect 'cuFFT that the driver is too old for' 0 '^4294967300' env PM_CUDA_LIBRARIES_FAIL=cufftCreate:1:5 "${transform[@]}"
    echo 'print(sum(nn.conv(ones((8, 16, 16, 64)), ones((3, 3, 64, 256)), padding="VALID")))' >"$work/convolution.pm"
    convolution=("$pm" run --devices=gpu "$work/convolution.pm")
    expect 'a convolution' 0 '^2312110' "${convolution[@]}"
    failing cudnnConvolutionForward 5000 CUDNN_STATUS_EXECUTION_FAILED "${convolution[@]}"
    failing cudnnSetStream 2000 CUDNN_STATUS_BAD_PARAM "${convolution[@]}"
    echo 'print(sum(jit(fn(x, w, b) = nn.conv(x, w, padding="VALID") + b)(ones((8, 16, 16, 64)), ones((3, 3, 64, 256)), ones(256))))' >"$work/biased.pm"
    failing cudnnConvolutionBiasActivationForward 5000 CUDNN_STATUS_EXECUTION_FAILED "$pm" run --devices=gpu "$work/biased.pm"
    cannot=cudnnConvolutionForward:1:3000,cudnnConvolutionForward:2:3000
    expect 'no algorithm after all' 1 'PM0514.*cudnnConvolutionForward has no algorithm' env PM_CUDA_LIBRARIES_FAIL=$cannot "${convolution[@]}"
    for result in cudnnGetConvolutionForwardAlgorithm_v7:1:1008 cudnnGetConvolutionForwardWorkspaceSize:1:4000; do
        expect "a library that has no algorithm: $result" 0 '^2312110' env PM_CUDA_LIBRARIES_FAIL=$result "${convolution[@]}"
    done
    expect 'no memory for a convolution' 1 'PM0512.*no memory left \(cudnnConvolutionForward\)' \
        env PM_CUDA_LIBRARIES_FAIL="$(printf 'cudnnConvolutionForward:%d:4004,' 1 2 3 4 5)" "${convolution[@]}"
    expect 'memory for another algorithm' 0 '^2312110' \
        env PM_CUDA_LIBRARIES_FAIL="$(printf 'cudnnConvolutionForward:%d:4004,' 1 2)" "${convolution[@]}"
    expect 'memory at the second time' 0 '^2312110' env PM_CUDA_LIBRARIES_FAIL=cudnnConvolutionForward:1:4004 "${convolution[@]}"
    expect 'cuDNN that the driver is too old for' 0 '^2312110' env PM_CUDA_LIBRARIES_FAIL=cudnnCreate:1:3005 "${convolution[@]}"
    mkdir "$work/alone"
    cp "$LD_LIBRARY_PATH/libcuda.so.1" "$work/alone"
    expect 'no library' 0 '^true true$' env LD_LIBRARY_PATH="$work/alone" "${factors[@]}"
    expect 'no library and no LAPACK' 0 '^true true$' env LD_LIBRARY_PATH="$work/alone:$LD_LIBRARY_PATH/no_lapack" "${factors[@]}"
    expect 'no LAPACK' 1 'PM0514.*cusolverDnSgetrf' env PM_CUDA_LIBRARIES_FAIL=cusolverDnSgetrf:1:6 \
        LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$LD_LIBRARY_PATH/no_lapack" "$pm" run --devices=gpu - <<<'print(linalg.det(eye(40) * 2.0))'
fi
# A kernel for which the driver has no memory is an error, not left out.
expect 'no memory for a launch' 1 'PM0514.*no memory' env PM_INTERPRETER_FAIL=cuLaunchKernel:1:2 "$pm" run --devices=gpu "$work/sums.pm"
# A batch that is repeated becomes a graph. The driver launches eight of the twelve kernels, and all of them if it refuses graphs.
refused=cuGraphInstantiateWithFlags:1:801
expect 'graphs' 0 '^\[1, 0, 0\]$' env PM_INTERPRETER_FAIL=cuLaunchKernel:9:700 "$pm" run --devices=gpu "$work/products.pm"
expect 'refused graphs' 0 '^\[1, 0, 0\]$' env PM_INTERPRETER_FAIL=$refused "$pm" run --devices=gpu "$work/products.pm"
expect 'no graphs' 1 'products.pm:4:' env PM_INTERPRETER_FAIL=$refused,cuLaunchKernel:12:700 "$pm" run --devices=gpu "$work/products.pm"
# A loop with tapes has no launch for each iteration (99 000, or 40 in each of 100), but one for each piece of a tape.
cat >"$work/iterations.pm" <<'TEXT'
fn until(x, limit) {
    mut y = x
    while y < limit { y = y + y * x }
    y
}
print(grad(until)(1e-4, 2.0))
TEXT
cat >"$work/nested.pm" <<'TEXT'
fn repeated(x) {
    mut (y, i) = (x, 0)
    while i < 100 {
        mut j = 0
        while j < 40 {
            y = y * 0.99 + sqrt(1 + y * y) * 0.01
            j += 1
        }
        i += 1
    }
    y
}
let slope = grad(repeated)(0.3f64)
let h = 1e-6f64
print(abs(slope - (repeated(0.3f64 + h) - repeated(0.3f64 - h)) / (2 * h)) < 1e-4 * abs(slope))
TEXT
cat >"$work/second.pm" <<'TEXT'
fn f(x, n) {
    mut (y, i) = (x, 0)
    while i < n {
        y = y * 0.999 + sin(y * x) * 0.001
        i += 1
    }
    y
}
print(abs(grad(grad(f))(0.7f64, 4000) - 4.132902808291534) < 1e-9)
TEXT
expect 'few launches' 0 '^218079' env PM_INTERPRETER_FAIL=$refused,cuLaunchKernel:40:700 "$pm" run --devices=gpu "$work/iterations.pm"
expect 'some launches' 1 'iterations.pm:6:' env PM_INTERPRETER_FAIL=$refused,cuLaunchKernel:15:700 "$pm" run --devices=gpu "$work/iterations.pm"
expect 'launches of a second derivative' 0 '^true$' env PM_INTERPRETER_FAIL=$refused,cuLaunchKernel:150:700 "$pm" run --devices=gpu "$work/second.pm"
expect 'launches of inner loops' 0 '^true$' env PM_INTERPRETER_FAIL=$refused,cuLaunchKernel:600:700 "$pm" run --devices=gpu "$work/nested.pm"
# Queued work does not delay the end of an interrupted program, even if the GPU is slow and the host is ahead of it. (One signal; a second
# one would end the program at once.) The message has the position and follows the earlier output, also while an operation runs that cannot
# be stopped.
for endless in 'while true { x = step(x) }' 'print(sorted(x[0:3000])[0])' 'while true { x = sin(x) * 0.5 }' \
    'print(sum(ones((1500, 1500)) @ ones((1500, 1500))))'; do
    cat >"$work/endless.pm" <<TEXT
let step = jit(fn(x) = sin(x) * 0.5 + 1.0)
let sorted = jit(fn(x) {
    mut y = x
    for i in 0..1000000 { y = sort(-y) }
    y
})
mut x = ones(20000)
print("begun")
$endless
TEXT
    for defer in 0 1; do
        expect "Ctrl-C in $endless" 130 'endless\.pm:9:[0-9]+: error.PM0510' env PM_INTERPRETER_DEFER=$defer \
            timeout --foreground --preserve-status -k 3 -s INT 1 "$pm" run --devices=gpu --errors=short "$work/endless.pm"
        [ "$(head -n 1 "$work/out")" = begun ] || { failed=1; echo "FAIL what came before Ctrl-C in $endless:"; cat "$work/out"; }
    done
done
# Arrays that checks read, and residuals of `while` loops, stay on the GPU.
cat >"$work/kept_there.pm" <<'TEXT'
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
expect 'arrays stay there' 0 '^15000.0$' env PM_INTERPRETER_MOST_TO_HOST=512 "$pm" run --devices=gpu --check-nans "$work/kept_there.pm"
expect 'and are seen to' 1 'CUDA_ERROR_NOT_PERMITTED' env PM_INTERPRETER_MOST_TO_HOST=2 "$pm" run --devices=gpu --check-nans "$work/kept_there.pm"
expect 'a failing check' 1 'PM0505.*at .9999.: sqrt.-1' env PM_INTERPRETER_MOST_TO_HOST=512 "$pm" run --devices=gpu --check-nans - <<'TEXT'
fn root(x) = sum(sqrt(x))
print(root(where(arange(10000) == 9999, -1.0, 4.0)))
TEXT
# A session continues after a full GPU.
expect 'a session' 1 '^2000000.0$' env PM_INTERPRETER_MEMORY=30000000 "$pm" repl --devices=gpu <<'TEXT'
let g = jit(fn(x) = x + 1.0)
sum(g(ones(10000000)))
sum(g(ones(1000000)))
TEXT
cat >"$work/forever.pm" <<'TEXT'
fn endless(x) {
    mut v = x
    while v >= 0.0 { v = v + 1.0 }
    v
}
print(pmap(endless)(arange(4.0)))
TEXT
# Two GPUs: one is full (once, or again after the retry), one fails, one cannot be used; and drivers without mapped memory.
export PM_INTERPRETER_DEVICES=2
on_two=("$pm" run --devices=gpu:4 "$work/devices.pm")
expect 'two GPUs' 0 '^.1000000, 1000000, 1000000, 1000000.$' "${on_two[@]}"
expect 'one of two GPUs is full' 1 'PM0512.*no memory for' env PM_INTERPRETER_FAIL=cuMemCreate:3:2,cuMemCreate:3:2 "${on_two[@]}"
expect 'what came before on two' 1 '^.10, 10, 10, 10.$' env PM_INTERPRETER_FAIL=cuMemCreate:3:2,cuMemCreate:3:2 "${on_two[@]}"
expect 'memory that there is after all' 0 '^.1000000, ' env PM_INTERPRETER_FAIL=cuMemCreate:3:2 "${on_two[@]}"
for function in cuMemcpyPeerAsync cuStreamWaitEvent cuMemMap; do
    expect "a failing $function" 1 'PM0514.*CUDA_ERROR_ILLEGAL_ADDRESS' env PM_INTERPRETER_FAIL="$function:1:700" "${on_two[@]}"
done
expect 'a second GPU that is not to be had' 0 '^.1000000, ' env PM_INTERPRETER_FAIL=cuDevicePrimaryCtxRetain:2:46 "${on_two[@]}"
expect 'memory that is not mapped' 0 '^.1000000, ' env PM_INTERPRETER_ATTRIBUTES=102:0 "${on_two[@]}"
# Two rows, and the arrays that all lanes read, are copied from the first GPU to the second once, and stay there.
expect 'a batch that stays' 0 'turn 2' env PM_INTERPRETER_FAIL=cuMemcpyPeerAsync:4:700 "$pm" run --devices=gpu:4 "$work/stays.pm"
expect 'what is brought' 1 'PM0514' env PM_INTERPRETER_FAIL=cuMemcpyPeerAsync:3:700 "$pm" run --devices=gpu:4 "$work/stays.pm"
expect 'Ctrl-C' 124 'PM0510' timeout --foreground -s INT 1 "$pm" run --devices=gpu:4 "$work/forever.pm"
expect 'two GPUs with access to each other' 0 '^.1000000, ' env PM_INTERPRETER_PEERS=1 "${on_two[@]}"
expect 'two GPUs by name' 0 '^gpu:4: 4 devices on 2 of PTX interpreter and ' "$pm" repl --devices=gpu:4 <<<':devices'
expect 'which of them is full' 1 'GPU [01] of 2 has no memory for' env PM_INTERPRETER_FAIL=cuMemCreate:3:2,cuMemCreate:3:2 "${on_two[@]}"
expect 'a session on two' 1 '^4000000.0$' env PM_INTERPRETER_FAIL=cuMemCreate:2:2,cuMemCreate:2:2 "$pm" repl --devices=gpu:2 <<'TEXT'
let g = pmap(fn(x) = x + 1.0)
sum(g(ones((2, 1000000))))
sum(g(ones((2, 1000000))))
TEXT
# Rows that all four GPUs read, one after another. Copies of rows that another GPU also has are freed.
cat >"$work/rows.pm" <<'TEXT'
let make = pmap(fn(i) = ones(524288) * i)
let f = pmap(fn(i, rows) = sum(rows) * (i + 1), in_axes=(0, none))
let i = arange(4.0)
let all = (make(i), make(i + 1), make(i + 2), make(i + 3), make(i + 4), make(i + 5))
mut total = 0.0
for iteration in range(2) {
    for row in all { total = total + sum(f(i, row)) }
}
print(total)
TEXT
for deferred in 0 1; do
    expect "rows that do not fit together: $deferred" 0 '^1006632960.0$' env PM_INTERPRETER_DEVICES=4 PM_INTERPRETER_MEMORY=40000000 \
        PM_INTERPRETER_DEFER=$deferred "$pm" run --devices=gpu:4 "$work/rows.pm"
    expect "rows that fit nowhere: $deferred" 1 'PM0512.*GPU [0-3] of 4 has no memory for' env PM_INTERPRETER_DEVICES=4 PM_INTERPRETER_MEMORY=16000000 \
        PM_INTERPRETER_DEFER=$deferred "$pm" run --devices=gpu:4 "$work/rows.pm"
done
# The same for rows that are temporaries of one program.
cat >"$work/whole.pm" <<'TEXT'
let make = pmap(fn(i) = ones(524288) * i)
let f = pmap(fn(i, rows) = sum(rows) * (i + 1), in_axes=(0, none))
fn whole(i) {
    let (a, b, c, d, e, g) = (make(i), make(i + 1), make(i + 2), make(i + 3), make(i + 4), make(i + 5))
    mut total = 0.0
    for rows in (a, b, c, d, e, g, a, b, c, d, e, g) {
        for row in (rows[0], rows[1], rows[2], rows[3]) { total = total + sum(f(i, row)) }
    }
    total
}
print(whole(arange(4.0)))
TEXT
for deferred in 0 1; do
    expect "temporaries that do not fit together: $deferred" 0 '^1006632960.0$' env PM_INTERPRETER_DEVICES=4 PM_INTERPRETER_MEMORY=40000000 \
        PM_INTERPRETER_DEFER=$deferred "$pm" run --devices=gpu:4 "$work/whole.pm"
done
# A library that opens or computes gets the memory of rows that the other GPU has too. The rows are copied again later.
if [ -e "$LD_LIBRARY_PATH/libcufft.so.11" ]; then
    cat >"$work/opened.pm" <<'TEXT'
let make = pmap(fn(i) = ones(524288) * i)
let f = pmap(fn(i, rows) = sum(rows * i), in_axes=(0, none))
let i = arange(2.0)
let all = (make(i), make(i + 1), make(i + 2))
for rows in all { print(sum(f(i, rows))) }
print(sum(abs(fft.fft(ones(65536))) ** 2))
for rows in all { print(sum(f(i, rows))) }
TEXT
    for bytes in 10000000:0:2621440.0 22000000:1:'PM0512.*no memory left .cufftCreate.'; do
        IFS=: read -r of_library code pattern <<<"$bytes"
        expect "a library in the place of copies: $of_library bytes" "$code" "$pattern" env PM_INTERPRETER_DEVICES=2 PM_INTERPRETER_MEMORY=22000000 \
            PM_CUDA_LIBRARIES_MEMORY="$of_library" "$pm" run --devices=gpu:2 "$work/opened.pm"
    done
fi
# No kernel reads an array that a check in a loop prints. The array is copied to the second GPU once.
cat >"$work/shown.pm" <<'TEXT'
let s = arange(300000.0)
fn f(x, s) {
    mut y = x
    for i in 0..20 {
        assert(y[0] < 1000.0, "{s}")
        y = y + sin(y) + s[:4] * 0
    }
    y
}
let g = pmap(f, in_axes=(0, none))
mut x = ones((2, 4))
for iteration in 0..4 { x = g(x, s) }
print("done")
TEXT
expect 'a check that shows what all read' 0 '^done$' env PM_INTERPRETER_DEVICES=2 PM_INTERPRETER_FAIL=cuMemcpyPeerAsync:6:700 \
    "$pm" run --devices=gpu:2 "$work/shown.pm"
expect 'that this is brought' 1 'PM0514' env PM_INTERPRETER_DEVICES=2 PM_INTERPRETER_FAIL=cuMemcpyPeerAsync:1:700 \
    "$pm" run --devices=gpu:2 "$work/shown.pm"
exit $failed
