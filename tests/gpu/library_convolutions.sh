#!/bin/bash
# library_convolutions.sh PM FOLDER: which convolutions of a program the library of a GPU computes, and that they are those of a processor.
# FOLDER has the driver that interprets PTX and the stand-in of cuDNN, which says what it is asked for.
source "$(dirname "$0")/asked.sh"
# check(): the first run, on the processor, keeps what the second is compared with.
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
print(nn.conv(x[:1], w).shape)                          # few
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
# NaNs that are given, at the edges too, where a window meets zeros.
print(isnan(nn.conv(x, some_w)).any(), isnan(grad(fn(x) = sum(nn.conv(x, some_w)))(x)).any())
print(isnan(grad(fn(w) = sum(nn.conv(some_x, w)))(w)).any())
TEXT
cat >"$work/one.pm" <<'TEXT'
import "check.pm" as c
c.check("one", nn.conv(c.some(0, 4, 16, 16, 64), c.some(1, 3, 3, 64, 256)))
TEXT

# expect NAME CONVOLUTIONS FILE OPTIONS...: runs the program, in which the library is asked for so many convolutions. DEVICES: of --devices.
expect() {
    local name=$1 convolutions=$2 file=$3
    shift 3
    mkdir -p "$work/$file.kept"
    for options in --devices=cpu "--devices=${DEVICES:-gpu} $*"; do
        # shellcheck disable=SC2086 # several options
        run "$name" $options "$work/$file" "$work/$file.kept"
    done
    asked "$name" "$convolutions" '^cudnnConvolution'
}

for wanted in ${3:-forward:16 derivatives:19 batches:11 training:10}; do
    expect "${wanted%:*}" "${wanted#*:}" "${wanted%:*}.pm"
done
[ $# -gt 2 ] && exit $failed
PM_INTERPRETER_DEVICES=2 DEVICES=gpu:2 expect 'lanes of two GPUs' 4 lanes.pm
expect 'one' 1 one.pm
PM_CUDA_LIBRARIES_FAIL=cudnnCreate:1:1001 expect 'a library that does not work' 0 one.pm
PM_CUDA_LIBRARIES_FAIL=cudnnGetConvolutionForwardAlgorithm_v7:1:3000 expect 'a library that has no algorithm' 0 one.pm
PM_CUDA_LIBRARIES_FAIL=cudnnConvolutionForward:1:3000 expect 'an algorithm that cannot' 1 one.pm
expect 'a fixed order' 0 one.pm --deterministic
expect 'the same on any number of devices' 0 one.pm --exact-sharding
expect 'the highest precision' 0 one.pm --precision=highest
expect 'others' 0 others.pm
expect 'NaNs that are given' 5 nans.pm --check-nans
exit $failed
