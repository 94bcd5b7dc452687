import "timing.pm" as timing
fn f(x) = tanh(x) * 2 + sqrt(abs(x))
let x = arange(16.0) / 16
timing.first_and_later("small function", fn() = f(x), 200)
