#!/bin/bash
# library_convolutions.sh PM FOLDER: tests which convolutions of a program the library of a GPU computes, and compares them with a
# processor. FOLDER has the driver that interprets PTX and the stand-in of cuDNN, which prints its calls.
source "$(dirname "$0")/library_calls.sh"
# check(): the first run, on the processor, stores the values that the second run compares with.
cat >"$work/check.pm" <<'TEXT'
fn check(name, found, nearness=0.01) {
    let path = "{args[0]}/{name}.npy"
    if not file_exists(path) {
        save_npy(path, found.astype(f32))
    } else {
        let exact = load_npy(path)
        assert(found.shape == exact.shape, "{name}: {found.shape}")
        assert(max(abs(found.astype(f32) - exact)) < nearness * max(abs(exact)), name)
    }
}
fn some(seed, *shape) {
    mut n = 1
    for size in shape { n = n * size }
    let i = arange(n) % 4093
    ((i * i + i32(37 * seed)) % 1009 / 504 - 1).astype(f32).reshape(shape)
}
TEXT
cat >"$work/forward.pm" <<'TEXT'
import "check.pm" as c
let (x, w) = (c.some(0, 4, 16, 16, 64), c.some(1, 3, 3, 64, 256))
c.check("same", nn.conv(x, w))
for dtype in (bf16, f16) {
    c.check("{dtype}", jit(nn.conv)(x.astype(dtype), w.astype(dtype)), 0.03)
}
c.check("valid", nn.conv2d(c.some(0, 4, 18, 18, 64), w, padding="VALID"))
c.check("strided", nn.conv(c.some(0, 4, 32, 32, 64), w, strides=2))
c.check("dilated", nn.conv(x, w, dilation=(2, 1), padding=((2, 2), (0, 2))))
c.check("grouped", nn.conv(c.some(0, 8, 16, 16, 64), c.some(1, 3, 3, 32, 256), groups=2))
c.check("line", nn.conv(c.some(0, 4, 256, 64), c.some(1, 9, 64, 256)))
c.check("volume", nn.conv(c.some(0, 2, 8, 8, 8, 64), c.some(1, 3, 3, 3, 64, 128)))
c.check("in_loop", scan(fn(y, w) = (nn.conv(y, w) * 0.05, none), c.some(0, 5, 16, 16, 112), c.some(1, 2, 3, 3, 112, 112))[0])
c.check("of_features_first", conv(c.some(0, 4, 64, 16, 16), c.some(1, 256, 64, 3, 3), (1, 1), "SAME"))
for (strides, padding) in ((2, "SAME"), (2, "VALID"), ((1, 4), "SAME"), ((4, 3), "VALID")) {
    c.check("transposed_{strides}_{padding}", nn.conv_transpose(c.some(0, 16, 8, 8, 64), w, strides=strides, padding=padding))
}
TEXT
cat >"$work/derivatives.pm" <<'TEXT'
import "check.pm" as c
let (x, w) = (c.some(0, 4, 16, 16, 64), c.some(1, 3, 3, 64, 256))
fn loss(x, w, strides=1, groups=1) = sum(sin(nn.conv(x, w, strides=strides, groups=groups) * 0.05))
let (of_x, of_w) = grad(loss, (0, 1))(x, w)
c.check("of_x", of_x)
c.check("of_w", of_w)
let (of_more, of_strided) = jit(grad(fn(x, w) = loss(x, w, strides=2), (0, 1)))(c.some(0, 4, 32, 32, 64), w)
c.check("of_more", of_more)
c.check("of_strided", of_strided)
let (of_features, of_grouped) = jit(grad(fn(x, w) = loss(x, w, groups=2), (0, 1)))(
    c.some(0, 8, 16, 16, 64), c.some(1, 3, 3, 32, 256))
