# Heat flows along a rod: the equation u_t = u_xx by finite differences. The rod is split over the devices. In every
# step each device sends the temperatures at its ends to its neighbours (ppermute). The curves are written to heat.svg.

let cells = 96
let parts = 4
let dx = 1 / (cells + 1)  # the ends of the rod, at 0 and 1, have temperature 0
let dt = 0.4 * dx ** 2

fn flow(u, count) {
    mut u = u
    for _ in 0..count {
        # A device that receives no message gets zeros.
        let left = ppermute(u[-1:], "rod", ((i, i + 1) for i in tuple(0..parts - 1)))
        let right = ppermute(u[:1], "rod", ((i + 1, i) for i in tuple(0..parts - 1)))
        let wide = concatenate((left, u, right))
        u += dt / dx ** 2 * (wide[2:] - 2 * u + wide[:-2])
    }
    u
}
let run = pmap(flow, axis_name="rod", in_axes=(0, none), axis_size=parts, tiled=true)

let x = (arange(cells) + 1) * dx
mut u = where(abs(x - 0.3) < 0.1, 1.0, 0.0)
mut curves = (u,)
for _ in 0..4 {
    u = run(u, 500)
    curves += (u,)
    print("time {(len(curves) - 1) * 500 * dt:.4f}: hottest {max(u):.3f} at {x[argmax(u)]:.2f}, heat left {sum(u) * dx:.4f}")
}
plot(x, *curves, file="heat.svg", title="heat in a rod", xlabel="place", ylabel="temperature")

# The slowest mode decays as exp(-pi^2 t), for any start.
let later = run(u, 500)
print("decay {sum(later * sin(pi * x)) / sum(u * sin(pi * x)):.4f}, by the formula {exp(-pi ** 2 * 500 * dt):.4f}")
