import "timing.pm" as timing
fn f(x, n) {
    mut x = x
    for _ in 0..n { x = x - 0.001 * (x * x * x - x + 0.1) }
    x
}
let x = arange(4.0)
timing.steady("loop of 100 000 tiny steps", fn() = f(x, 100000), 9)
