#!/bin/bash
# all_reduces.sh PM FOLDER: tests which all-reduces of several GPUs a library computes, and the messages if it fails. FOLDER has the driver
# that interprets PTX and the stand-in of NCCL, which prints its calls.
source "$(dirname "$0")/library_calls.sh"
export PM_INTERPRETER_DEVICES=3
cat >"$work/sums.pm" <<'TEXT'
let n = 263_000
let rows = i32(arange(3 * n) % 1001).reshape(3, n) - 500
let sums = pmap(fn(row) = psum(row, "i"), axis_name="i")
let known = rows[0] + rows[1] + rows[2]
print(array_equal(i32(sums(f32(rows)))[2], known))
print(array_equal(i32(sums(f64(rows)))[1], known))
print(array_equal(sums(rows)[0], known))
print(array_equal(sums(i64(rows))[0], known))
print(max(abs(pmap(fn(row) = pmean(row, "i"), axis_name="i", out_axes=none)(f32(rows)) - known / 3)) < 1e-4)
print(array_equal(pmap(fn(row) = pmax(row, "i"), axis_name="i")(rows)[1], max(rows, axis=0)))
print(array_equal(pmap(fn(row) = pmin(row, "i"), axis_name="i")(rows)[1], min(rows, axis=0)))
# Twice as many slices as devices: the slices of a device are added first.
print(array_equal(i32(sums(concatenate((f32(rows), f32(rows)))))[5], 2 * known))
TEXT
cat >"$work/others.pm" <<'TEXT'
let n = 263_000
let rows = i32(arange(3 * n) % 1001).reshape(3, n) - 500
print(i32(pmap(fn(row) = psum(row[:262_000], "i"), axis_name="i", out_axes=none)(f32(rows)))[:2])   # few
print(pmap(fn(row) = psum(row, "i"), axis_name="i", out_axes=none)(f16(rows))[:2])
print(pmap(fn(row) = pmax(row, "i"), axis_name="i", out_axes=none)(f32(rows))[:2])
print(pmap(fn(row) = psum(row, "i"), axis_name="i", out_axes=none)(i16(rows))[:2])
print(sum(pmap(fn(row) = sum(all_gather(row, "i")), axis_name="i")(rows)))
print(pmap(fn(row) = psum(row, "i"), axis_name="i", out_axes=none)(f32(rows[:2]))[:2])   # a GPU without a lane
TEXT

# expect NAME REDUCED FILE OPTIONS...: runs the program and checks the number of reductions by the library.
expect() {
    local name=$1 reduced=$2 file=$3
    shift 3
    run "$name" --devices=gpu:3 "$@" "$work/$file"
    counted "$name" "$reduced" '^ncclAllReduce: 3 x 263000$'
    if grep -q false "$work/out"; then fail "$name" 'wrong sums'; fi
}
# expect_failure NAME TEXT ENVIRONMENT...: sums.pm must fail with this text.
expect_failure() {
    local name=$1 text=$2 status
    shift 2
    env "$@" timeout 300 "$pm" run --devices=gpu:3 "$work/sums.pm" >"$work/out" 2>"$work/err"
    status=$?
    if [ $status != 1 ] || ! grep -q "$text" "$work/err" || [ "$(grep -c '^ncclCommAbort' "$work/err")" != 3 ]; then
        fail "$name" "status $status, expected '$text'"
    fi
}

expect 'sums' 8 sums.pm
PM_INTERPRETER_DEFER=1 expect 'sums of slow GPUs' 8 sums.pm
PM_INTERPRETER_PEERS=1 expect 'GPUs with access to each other' 8 sums.pm
PM_CUDA_LIBRARIES_FAIL=ncclCommInitAll:1:1 expect 'a library that finds memory the second time' 8 sums.pm
PM_CUDA_LIBRARIES_FAIL=ncclCommInitAll:1:1,ncclCommInitAll:2:1 expect 'a library that does not work' 0 sums.pm
PM_INTERPRETER_PEERS=1 PM_INTERPRETER_FAIL=cuMemPoolSetAccess:6:1 expect 'a GPU that reaches another alone' 0 sums.pm
expect 'a fixed order' 0 sums.pm --deterministic
expect 'sums that hang on no number of devices' 2 sums.pm --exact-sharding # the greatest and the least
PM_INTERPRETER_DEVICES=2 expect 'more lanes than GPUs' 0 sums.pm
PM_INTERPRETER_DEVICES=1 expect 'one GPU' 0 sums.pm
expect 'others' 0 others.pm
mkdir "$work/alone"
cp "$LD_LIBRARY_PATH/libcuda.so.1" "$work/alone"
LD_LIBRARY_PATH="$work/alone" expect 'no library' 0 sums.pm
for function in ncclGroupStart ncclAllReduce ncclGroupEnd; do
    expect_failure "a failing $function" "PM0514.*the GPU failed in $function: a fault within" PM_CUDA_LIBRARIES_FAIL="$function:3:3"
done
expect_failure 'what fails later' 'PM0514.*the GPU failed in ncclAllReduce: another process failed' \
    PM_CUDA_LIBRARIES_FAIL=ncclCommGetAsyncError:4:6
exit $failed
