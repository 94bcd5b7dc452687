# What a call of a pmapped function costs, and an iteration of a loop in one that all devices decide together.
import "timing.pm" as timing

for devices in (2, 4, 8) {
    let x = random.uniform(random.key(0), (devices, 8))
    let small = pmap(fn(x) = 2 * x + 1)
    timing.first_and_later("pmapped small function, {devices} devices", fn() = small(x), 200)
    let search = pmap(
        fn(x) {
            mut x = x
            mut iterations = 0
            while psum(sum(x), "i") > 1e-3 and iterations < 1000 {
                x = 0.999 * x
                iterations += 1
            }
            x
        },
        axis_name="i",
    )
    timing.steady_of("while in pmap, an iteration, {devices} devices", fn() = search(x), 11, 1000)
}
