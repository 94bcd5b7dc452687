# The loop of the measurements of sums over devices and processes.

## `iterations` sums of x over the axis "i". x does not change, except by rounding.
fn repeated(x, iterations) {
    mut x = x
    for _ in 0..iterations { x = 0.5 * (x + pmean(x, "i")) }
    x
}