c.check("of_features", of_features)
c.check("of_grouped", of_grouped)
c.check("of_halves", grad(loss, 1)(x.astype(bf16), w.astype(bf16)), 0.05)
# Every order: forward over reverse, and reverse twice.
let along = c.some(2, 3, 3, 64, 256) * 0.1
c.check("hessian", jvp(fn(w) = grad(loss, 1)(x, w), (w,), (along,))[1], 0.02)
c.check("twice", grad(fn(w) = sum(grad(loss, 0)(x, w) * c.some(3, 4, 16, 16, 64)))(w), 0.02)
TEXT
cat >"$work/batches.pm" <<'TEXT'
import "check.pm" as c
let (x, w) = (c.some(0, 4, 16, 16, 64), c.some(1, 3, 3, 64, 256))
let (few, less) = (c.some(0, 4, 2, 16, 16, 32), c.some(1, 4, 3, 3, 32, 64))
c.check("over_x", vmap(fn(x) = nn.conv(x[none], w)[0])(x))
c.check("over_w", vmap(fn(w) = nn.conv(x, w), 3)(w.reshape((3, 3, 64, 4, 64))))
c.check("over_both", vmap(nn.conv)(c.some(0, 4, 2, 16, 16, 64), c.some(1, 4, 3, 3, 64, 128)))
fn loss(x, w) = sum(sin(nn.conv(x, w) * 0.05))
c.check("each_x", vmap(fn(x) = grad(loss, 0)(x[none], w))(x))
c.check("each_w", vmap(fn(x) = grad(loss, 1)(x[none], w))(c.some(0, 2, 24, 24, 64)))
let (each_x, each_w) = vmap(grad(loss, (0, 1)))(c.some(0, 2, 4, 16, 16, 64), c.some(1, 2, 3, 3, 64, 128))
c.check("each_of_both", each_x)
c.check("each_of_other", each_w)
c.check("in_groups", vmap(fn(x, w) = nn.conv(x, w, groups=2))(c.some(0, 4, 4, 16, 16, 32), c.some(1, 4, 3, 3, 16, 256)))
TEXT
cat >"$work/training.pm" <<'TEXT'
import "check.pm" as c
fn predict(p, x) {
    let y = nn.relu(nn.conv(x, p.first) * 0.1 + p.bias)
    let z = nn.relu(nn.conv(nn.max_pool(y), p.second, strides=1) * 0.02)
    mean(z, (1, 2)) @ p.last
}
fn step(p, x, y) {
    let slopes = grad(fn(p) = mean((predict(p, x) - y) ** 2))(p)
    tree_map(fn(v, g) = v - 0.05 * g, p, slopes)
}
let p = {
    first: c.some(0, 5, 5, 16, 64),
    bias: zeros(64),
    second: c.some(1, 3, 3, 64, 128),
    last: c.some(2, 128, 10) * 0.1,
}
mut q = p
let train = jit(step)
for i in range(2) { q = train(q, c.some(f32(i), 16, 24, 24, 16), c.some(f32(5 + i), 16, 10)) }
c.check("first", q.first)
c.check("second", q.second, 0.02)
c.check("last", q.last)
TEXT
cat >"$work/lanes.pm" <<'TEXT'
import "check.pm" as c
let (x, w) = (c.some(0, 8, 16, 16, 64), c.some(1, 3, 3, 64, 256))
fn loss(x, w) = sum(sin(nn.conv(x, w) * 0.05))
fn slope(x) = psum(grad(loss, 1)(x, w), "lanes")
c.check("slopes", pmap(slope, axis_name="lanes")(x.reshape((2, 4, 16, 16, 64)))[1])
TEXT
cat >"$work/others.pm" <<'TEXT'
import "check.pm" as c
let (x, w) = (c.some(0, 4, 16, 16, 64), c.some(1, 3, 3, 64, 256))
print(nn.conv(x[:1, :4, :4], w).shape)                  # few
print(nn.conv(x, w, precision="high").shape)
print(nn.conv(x.astype(i32), w.astype(i32)).shape)
print(vmap(nn.conv, (0, none))(zeros((0,) + x.shape), w).shape)   # none
print(vmap(nn.conv)(zeros((0,) + x.shape), zeros((0,) + w.shape)).shape)
print(vmap(grad(fn(x, w) = sum(nn.conv(x, w)), (0, 1)))(zeros((0,) + x.shape), zeros((0,) + w.shape))[1].shape)
TEXT
cat >"$work/nans.pm" <<'TEXT'
import "check.pm" as c
let (x, w) = (c.some(0, 4, 16, 16, 64), c.some(1, 3, 3, 64, 256))
let (some_x, some_w) = (x * where(arange(16) == 3, nan, 1).reshape((16, 1)), w * where(arange(256) == 3, nan, 1))
# Operands with NaN, also at the edges, where a window reaches the padding.
print(isnan(nn.conv(x, some_w)).any(), isnan(grad(fn(x) = sum(nn.conv(x, some_w)))(x)).any())
print(isnan(grad(fn(w) = sum(nn.conv(some_x, w)))(w)).any())
TEXT
# One call for the convolution and its epilogue.
cat >"$work/ends.pm" <<'TEXT'
import "check.pm" as c
let (x, w, b) = (c.some(0, 4, 16, 16, 64), c.some(1, 3, 3, 64, 256), c.some(2, 256) * 9)
let z = c.some(3, 4, 16, 16, 256) * 5
let biased = jit(fn(x, w, b, strides=1, groups=1, dilation=1) = nn.conv(x, w, strides=strides, groups=groups, dilation=dilation) + b)
c.check("bias", biased(x, w, b))
c.check("scaled", jit(fn(x, w, b) = b - nn.conv(x, w) / 3)(x, w, b))
c.check("added", jit(fn(x, w, b, z) = z + nn.conv(x, w) + b)(x, w, b, z))
c.check("in_parts", jit(fn(x, w, b, z) = b + 0.25 * nn.conv(x, w) - 2 * z)(x, w, b, z))
for dtype in (bf16, f16) {
    let (x, w, b, z) = (x.astype(dtype), w.astype(dtype), b.astype(dtype), z.astype(dtype))
    c.check("{dtype}", jit(fn(x, w, b, z) = nn.conv(x, w) + b + z)(x, w, b, z), 0.03)
}
c.check("line", biased(c.some(0, 4, 256, 64), c.some(1, 9, 64, 256), b))
c.check("volume", biased(c.some(0, 2, 8, 8, 8, 64), c.some(1, 3, 3, 3, 64, 256), b))
c.check("strided", biased(c.some(0, 4, 32, 32, 64), w, b, strides=2))
c.check("grouped", biased(c.some(0, 8, 16, 16, 64), c.some(1, 3, 3, 32, 256), b, groups=2))
let (v, d) = (c.some(4, 1, 1, 256, 512), c.some(5, 512))
c.check("two", jit(fn(x, w, b, v, d) = nn.conv(nn.conv(x, w) / 50 + b, v) + d)(x, w, b, v, d))
let (v, d) = (c.some(1, 2, 3, 3, 112, 112), c.some(2, 2, 112))
c.check("in_loop", scan(fn(y, (w, b)) = (y + nn.conv(y, w) / 100 + b, none), c.some(0, 5, 16, 16, 112), (v, d))[0])
c.check("added_in_loop", scan(fn(y, (w, b)) = (y + nn.conv(tanh(y), w) / 100 + b, none), c.some(0, 5, 16, 16, 112), (v, d))[0])
c.check("over_x", jit(vmap(fn(x, b) = nn.conv(x, w) + b, (0, none)))(c.some(0, 2, 2, 16, 16, 64), b))
c.check("over_x_and_z", jit(vmap(fn(x, z) = nn.conv(x, w) + b + z))(x.reshape((2, 2, 16, 16, 64)), z.reshape((2, 2, 16, 16, 256))))
let nans = x * where(arange(16) == 3, nan, 1).reshape((16, 1))
c.check("nans", isnan(biased(nans, w, b)))
TEXT
# Two steps for these, or a convolution whose epilogue is refused in advance.
cat >"$work/no_ends.pm" <<'TEXT'
import "check.pm" as c
let (x, w, b) = (c.some(0, 4, 16, 16, 64), c.some(1, 3, 3, 64, 256), c.some(2, 256) * 9)
let z = c.some(3, 4, 16, 16, 256) * 5
let nans = x * where(arange(16) == 3, nan, 1).reshape((16, 1))
c.check("relu", isnan(jit(fn(x, w, b) = nn.relu(nn.conv(x, w) + b))(nans, w, b)))
c.check("gelu", jit(fn(x, w, b) = nn.gelu(nn.conv(x, w) / 20 + b))(x, w, b))
c.check("added", jit(fn(x, w, z) = nn.conv(x, w) + z)(x, w, z))
c.check("squared", jit(fn(x, w, b) = (nn.conv(x, w) + b) ** 2)(x, w, b))
c.check("turned", jit(fn(x, w, b) = swapaxes(nn.conv(x, w) + b, 1, 2))(x, w, b))
c.check("flipped", jit(fn(x, w, b) = flip(nn.conv(x, w), 1) + b)(x, w, b))
c.check("to_rows", jit(fn(x, w, b) = nn.conv(x, w) + b[:16].reshape((16, 1, 1)))(x, w, b))
c.check("to_f32", jit(fn(x, w, b) = nn.conv(x, w) + b)(x.astype(bf16), w.astype(bf16), b), 0.03)
c.check("to_pictures", jit(fn(x, w, b, z) = nn.conv(x, w) + b + z[:1])(x, w, b, z))
c.check("dilated", jit(fn(x, w, b) = nn.conv(x, w, dilation=2) + b)(x, w, b)) # another algorithm is faster
let in_groups = jit(fn(x, w, b) = nn.conv(x, w, groups=4) + b)
for i in range(2) { c.check("group_{i}", in_groups(c.some(i, 16, 16, 16, 64), c.some(1, 3, 3, 16, 256), b)) } # refused once
c.check("shifted", jit(fn(x, w, more) = nn.conv(x, w) + more[1:257])(x, w, c.some(2, 300))) # not aligned
let (both, twice) = jit(fn(x, w, b) {
    let y = nn.conv(x, w)
    (y + b, y)
})(x, w, b)
c.check("both", both)
c.check("twice", twice)
c.check("summed", jit(fn(x, w, b) = sum(nn.conv(x, w) + b, (1, 2)))(x, w, b))
c.check("over_w", jit(vmap(fn(w, b) = nn.conv(x, w) + b, (3, 0)))(w.reshape((3, 3, 64, 4, 64)), b.reshape((4, 64))))
let (_, slopes) = jit(value_and_grad(fn(w) = sum(sin((nn.conv(x, w) + b) / 100))))(w)
c.check("slopes", slopes)
TEXT
cat >"$work/end_in_lanes.pm" <<'TEXT'
import "check.pm" as c
let (x, w, b) = (c.some(0, 8, 16, 16, 64), c.some(1, 3, 3, 64, 256), c.some(2, 256))
c.check("lanes", pmap(fn(x) = nn.conv(x, w) + b)(x.reshape((2, 4, 16, 16, 64))))
TEXT
cat >"$work/end.pm" <<'TEXT'
import "check.pm" as c
let biased = jit(fn(x, w, b) = nn.conv(x, w) + b)
c.check("one", biased(c.some(0, 4, 16, 16, 64), c.some(1, 3, 3, 64, 256), c.some(2, 256)))
TEXT
cat >"$work/one.pm" <<'TEXT'
import "check.pm" as c
c.check("one", nn.conv(c.some(0, 4, 16, 16, 64), c.some(1, 3, 3, 64, 256)))
TEXT

