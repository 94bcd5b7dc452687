# `devices=` is the number or the list of devices of a pmap. It determines the order of prints and the tiled blocks.
# devices: 4 8
fn shout(x) {
    print("a{x}", end=" ")
    print("b{x}", end=" ")
    psum(x, "i")
}
fn on(devices, n) {
    let y = pmap(shout, axis_name="i", out_axes=none, devices=devices)(arange(n))
    print(y)
}
on(1, 4)
on(2, 4)
on(2, 6)
on(3, 2)
on(none, 4)
on(devices()[1:3], 4)
on((devices()[3], devices()[0]), 2)
let two = vmap(fn(x) = axis_size("k"), axis_name="k", out_axes=none)(zeros(2))
on(two, 4)

# If the number of slices is not divisible by `devices`, the slices are distributed over that many devices.
let uneven = pmap(shout, axis_name="i", out_axes=none, devices=2, uneven=true)(arange(5))
print(uneven)

# With `tiled` each device of the pmap gets one block.
print(
    pmap(
        fn(x) = (x.shape[0], psum(sum(x), "i")),
        axis_name="i",
        tiled=true,
        out_axes=none,
        devices=2,
    )(arange(8)),
)
print(
    pmap(fn(x) = x.shape[0], tiled=true, out_axes=none, devices=(devices()[2], devices()[1]))(
        arange(8),
    ),
)

# A pmap with `devices=` in a pmap, a vmap, a loop, a derivative and a compiled function.
let mesh = pmap(
    pmap(fn(x) { print("{x}", end=" "); psum(x, ("i", "j")) }, axis_name="j", devices=2),
    axis_name="i",
    devices=2,
)
print(mesh(arange(8).reshape(2, 4)))
print(
    pmap(
        pmap(fn(x) = x.shape[0], tiled=true, devices=2, axis_size=2, out_axes=none),
        devices=1,
        out_axes=none,
    )(ones((3, 4))),
)
let scaled = pmap(fn(x) = x * psum(x, "i"), axis_name="i", devices=2)
print(grad(fn(x) = sum(scaled(x)))(arange(4.0)))
print(vmap(scaled)(arange(8.0).reshape(2, 4)))
print(jit(fn(x, k) = pmap(fn(x) = x + k, devices=2)(x))(arange(4.0), 1.0))
print(scan(fn(c, x) = (scaled(c) / 8 + x, none), arange(4.0), [1.0, 2.0]).0)

# expect: a0 a1 a2 a3 b0 b1 b2 b3 6
# expect: a0 a1 b0 b1 a2 a3 b2 b3 6
# expect: a0 a1 a2 b0 b1 b2 a3 a4 a5 b3 b4 b5 15
# expect: a0 b0 a1 b1 1
# expect: a0 b0 a1 b1 a2 b2 a3 b3 6
# expect: a0 a1 b0 b1 a2 a3 b2 b3 6
# expect: a0 b0 a1 b1 1
# expect: a0 a1 b0 b1 a2 a3 b2 b3 6
# expect: a0 a1 a2 b0 b1 b2 a3 a4 b3 b4 10
# expect: (4, 28)
# expect: 4
# expect: 0 1 2 3 4 5 6 7 [[28, 28, 28, 28], [28, 28, 28, 28]]
# expect: 2
# expect: [12, 12, 12, 12]
# expect: [[0, 6, 12, 18], [88, 110, 132, 154]]
# expect: [1, 2, 3, 4]
# expect: [3.0625, 3.859375, 4.65625, 5.453125]
