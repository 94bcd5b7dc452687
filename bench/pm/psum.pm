# A sum over devices: small ones within a loop, where they are most of what an iteration does, a large one as a call.
import "sums.pm" as sums
import "timing.pm" as timing

for devices in (2, 4, 8) {
    for (size, bytes, iterations) in (("4 KB", 2 ** 12, 10_000), ("1 MB", 2 ** 20, 100)) {
        let x = random.uniform(random.key(0), (devices, bytes // 4))
        let f = pmap(fn(x) = sums.repeated(x, iterations), axis_name="i")
        timing.steady_of(
            "psum of {size} over {devices} devices, each of {iterations} iterations",
            fn() = f(x),
            11,
            iterations,
        )
    }
    let x = random.uniform(random.key(0), (devices, 2 ** 24))
    let total = pmap(fn(x) = psum(x, "i"), axis_name="i", out_axes=none)
    timing.steady("psum of 64 MB over {devices} devices", fn() = total(x), 9)
}

# What memory gives: 64 MB read and 64 MB written.
let x = random.uniform(random.key(0), (2 ** 24,))
let negated = jit(fn(x) = -x)
timing.steady("negation of 64 MB", fn() = negated(x), 9)