# expect NAME CONVOLUTIONS FILE OPTIONS...: runs the program and checks the number of convolutions by the library. DEVICES is the value of
# --devices, ENDS the number of convolutions with an epilogue.
expect() {
    local name=$1 convolutions=$2 file=$3
    shift 3
    mkdir -p "$work/$file.kept"
    for options in --devices=cpu "--devices=${DEVICES:-gpu} $*"; do
        # shellcheck disable=SC2086 # several options
        run "$name" $options "$work/$file" "$work/$file.kept"
    done
    counted "$name" "$convolutions" '^cudnnConvolution'
    counted "$name: with an end" "${ENDS:-0}" '^cudnnConvolutionBias'
}

for wanted in ${3:-forward:16:0 derivatives:19:0 batches:11:0 training:10:0 ends:19:19 no_ends:19:1}; do
    IFS=: read -r name convolutions ends <<<"$wanted"
    ENDS=$ends expect "$name" "$convolutions" "$name.pm"
done
[ $# -gt 2 ] && exit $failed
PM_INTERPRETER_DEVICES=2 DEVICES=gpu:2 expect 'lanes of two GPUs' 4 lanes.pm
expect 'one' 1 one.pm
PM_CUDA_LIBRARIES_FAIL=cudnnCreate:1:1001 expect 'a library that does not work' 0 one.pm
PM_CUDA_LIBRARIES_FAIL=cudnnGetConvolutionForwardAlgorithm_v7:1:3000 expect 'a library that has no algorithm' 0 one.pm
PM_CUDA_LIBRARIES_FAIL=cudnnConvolutionForward:1:3000 expect 'an algorithm that cannot' 1 one.pm
PM_INTERPRETER_DEVICES=2 DEVICES=gpu:2 ENDS=2 expect 'ends in lanes of two GPUs' 2 end_in_lanes.pm
PM_CUDA_LIBRARIES_FAIL=cudnnConvolutionBiasActivationForward:1:3000 PM_INTERPRETER_DEVICES=2 DEVICES=gpu:2 ENDS=1 \
    expect 'an end in lanes of two GPUs that one refuses' 2 end_in_lanes.pm
DEVICES=gpu:2 ENDS=2 expect 'ends in lanes of one GPU' 2 end_in_lanes.pm
ENDS=1 expect 'an end' 1 end.pm
PM_INTERPRETER_DEFER=1 ENDS=1 expect 'an end, later' 1 end.pm
expect 'an end where NaNs are looked for' 1 end.pm --check-nans
for failure in 3000 2000 1008; do
    PM_CUDA_LIBRARIES_FAIL=cudnnConvolutionBiasActivationForward:1:$failure expect "an end that is refused: $failure" 1 end.pm
done
PM_CUDA_LIBRARIES_FAIL=cudnnConvolutionBiasActivationForward:1:4004 ENDS=1 expect 'an end with memory at the second time' 1 end.pm
PM_CUDA_LIBRARIES_FAIL=cudnnConvolutionBiasActivationForward:1:4004,cudnnConvolutionBiasActivationForward:2:4004 \
    expect 'an end without memory' 1 end.pm
PM_CUDA_LIBRARIES_FAIL=cudnnSetActivationDescriptor:1:2000 expect 'an end that cannot be said' 1 end.pm
expect 'a fixed order' 0 one.pm --deterministic
expect 'the same on any number of devices' 0 one.pm --exact-sharding
expect 'the highest precision' 0 one.pm --precision=highest
expect 'others' 0 others.pm
expect 'NaNs that are given' 5 nans.pm --check-nans
exit $failed
