# Heat in a plate: u_t = u_xx + u_yy by finite differences. Two nested pmaps split the plate into 2 x 2 blocks over a
# mesh of devices. Before each step a block receives one line of cells from each neighbour: the lines above and below
# along one axis of the mesh, the lines to the left and right along the other. heat.pm does the same for a rod.

let (size, parts) = (48, 2)
let dx = 1 / (size + 1)  # the rim, around the cells, has temperature 0
let dt = 0.2 * dx ** 2

let forward = ((i, i + 1) for i in tuple(0..parts - 1))
let back = ((i + 1, i) for i in tuple(0..parts - 1))

## u with the neighbours' lines above and below. A block without a neighbour gets zeros, the temperature of the rim.
fn widened(u, axis) = concatenate((ppermute(u[-1:], axis, forward), u, ppermute(u[:1], axis, back)))

## One step. Two functions return u with lines added above and below, and u with lines added to the left and right.
fn next(u, above_and_below, on_both_sides) {
    let tall = above_and_below(u)
    let wide = on_both_sides(u)
    u + dt / dx ** 2 * (tall[2:] + tall[:-2] + wide[:, 2:] + wide[:, :-2] - 4 * u)
}
fn flow(u, steps) {
    mut u = u
    for _ in 0..steps { u = next(u, fn(u) = widened(u, "down"), fn(u) = widened(u.T, "across").T) }
    u
}
let inner =
    pmap(flow, axis_name="across", in_axes=(1, none), out_axes=1, axis_size=parts, tiled=true)
let run = pmap(inner, axis_name="down", in_axes=(0, none), axis_size=parts, tiled=true)

## The whole plate on one device.
fn alone(u, steps) {
    mut u = u
    for _ in 0..steps {
        u = next(u, fn(u) = pad(u, ((1, 1), (0, 0))), fn(u) = pad(u, ((0, 0), (1, 1))))
    }
    u
}

let x = (arange(size) + 1) * dx
let start = where((x[:, none] - 0.4) ** 2 + (x - 0.6) ** 2 < 0.04, 1.0, 0.0)
mut u = start
for i in 0..4 {
    u = run(u, 150)
    let (row, column) = divmod(argmax(u), size)
    print("time {(i + 1) * 150 * dt:.4f}: hottest {max(u):.3f} at ({x[row]:.2f}, {x[column]:.2f}), heat left {sum(u) * dx ** 2:.4f}")
}
assert(allclose(u, alone(start, 600), atol=1e-6), "the blocks differ from the whole plate")
for line in u[4::8, 2::4] {
    print(text.join((".:-=+*#%@"[i] for i in tuple(i32(8.99 * line / max(u)))), ""))
}
